//! Policies that are to replace the one in force, in every conversation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lictor_host::replace::Terms;
use lictor_host::session::Candidate;

/// A policy that is to replace the one in force: compared in shadow, it takes over between two questions, and is watched.
pub struct Offer {
    /// What people call it.
    pub name: String,
    /// Makes one for a conversation; else says why not.
    pub make: Box<dyn Fn() -> Result<Candidate, String> + Send + Sync>,
    /// On which terms it is compared and watched.
    pub terms: Terms,
    /// Called when it has taken over for good in a conversation.
    pub settled: Box<dyn Fn() + Send + Sync>,
}

/// The latest offer. Clones share it.
#[derive(Clone, Default)]
pub struct Offers(Arc<Mutex<Latest>>);

/// Its number, and the offer.
#[derive(Default)]
struct Latest(u64, Option<Arc<Offer>>);

impl Offers {
    /// Offers a policy to every conversation that there is. One that begins later has the policy that sessions are opened with then.
    pub fn make(&self, offer: Offer) {
        let mut latest = self.latest();
        let Latest(number, _) = *latest;
        *latest = Latest(number.saturating_add(1), Some(Arc::new(offer)));
    }

    /// The number of the latest offer.
    pub(crate) fn number(&self) -> u64 {
        self.latest().0
    }

    /// An offer that came after the one of this number.
    pub(crate) fn after(&self, seen: &mut u64) -> Option<Arc<Offer>> {
        let latest = self.latest();
        let Latest(number, offer) = &*latest;
        if std::mem::replace(seen, *number) == *number { None } else { offer.clone() }
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
