//! The memory of one instance, counted, and the time of its calls.

use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::{ResourceLimiter, Trap, UpdateDeadline};

use super::clock::Watch;

/// What an element of a table counts for.
const TABLE_ELEMENT_BYTES: usize = 16;

/// Grants an instance memory up to a limit, over all its memories and tables, and remembers what it refused.
#[derive(Debug)]
pub(super) struct Guard {
    limit: usize,
    granted: usize,
    refused: Option<usize>,
    /// How long a call may take.
    deadline: Duration,
    since: Instant,
    watch: Option<Arc<Watch>>,
}

impl Guard {
    /// Grants so many bytes. Nobody stops its calls before it is watched.
    pub(super) fn new(limit: usize, deadline: Duration) -> Guard {
        Guard { limit, granted: 0, refused: None, deadline, since: Instant::now(), watch: None }
    }

    /// The same, whose calls a clock watches.
    pub(super) fn watched(self, watch: Arc<Watch>) -> Guard {
        Guard { watch: Some(watch), ..self }
    }

    /// Whether a call has had all its time when the epoch has moved on. It moves for all calls of an engine.
    pub(super) fn at_deadline(&self) -> wasmtime::Result<UpdateDeadline> {
        if self.since.elapsed() < self.deadline { Ok(UpdateDeadline::Continue(1)) } else { Err(Trap::Interrupt.into()) }
    }

    /// The bytes the instance holds: memory never shrinks.
    pub(super) fn granted(&self) -> usize {
        self.granted
    }

    /// A call begins: forgets what was refused, and has the clock watch it.
    pub(super) fn begin(&mut self) {
        self.refused = None;
        self.since = Instant::now();
        // A deadline that no clock can name is none.
        if let (Some(watch), Some(due)) = (&self.watch, self.since.checked_add(self.deadline)) {
            watch.begin(due);
        }
    }

    /// A call has come to its end.
    pub(super) fn end(&self) {
        self.watch.iter().for_each(|watch| watch.end());
    }

    /// The bytes the instance wanted in all when it was last refused some.
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

impl ResourceLimiter for Guard {
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

    fn guard(limit: usize) -> Guard {
        Guard::new(limit, Duration::from_secs(1))
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
