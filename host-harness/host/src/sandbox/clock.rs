//! The clock that holds calls to their deadlines.
//!
//! Guests look at the epoch of their engine again and again, and the epoch moves only when a call is due: a host whose policies answer is
//! not woken for each of them. The clock looks often enough to see every call before its time is half over, and then sleeps until the
//! moment at which the call is due.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use wasmtime::{Engine, EngineWeak};

use super::LoadError;

/// The maximum time between two looks at the calls, so that the clock ends soon after its sandbox.
const MAX_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// The time after which an interrupted call is interrupted again, because its guest may have read the epoch just before.
const REPEAT_INTERVAL: Duration = Duration::from_millis(1);
/// The due time of an idle instance: no call is running.
const IDLE: u64 = u64::MAX;

/// The clock of a sandbox.
#[derive(Debug)]
pub(super) struct DeadlineClock {
    begun: Instant,
    deadline: Duration,
    watched: Mutex<Vec<Weak<DeadlineWatch>>>,
}

/// The calls of one instance, as the clock sees them.
pub(super) struct DeadlineWatch {
    engine: EngineWeak,
    begun: Instant,
    /// The due time of the running call, in nanoseconds after the start of the clock.
    due: AtomicU64,
}

impl std::fmt::Debug for DeadlineWatch {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Watch").field("due", &self.due).finish_non_exhaustive()
    }
}

impl DeadlineWatch {
    /// Starts a call that is due at this time.
    pub(super) fn begin(&self, due: Instant) {
        self.due.store(nanoseconds(due.saturating_duration_since(self.begun)), Ordering::Release);
    }

    /// Ends the call.
    pub(super) fn end(&self) {
        self.due.store(IDLE, Ordering::Release);
    }
}

impl DeadlineClock {
    /// Starts a clock for calls with this deadline. Its thread ends after the last reference to the clock is dropped.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn start(deadline: Duration) -> Result<Arc<DeadlineClock>, LoadError> {
        let clock = Arc::new(DeadlineClock { begun: Instant::now(), deadline, watched: Mutex::default() });
        let weak = Arc::downgrade(&clock);
        let thread = thread::Builder::new().name("lictor-clock".to_owned());
        thread.spawn(move || run(&weak)).map_err(|error| LoadError::NoSandbox(error.to_string()))?;
        Ok(clock)
    }

    /// Watches the calls of an instance until the returned value is dropped.
    pub(super) fn watch(&self, engine: &Engine) -> Arc<DeadlineWatch> {
        let watch = Arc::new(DeadlineWatch { engine: engine.weak(), begun: self.begun, due: AtomicU64::new(IDLE) });
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&watch));
        watch
    }

    /// Interrupts the calls that are due. Returns the time until the next look.
    fn interrupt_overdue(&self) -> Duration {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let now = nanoseconds(self.begun.elapsed());
        let mut wait = MAX_CHECK_INTERVAL.min(self.deadline.checked_div(2).unwrap_or(MAX_CHECK_INTERVAL));
        watched.retain(|watch| {
            let Some(watch) = watch.upgrade() else { return false };
            let due = watch.due.load(Ordering::Acquire);
            if due <= now {
                watch.engine.upgrade().iter().for_each(Engine::increment_epoch);
                wait = wait.min(REPEAT_INTERVAL);
            } else if due != IDLE {
                wait = wait.min(Duration::from_nanos(due.saturating_sub(now)));
            }
            true
        });
        wait
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(IDLE)
}

fn run(clock: &Weak<DeadlineClock>) {
    loop {
        let Some(wait) = clock.upgrade().map(|clock| clock.interrupt_overdue()) else { return };
        thread::sleep(wait);
    }
}
