//! The desk at which replacements are ordered. Slow work, such as compiling a component, is done on a thread of its own, one order at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::progress::{ReplacementProgress, ReplacementRefusal, ReplacementStage};
use super::{ReplacementCandidate, ReplacementRequest, ReplacementSender, outdated};

/// A function that reads, verifies, compiles and configures the policy of a wish.
type ComponentLoader = dyn Fn(ReplacementRequest) -> Result<ReplacementCandidate, ReplacementRefusal> + Send + Sync;

/// The desk at which replacements are ordered. Clones share one desk.
#[derive(Clone)]
pub struct ReplacementService {
    sender: ReplacementSender,
    load: Arc<ComponentLoader>,
    queue: Arc<Mutex<LoadQueue>>,
}

/// The orders that the loop does not have yet: one whose component is read and compiled, and the last one of those that arrived meanwhile.
#[derive(Default)]
struct LoadQueue {
    is_loading: bool,
    next: Option<(u64, ReplacementRequest)>,
}

impl std::fmt::Debug for ReplacementService {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Desk").field("last", &self.progress(None)).finish_non_exhaustive()
    }
}

impl ReplacementService {
    /// Makes a desk for the loop that takes these offers.
    pub fn new(
        offers: ReplacementSender,
        load: impl Fn(ReplacementRequest) -> Result<ReplacementCandidate, ReplacementRefusal> + Send + Sync + 'static,
    ) -> ReplacementService {
        ReplacementService { sender: offers, load: Arc::new(load), queue: Arc::default() }
    }

    /// Orders a replacement. Returns its number, for [`ReplacementService::progress`]. The last order counts: when it is ready, earlier orders without an end are
    /// given up. Where the last order is refused, they go on.
    ///
    /// One component is read and compiled at a time. Of the orders that arrive meanwhile the last one waits, and the others are refused.
    pub fn submit(&self, wish: ReplacementRequest) -> u64 {
        let number = self.sender.log.add(&wish.component, ReplacementStage::Fetching);
        let mut work = self.work();
        if work.is_loading {
            if let Some((before, _)) = work.next.replace((number, wish)) {
                self.sender.log.refuse(before, outdated());
            }
            return number;
        }
        let desk = self.clone();
        match thread::Builder::new().name("upgrade".to_owned()).spawn(move || desk.serve(number, wish)) {
            Ok(_) => work.is_loading = true,
            Err(error) => {
                let (message, remedy) = (format!("no thread can be started: {error}"), "try again later".to_owned());
                self.sender.log.refuse(number, ReplacementRefusal { message, remedy });
            }
        }
        number
    }

    /// Carries out an order, and then those that have arrived meanwhile.
    fn serve(&self, mut number: u64, mut wish: ReplacementRequest) {
        loop {
            // A component that breaks its reader must not block the orders that follow.
            let loaded =
                catch_unwind(AssertUnwindSafe(|| (self.load)(wish))).unwrap_or_else(|_broken| Err(panicked_refusal()));
            match loaded {
                Ok(offer) => self.sender.submit(number, offer),
                Err(refusal) => self.sender.log.refuse(number, refusal),
            }
            let mut work = self.work();
            match work.next.take() {
                Some(next) => (number, wish) = next,
                None => {
                    work.is_loading = false;
                    return;
                }
            }
        }
    }

    fn work(&self) -> MutexGuard<'_, LoadQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a wish that cannot be read as a refused order. Returns its number. `component` is its name for people.
    pub fn refuse(&self, component: &str, refusal: ReplacementRefusal) -> u64 {
        let number = self.sender.log.add(component, ReplacementStage::Fetching);
        self.sender.log.refuse(number, refusal);
        number
    }

    /// Reads the policy of a wish on this thread. Nothing is offered to the loop.
    ///
    /// # Errors
    /// The policy cannot be read, verified, compiled or configured.
    pub fn read(&self, wish: ReplacementRequest) -> Result<ReplacementCandidate, ReplacementRefusal> {
        (self.load)(wish)
    }

    /// Returns the progress of a replacement; without a number, of the last one. `None`: no replacement has the number, or it is forgotten.
    pub fn progress(&self, number: Option<u64>) -> Option<ReplacementProgress> {
        self.sender.progress(number)
    }

    /// Gives a replacement up: the old policy stays, or returns. Does nothing where the replacement has ended.
    pub fn give_up(&self, number: u64, why: &str) {
        self.sender.give_up(number, why);
    }

    /// Returns whether this process decides now. Makes the loop turn.
    pub fn leads(&self) -> bool {
        self.sender.wake()
    }
}

fn panicked_refusal() -> ReplacementRefusal {
    let message = "the component broke the process that read it".to_owned();
    ReplacementRefusal { message, remedy: "report this, with the component".to_owned() }
}
