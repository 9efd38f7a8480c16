//! A small number of threads for work that cannot be stopped.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A pool of threads for work that cannot be stopped. Work whose caller has stopped waiting keeps its thread until it ends.
pub(super) struct CompilerPool {
    most: usize,
    running: Mutex<usize>,
    ended: Condvar,
}

/// The reason why there is no result.
#[derive(Debug)]
pub(super) enum CompilerPoolError {
    /// The work takes longer than the caller waits. It continues.
    Slow,
    /// The work panicked.
    Panicked,
    /// The work was not begun, because all threads are busy: their number.
    Busy(usize),
    /// No thread can be started.
    NoThread(io::Error),
}

/// A counted thread, until this is dropped.
struct ThreadSlot(&'static CompilerPool);

impl CompilerPool {
    /// Creates a pool with this maximum of threads.
    pub(super) const fn of(most: usize) -> CompilerPool {
        CompilerPool { most, running: Mutex::new(0), ended: Condvar::new() }
    }

    /// Runs work in a thread and returns its result. Waits at most `patience` for a free thread, and as long again for the work.
    pub(super) fn run<T: Send + 'static>(
        &'static self,
        patience: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, CompilerPoolError> {
        let running = self.begin(patience)?;
        let (done, outcome) = mpsc::sync_channel(1);
        let compiler = thread::Builder::new().name("lictor-compile".to_owned());
        let begun = compiler.spawn(move || {
            let result = work();
            drop(running);
            let _waits_no_more = done.send(result);
        });
        begun.map_err(CompilerPoolError::NoThread)?;
        outcome.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => CompilerPoolError::Slow,
            RecvTimeoutError::Disconnected => CompilerPoolError::Panicked,
        })
    }

    fn begin(&'static self, patience: Duration) -> Result<ThreadSlot, CompilerPoolError> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |running: &mut usize| *running >= self.most;
        let waited = self.ended.wait_timeout_while(running, patience, is_full);
        let (mut running, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *running >= self.most {
            return Err(CompilerPoolError::Busy(*running));
        }
        *running = running.saturating_add(1);
        Ok(ThreadSlot(self))
    }
}

impl Drop for ThreadSlot {
    fn drop(&mut self) {
        let mut running = self.0.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running = running.saturating_sub(1);
        drop(running);
        self.0.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn work_that_does_not_end_keeps_its_thread_and_no_more_than_so_many() {
        static COMPILERS: CompilerPool = CompilerPool::of(2);
        let endless: Vec<mpsc::Sender<()>> = (0..2)
            .map(|_| {
                let (end, ends) = mpsc::channel::<()>();
                let slow = COMPILERS.run(SOON, move || ends.recv().is_ok());
                assert!(matches!(slow, Err(CompilerPoolError::Slow)));
                end
            })
            .collect();
        for _ in 0..50 {
            assert!(matches!(COMPILERS.run(Duration::ZERO, || ()), Err(CompilerPoolError::Busy(2))));
        }
        // Once one of the threads is free, the next work begins.
        drop(endless);
        assert_eq!(COMPILERS.run(LONG, || 7).unwrap(), 7);
    }

    #[test]
    fn work_that_panics_gives_its_thread_back() {
        static COMPILERS: CompilerPool = CompilerPool::of(1);
        for _ in 0..3 {
            assert!(matches!(COMPILERS.run(LONG, || panic!("on purpose")), Err::<(), _>(CompilerPoolError::Panicked)));
        }
        assert_eq!(COMPILERS.run(LONG, || 7).unwrap(), 7);
    }
}
