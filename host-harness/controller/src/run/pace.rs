//! The pace of the loop: how much is decided at once, and how long the session rests after a cycle.
//!
//! There are pauses after cycles that take nominations back, so that jobs that take each other's room in turn do not keep the API server busy.
//!
//! Two gangs may each be able to use a room that neither obtains: plans are made and taken back in each cycle until a victim has left or a node is
//! added. Each nomination is a request, so the pause doubles with each such cycle in a row.

use std::time::Duration;

use tokio::time::Instant;

use super::portion::BatchSizer;

/// How long to wait for the next decision after one that could not be made.
const AFTER_FAULT: Duration = Duration::from_secs(1);

/// The longest rest after a cycle. The session rests as long as the cycle took: meanwhile the messages of watches and the outcomes are taken.
const REST: Duration = Duration::from_secs(1);

/// The pause after the first cycle in a row that takes a nomination back.
const FIRST: Duration = Duration::from_millis(20);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(2);

/// The pace of the loop.
pub(super) struct LoopPace {
    /// No cycle begins before this moment.
    rest_until: Instant,
    batch_sizer: BatchSizer,
    backoff: CycleBackoff,
}

/// A part of a cycle that has been decided.
pub(super) struct DecidedPart {
    /// When the decisions began.
    pub(super) begun: Instant,
    /// The number of attempts.
    pub(super) attempts: usize,
    /// Whether further parts of the cycle follow.
    pub(super) is_in_cycle: bool,
    /// Whether nominations were taken back.
    pub(super) withdraws: bool,
    /// Whether a decision could not be made.
    pub(super) has_failed: bool,
}

impl LoopPace {
    /// Begins without a rest.
    pub(super) fn new() -> LoopPace {
        LoopPace { rest_until: Instant::now(), batch_sizer: BatchSizer::default(), backoff: CycleBackoff::default() }
    }

    /// Returns how long the session still rests. Zero: a cycle may begin.
    pub(super) fn rest(&self) -> Duration {
        self.rest_until.saturating_duration_since(Instant::now())
    }

    /// Returns the most pods of the next part of a cycle.
    pub(super) fn batch_size(&self) -> u32 {
        self.batch_sizer.most()
    }

    /// Takes note of a part of a cycle, and begins the rest after it. Returns the time of the whole cycle, where the cycle has ended with this part.
    pub(super) fn after(&mut self, part: &DecidedPart) -> Option<Duration> {
        let cycle = self.batch_sizer.record_duration(part.begun.elapsed(), part.attempts, part.is_in_cycle);
        let pause = self.backoff.after(part.withdraws, cycle.is_some());
        let rest = if part.has_failed { AFTER_FAULT } else { cycle.unwrap_or_default().min(REST).max(pause) };
        self.rest_until = Instant::now().checked_add(rest).unwrap_or(part.begun);
        cycle
    }
}

/// The pause after a cycle.
#[derive(Debug, Default)]
struct CycleBackoff {
    pause: Duration,
    /// Whether the cycle under way has taken a nomination back.
    withdraws: bool,
}

impl CycleBackoff {
    /// Takes note of a part of a cycle: whether it takes nominations back, and whether it is the last one. Returns the pause after it.
    fn after(&mut self, withdraws: bool, is_last: bool) -> Duration {
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
