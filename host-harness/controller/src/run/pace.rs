//! The pauses after cycles that take nominations back, so that jobs that take each other's room in turn do not keep the API server busy.
//!
//! Two gangs may each be able to use a room that neither obtains: plans are made and taken back in each cycle until a victim has left or a node is
//! added. Each nomination is a request, so the pause doubles with each such cycle in a row.

use std::time::Duration;

/// The pause after the first cycle in a row that takes a nomination back.
const FIRST: Duration = Duration::from_millis(20);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(2);

/// The pause after a cycle.
#[derive(Debug, Default)]
pub(super) struct CycleBackoff {
    pause: Duration,
    /// Whether the cycle under way has taken a nomination back.
    withdraws: bool,
}

impl CycleBackoff {
    /// Takes note of a part of a cycle: whether it takes nominations back, and whether it is the last one. Returns the pause after it.
    pub(super) fn after(&mut self, withdraws: bool, is_last: bool) -> Duration {
        self.withdraws |= withdraws;
        if !is_last {
            return Duration::ZERO;
        }
        self.pause = match std::mem::take(&mut self.withdraws) {
            true => self.pause.saturating_mul(2).clamp(FIRST, LONGEST),
            false => Duration::ZERO,
        };
        self.pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_with_each_cycle_in_a_row_that_takes_a_nomination_back() {
        let mut pace = CycleBackoff::default();
        let mut cycle = |withdraws| pace.after(withdraws, true).as_millis();
        assert_eq!([0; 9].map(|_| cycle(true)), [20, 40, 80, 160, 320, 640, 1280, 2000, 2000]);
        assert_eq!([false, false, true].map(cycle), [0, 0, 20]);
    }

    #[test]
    fn a_cycle_in_parts_is_one() {
        let mut pace = CycleBackoff::default();
        let parts = [(true, false), (true, false), (false, true), (false, true)];
        assert_eq!(parts.map(|(withdraws, is_last)| pace.after(withdraws, is_last).as_millis()), [0, 0, 20, 0]);
    }
}
