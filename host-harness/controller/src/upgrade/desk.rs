//! Where replacements are ordered. What takes long, such as compiling a component, is done on a thread of its own, one order at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::progress::{Progress, Refusal, Stage};
use super::{Offer, Offers, Wish, outdated};

/// Reads, verifies, compiles and configures what is wished for.
type Load = dyn Fn(Wish) -> Result<Offer, Refusal> + Send + Sync;

/// Where replacements are ordered. Clones are of one desk.
#[derive(Clone)]
pub struct Desk {
    offers: Offers,
    load: Arc<Load>,
    work: Arc<Mutex<Work>>,
}

/// The orders that are not handed to the loop yet: one whose component is read and compiled, and the last one of those that came meanwhile.
#[derive(Default)]
struct Work {
    is_under_way: bool,
    next: Option<(u64, Wish)>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Desk").field("last", &self.progress(None)).finish_non_exhaustive()
    }
}

impl Desk {
    /// A desk of the loop that takes these offers.
    pub fn new(offers: Offers, load: impl Fn(Wish) -> Result<Offer, Refusal> + Send + Sync + 'static) -> Desk {
        Desk { offers, load: Arc::new(load), work: Arc::default() }
    }

    /// Orders a replacement; its number. What becomes of it is told by [`Desk::progress`]. The last order counts: what was ordered before
    /// and has not come to its end is given up when this one is ready, and not where this one is refused.
    ///
    /// One component is read and compiled at a time. Of the orders that come meanwhile the last one waits, and the others are refused.
    pub fn order(&self, wish: Wish) -> u64 {
        let number = self.offers.book.open(&wish.component, Stage::Fetching);
        let mut work = self.work();
        if work.is_under_way {
            if let Some((before, _)) = work.next.replace((number, wish)) {
                self.offers.book.refuse(before, outdated());
            }
            return number;
        }
        let desk = self.clone();
        match thread::Builder::new().name("upgrade".to_owned()).spawn(move || desk.serve(number, wish)) {
            Ok(_) => work.is_under_way = true,
            Err(error) => {
                let (message, remedy) = (format!("no thread can be started: {error}"), "try again later".to_owned());
                self.offers.book.refuse(number, Refusal { message, remedy });
            }
        }
        number
    }

    /// Carries out an order, and then those that have come meanwhile.
    fn serve(&self, mut number: u64, mut wish: Wish) {
        loop {
            // A component that breaks its reader must not keep the orders that follow from being served.
            let loaded = catch_unwind(AssertUnwindSafe(|| (self.load)(wish))).unwrap_or_else(|_broken| Err(broke()));
            match loaded {
                Ok(offer) => self.offers.hand_in(number, offer),
                Err(refusal) => self.offers.book.refuse(number, refusal),
            }
            let mut work = self.work();
            match work.next.take() {
                Some(next) => (number, wish) = next,
                None => {
                    work.is_under_way = false;
                    return;
                }
            }
        }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something is wished for that is none, which people call so; its number.
    pub fn refuse(&self, component: &str, refusal: Refusal) -> u64 {
        let number = self.offers.book.open(component, Stage::Fetching);
        self.offers.book.refuse(number, refusal);
        number
    }

    /// Reads what is wished for, on this thread: nothing is offered to the loop.
    ///
    /// # Errors
    /// It cannot be read, verified, compiled or configured.
    pub fn read(&self, wish: Wish) -> Result<Offer, Refusal> {
        (self.load)(wish)
    }

    /// How a replacement stands; of no number: the last one. None where there was none, or it is forgotten.
    pub fn progress(&self, number: Option<u64>) -> Option<Progress> {
        self.offers.progress(number)
    }

    /// Gives a replacement up: the old policy stays, or is back. Nothing happens where it has come to its end.
    pub fn give_up(&self, number: u64, why: &str) {
        self.offers.give_up(number, why);
    }

    /// Whether this process decides now.
    pub fn leads(&self) -> bool {
        self.offers.wake()
    }
}

fn broke() -> Refusal {
    let message = "the component broke the process that read it".to_owned();
    Refusal { message, remedy: "report this, with the component".to_owned() }
}
