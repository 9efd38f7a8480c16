//! The schedule of what is counted over all pods.

/// The time between two counts over all pods, in nanoseconds.
const COUNT_INTERVAL: i64 = 1_000_000_000;

/// The schedule by which the metrics that are counted over all pods, and the accounts of queues, are brought up to date.
#[derive(Debug, Default)]
pub(super) struct CountSchedule {
    /// In nanoseconds since 1970.
    counted_at: Option<i64>,
    /// Whether something has happened since the last count.
    pub(super) is_stale: bool,
}

impl CountSchedule {
    /// Begins a count where one is due. Returns whether something has happened since the last one.
    pub(super) fn begin(&mut self, now: i64) -> Option<bool> {
        if self.counted_at.is_some_and(|at| at.saturating_add(COUNT_INTERVAL) > now) {
            return None;
        }
        self.counted_at = Some(now);
        Some(std::mem::replace(&mut self.is_stale, false))
    }

    /// Returns when a count is due for what has happened.
    pub(super) fn next(&self) -> Option<i64> {
        self.counted_at.filter(|_| self.is_stale).map(|at| at.saturating_add(COUNT_INTERVAL))
    }
}
