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

/// How often the clock looks for calls at least, so that it ends soon after its sandbox.
const LOOK: Duration = Duration::from_millis(100);
/// How soon it stops a call again that it has stopped: its guest may be about to look.
const AGAIN: Duration = Duration::from_millis(1);
/// No call is under way.
const IDLE: u64 = u64::MAX;

/// The clock of a sandbox.
#[derive(Debug)]
pub(super) struct Clock {
    begun: Instant,
    deadline: Duration,
    watched: Mutex<Vec<Weak<Watch>>>,
}

/// The calls of one instance, as the clock sees them.
pub(super) struct Watch {
    engine: EngineWeak,
    begun: Instant,
    /// When the call that is under way is due, in nanoseconds after the clock began.
    due: AtomicU64,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Watch").field("due", &self.due).finish_non_exhaustive()
    }
}

impl Watch {
    /// A call is under way, which is due then.
    pub(super) fn begin(&self, due: Instant) {
        self.due.store(nanoseconds(due.saturating_duration_since(self.begun)), Ordering::Release);
    }

    /// It has come to its end.
    pub(super) fn end(&self) {
        self.due.store(IDLE, Ordering::Release);
    }
}

impl Clock {
    /// A clock for calls that may take so long. It runs until nobody has it any more.
    pub(super) fn start(deadline: Duration) -> Result<Arc<Clock>, LoadError> {
        let clock = Arc::new(Clock { begun: Instant::now(), deadline, watched: Mutex::default() });
        let weak = Arc::downgrade(&clock);
        let thread = thread::Builder::new().name("lictor-clock".to_owned());
        thread.spawn(move || run(&weak)).map_err(|error| LoadError::NoSandbox(error.to_string()))?;
        Ok(clock)
    }

    /// Watches the calls of an instance for as long as somebody has what is handed out.
    pub(super) fn watch(&self, engine: &Engine) -> Arc<Watch> {
        let watch = Arc::new(Watch { engine: engine.weak(), begun: self.begun, due: AtomicU64::new(IDLE) });
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&watch));
        watch
    }

    /// Stops the calls that are due; how long nothing else is.
    fn look(&self) -> Duration {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let now = nanoseconds(self.begun.elapsed());
        let mut wait = LOOK.min(self.deadline.checked_div(2).unwrap_or(LOOK));
        watched.retain(|watch| {
            let Some(watch) = watch.upgrade() else { return false };
            let due = watch.due.load(Ordering::Acquire);
            if due <= now {
                watch.engine.upgrade().iter().for_each(Engine::increment_epoch);
                wait = wait.min(AGAIN);
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

fn run(clock: &Weak<Clock>) {
    loop {
        let Some(wait) = clock.upgrade().map(|clock| clock.look()) else { return };
        thread::sleep(wait);
    }
}
