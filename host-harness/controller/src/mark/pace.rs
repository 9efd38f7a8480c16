//! The pace at which marks are written: never so fast that decisions are delayed, and very slow where no write arrives.

use crate::report::SECOND;

/// The time between two pods whose marks are written, in nanoseconds: ten a second.
const BETWEEN: i64 = SECOND / 10;
/// The time between two pods while nothing that was written arrives.
const BETWEEN_REFUSED: i64 = 10 * SECOND;
/// Pods whose marks may be written at once, after a time without any.
const BURST: i64 = 20;
/// The time within which a write must have arrived.
const ARRIVAL_TIMEOUT: i64 = 10 * SECOND;

/// The pace of writes: a bucket that fills at a steady rate.
#[derive(Debug, Default)]
pub(super) struct WriteRateLimiter {
    /// When the bucket is full again. `None`: nothing was written yet.
    full_at: Option<i64>,
    /// When the first write since the last arrival was made.
    first_unconfirmed: Option<i64>,
}

impl WriteRateLimiter {
    /// Returns when the next write may be; `None`: at once.
    pub(super) fn next(&self, now: i64) -> Option<i64> {
        let ahead = if self.is_refused(now) { 0 } else { (BURST - 1).saturating_mul(BETWEEN) };
        self.full_at.map(|at| at.saturating_sub(ahead)).filter(|at| now < *at)
    }

    /// Takes one write out of the bucket.
    pub(super) fn record_write(&mut self, now: i64) {
        let between = if self.is_refused(now) { BETWEEN_REFUSED } else { BETWEEN };
        self.full_at = Some(self.full_at.map_or(now, |at| at.max(now)).saturating_add(between));
        self.first_unconfirmed.get_or_insert(now);
    }

    /// Notes that something that was written has arrived.
    pub(super) fn record_arrival(&mut self) {
        self.first_unconfirmed = None;
    }

    /// Returns whether no write has arrived for a while.
    pub(super) fn is_refused(&self, now: i64) -> bool {
        self.first_unconfirmed.is_some_and(|since| since.saturating_add(ARRIVAL_TIMEOUT) <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes as often as it may within a time, beginning at zero.
    fn writes(pace: &mut WriteRateLimiter, from: i64, to: i64) -> usize {
        let (mut now, mut count) = (from, 0_usize);
        while now < to {
            match pace.next(now) {
                None => {
                    pace.record_write(now);
                    count = count.saturating_add(1);
                }
                Some(at) => now = at,
            }
        }
        count
    }

    #[test]
    fn twenty_at_once_then_ten_a_second_as_long_as_they_arrive() {
        let mut pace = WriteRateLimiter::default();
        assert_eq!(writes(&mut pace, 0, 1), 20);
        let mut count = 0;
        for second in 0..5 {
            count += writes(&mut pace, second * SECOND + 1, (second + 1) * SECOND + 1);
            pace.record_arrival();
        }
        assert_eq!(count, 50);
        assert_eq!(writes(&mut pace, 60 * SECOND, 60 * SECOND + 1), 20, "after a pause as at the beginning");
    }

    #[test]
    fn where_nothing_arrives_one_in_ten_seconds() {
        let mut pace = WriteRateLimiter::default();
        assert_eq!(writes(&mut pace, 0, 10 * SECOND), 119);
        assert!(pace.is_refused(10 * SECOND));
        let refused = writes(&mut pace, 10 * SECOND, 110 * SECOND);
        assert!((9..=11).contains(&refused), "{refused}");
        pace.record_arrival();
        assert!(!pace.is_refused(110 * SECOND));
        assert!(writes(&mut pace, 130 * SECOND, 131 * SECOND) > 20, "at the old pace again");
    }
}
