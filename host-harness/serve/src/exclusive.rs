//! Exclusive rights of sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A right that one session has at a time, such as to write a recording or a checkpoint.
#[derive(Debug, Clone, Default)]
pub struct ExclusiveRight(Arc<AtomicBool>);

/// The right, which ends when this value is dropped.
#[derive(Debug)]
pub struct ExclusiveGuard(Arc<AtomicBool>);

impl ExclusiveRight {
    /// Takes the right. `None`: another session has it.
    pub fn acquire(&self) -> Option<ExclusiveGuard> {
        let free = self.0.compare_exchange(false, true, Ordering::AcqRel, Ordering::Acquire);
        free.is_ok().then(|| ExclusiveGuard(self.0.clone()))
    }
}

impl Drop for ExclusiveGuard {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn of_many_that_come_together_one_gets_it_and_the_next_one_when_it_ends() {
        let right = ExclusiveRight::default();
        for _ in 0..100 {
            let barrier = Barrier::new(8);
            let come = || {
                barrier.wait();
                let acquired = right.acquire();
                barrier.wait();
                acquired.is_some()
            };
            let got = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(come)).collect();
                threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|got| *got).count()
            });
            assert_eq!(got, 1);
        }
        assert!(right.acquire().is_some());
    }
}
