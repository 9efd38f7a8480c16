//! The following of a recording that is being written.

use super::time::MOST;
use crate::data::{ReadPosition, START};

/// The progress of following a recording: how much is known, repeated and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowProgress {
    /// The known part of the recording.
    pub known: ReadPosition,
    /// The number of the moment that was repeated last.
    pub repeated: usize,
    /// Whether the newest moment is shown as soon as it is known; false while an earlier one is shown.
    pub follows: bool,
    /// Whether moments are being repeated.
    pub is_repeating: bool,
    /// Whether the recording cannot be read any further.
    pub is_over: bool,
}

impl Default for FollowProgress {
    fn default() -> FollowProgress {
        FollowProgress {
            known: ReadPosition { whole: START, moments: 0 },
            repeated: 0,
            follows: true,
            is_repeating: false,
            is_over: false,
        }
    }
}

impl FollowProgress {
    /// Returns how many moments are known and not repeated.
    pub fn behind(&self) -> usize {
        self.known.moments.saturating_sub(self.repeated)
    }

    /// Returns how many of those will have no place on the line, which keeps the last ones: they are not drawn.
    pub fn skipped(&self) -> usize {
        self.behind().saturating_sub(MOST)
    }

    /// Returns the sentence that is shown with the moment of this number.
    pub fn sentence(&self, at: usize) -> String {
        let newer = match self.known.moments.saturating_sub(at) {
            0 if at == 0 => "nothing was decided yet".to_owned(),
            0 => "this is the newest moment".to_owned(),
            1 => "1 newer moment".to_owned(),
            count => format!("{count} newer moments"),
        };
        let how = if self.is_over { "No longer followed" } else { "Live" };
        format!("{how}: {newer}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(moments: usize, repeated: usize) -> FollowProgress {
        FollowProgress { known: ReadPosition { whole: START, moments }, repeated, ..FollowProgress::default() }
    }

    #[test]
    fn only_the_last_moments_are_drawn() {
        assert_eq!((live(5, 2).behind(), live(5, 2).skipped()), (3, 0));
        assert_eq!((live(MOST + 7, 7).skipped(), live(MOST + 7, 6).skipped()), (0, 1));
        // Moments are counted when bytes arrive, and repeated later: never the other way round.
        assert_eq!(live(1, 2).behind(), 0);
    }

    #[test]
    fn how_many_newer_ones_there_are_is_said() {
        assert_eq!(live(0, 0).sentence(0), "Live: nothing was decided yet");
        assert_eq!(live(4, 4).sentence(4), "Live: this is the newest moment");
        assert_eq!(live(4, 4).sentence(3), "Live: 1 newer moment");
        let over = FollowProgress { is_over: true, follows: false, ..live(9, 4) };
        assert_eq!(over.sentence(2), "No longer followed: 7 newer moments");
    }
}
