//! A recording that is being written, as the page follows it.

use super::time::MOST;
use crate::data::{Known, START};

/// How far a recording is known, repeated and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Live {
    /// How much of it is known.
    pub known: Known,
    /// The number of the moment that was repeated last.
    pub repeated: usize,
    /// The newest moment is shown whenever one comes; not, while an earlier one is looked at.
    pub follows: bool,
    /// Moments are being repeated.
    pub is_repeating: bool,
    /// Nothing more comes: it could not be read on.
    pub is_over: bool,
}

impl Default for Live {
    fn default() -> Live {
        Live {
            known: Known { whole: START, moments: 0 },
            repeated: 0,
            follows: true,
            is_repeating: false,
            is_over: false,
        }
    }
}

impl Live {
    /// How many moments are known and not repeated.
    pub fn behind(&self) -> usize {
        self.known.moments.saturating_sub(self.repeated)
    }

    /// How many of those have no place on the line, which keeps the last ones: they are not drawn.
    pub fn skipped(&self) -> usize {
        self.behind().saturating_sub(MOST)
    }

    /// What is said while the moment with this number is shown.
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

    fn live(moments: usize, repeated: usize) -> Live {
        Live { known: Known { whole: START, moments }, repeated, ..Live::default() }
    }

    #[test]
    fn only_the_last_moments_are_drawn() {
        assert_eq!((live(5, 2).behind(), live(5, 2).skipped()), (3, 0));
        assert_eq!((live(MOST + 7, 7).skipped(), live(MOST + 7, 6).skipped()), (0, 1));
        // What is known is counted when bytes come, what is repeated later: never the other way round.
        assert_eq!(live(1, 2).behind(), 0);
    }

    #[test]
    fn how_many_newer_ones_there_are_is_said() {
        assert_eq!(live(0, 0).sentence(0), "Live: nothing was decided yet");
        assert_eq!(live(4, 4).sentence(4), "Live: this is the newest moment");
        assert_eq!(live(4, 4).sentence(3), "Live: 1 newer moment");
        let over = Live { is_over: true, follows: false, ..live(9, 4) };
        assert_eq!(over.sentence(2), "No longer followed: 7 newer moments");
    }
}
