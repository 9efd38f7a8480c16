//! The memory of one instance, counted, and the time of its calls.

use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::{ResourceLimiter, Trap, UpdateDeadline};

use super::clock::DeadlineWatch;

/// The bytes that an element of a table counts as.
const TABLE_ELEMENT_BYTES: usize = 16;

/// The memory limit of one instance, over all its memories and tables, and the deadline of its calls. It remembers the last refused request.
#[derive(Debug)]
pub(super) struct ResourceGuard {
    limit: usize,
    granted: usize,
    refused: Option<usize>,
    /// The maximum time of a call.
    deadline: Duration,
    since: Instant,
    watch: Option<Arc<DeadlineWatch>>,
}

impl ResourceGuard {
    /// Creates a guard with a limit in bytes. Its calls have no deadline before `with_watch` is called.
    pub(super) fn new(limit: usize, deadline: Duration) -> ResourceGuard {
        ResourceGuard { limit, granted: 0, refused: None, deadline, since: Instant::now(), watch: None }
    }

    /// Adds the watch of a clock, which interrupts the calls.
    pub(super) fn with_watch(self, watch: Arc<DeadlineWatch>) -> ResourceGuard {
        ResourceGuard { watch: Some(watch), ..self }
    }

    /// Decides whether a call continues when the epoch has moved on. The epoch moves for all calls of an engine, so the call may have time left.
    pub(super) fn at_deadline(&self) -> wasmtime::Result<UpdateDeadline> {
        if self.since.elapsed() < self.deadline { Ok(UpdateDeadline::Continue(1)) } else { Err(Trap::Interrupt.into()) }
    }

    /// Returns the bytes that the instance holds. Memory never shrinks.
    pub(super) fn granted(&self) -> usize {
        self.granted
    }

    /// Starts a call: clears the last refusal, and has the clock watch the call.
    pub(super) fn begin(&mut self) {
        self.refused = None;
        self.since = Instant::now();
        // A deadline beyond the range of the clock is no deadline.
        if let (Some(watch), Some(due)) = (&self.watch, self.since.checked_add(self.deadline)) {
            watch.begin(due);
        }
    }

    /// Ends a call.
    pub(super) fn end(&self) {
        self.watch.iter().for_each(|watch| watch.end());
    }

    /// Returns the total bytes that the instance wanted when it was last refused memory. `None`: nothing was refused in this call.
    pub(super) fn refused(&self) -> Option<usize> {
        self.refused
    }

    fn grow(&mut self, current: usize, desired: usize, unit: usize) -> bool {
        let more = desired.saturating_sub(current).saturating_mul(unit);
        let wanted = self.granted.saturating_add(more);
        if wanted > self.limit {
            self.refused = Some(wanted);
            return false;
        }
        self.granted = wanted;
        true
    }
}

impl ResourceLimiter for ResourceGuard {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow(current, desired, 1))
    }

    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow(current, desired, TABLE_ELEMENT_BYTES))
    }

    fn instances(&self) -> usize {
        100
    }

    fn tables(&self) -> usize {
        100
    }

    fn memories(&self) -> usize {
        10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(limit: usize) -> ResourceGuard {
        ResourceGuard::new(limit, Duration::from_secs(1))
    }

    #[test]
    fn memories_and_tables_count_together() {
        let mut guard = guard(1000);
        assert!(guard.memory_growing(0, 600, None).unwrap());
        assert!(guard.table_growing(0, 20, None).unwrap()); // 320 bytes: 920
        assert!(guard.memory_growing(600, 680, None).unwrap()); // 1000
        assert_eq!((guard.granted(), guard.refused()), (1000, None));
    }

    #[test]
    fn what_is_refused_is_remembered_and_not_granted() {
        let mut guard = guard(1000);
        assert!(guard.memory_growing(0, 900, None).unwrap());
        assert!(!guard.memory_growing(900, 1001, None).unwrap());
        assert_eq!((guard.granted(), guard.refused()), (900, Some(1001)));
        guard.begin();
        assert_eq!(guard.refused(), None);
    }

    #[test]
    fn an_amount_that_overflows_is_refused() {
        let mut guard = guard(usize::MAX - 1);
        assert!(!guard.table_growing(0, usize::MAX, None).unwrap());
    }
}
