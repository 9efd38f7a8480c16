//! Where replacements are ordered. What takes long, such as compiling a component, is done on a thread of its own.

use std::sync::Arc;
use std::thread;

use super::progress::{Progress, Refusal, Stage};
use super::{Offer, Offers, Wish};

/// Reads, verifies, compiles and configures what is wished for.
type Load = dyn Fn(Wish) -> Result<Offer, Refusal> + Send + Sync;

/// Where replacements are ordered. Clones are of one desk.
#[derive(Clone)]
pub struct Desk {
    offers: Offers,
    load: Arc<Load>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Desk").field("last", &self.progress(None)).finish_non_exhaustive()
    }
}

impl Desk {
    /// A desk of the loop that takes these offers.
    pub fn new(offers: Offers, load: impl Fn(Wish) -> Result<Offer, Refusal> + Send + Sync + 'static) -> Desk {
        Desk { offers, load: Arc::new(load) }
    }

    /// Orders a replacement; its number. What becomes of it is told by [`Desk::progress`]. The last order counts: what was ordered before
    /// and has not come to its end is given up when this one is ready, and not where this one is refused.
    pub fn order(&self, wish: Wish) -> u64 {
        let number = self.offers.book.open(&wish.component, Stage::Fetching);
        let (offers, load) = (self.offers.clone(), self.load.clone());
        let work = move || match load(wish) {
            Ok(offer) => offers.hand_in(number, offer),
            Err(refusal) => offers.book.refuse(number, refusal),
        };
        if let Err(error) = thread::Builder::new().name("upgrade".to_owned()).spawn(work) {
            let (message, remedy) = (format!("no thread can be started: {error}"), "try again later".to_owned());
            self.offers.book.refuse(number, Refusal { message, remedy });
        }
        number
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
