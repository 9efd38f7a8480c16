//! Policies that should replace the one in force, in every conversation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lictor_host::replace::ReplacementTerms;
use lictor_host::session::CandidatePolicy;

/// A policy that should replace the one in force: it is compared in shadow, takes over between two questions, and is watched.
pub struct CandidateFactory {
    /// The name of the policy for people.
    pub name: String,
    /// Makes a candidate for a conversation, or returns why that is not possible.
    pub make: Box<dyn Fn() -> Result<CandidatePolicy, String> + Send + Sync>,
    /// The terms of its comparison and its watch.
    pub terms: ReplacementTerms,
    /// Called when the policy has taken over for good in a conversation.
    pub settled: Box<dyn Fn() + Send + Sync>,
}

/// The latest offer. Clones share it.
#[derive(Clone, Default)]
pub struct CandidateSlot(Arc<Mutex<NumberedCandidate>>);

/// The number of the latest offer, and the offer.
#[derive(Default)]
struct NumberedCandidate(u64, Option<Arc<CandidateFactory>>);

impl CandidateSlot {
    /// Offers a policy to every open conversation. A later conversation begins with the policy that sessions are opened with then.
    pub fn offer(&self, offer: CandidateFactory) {
        let mut latest = self.latest();
        let NumberedCandidate(number, _) = *latest;
        *latest = NumberedCandidate(number.saturating_add(1), Some(Arc::new(offer)));
    }

    /// Returns the number of the latest offer.
    pub(crate) fn number(&self) -> u64 {
        self.latest().0
    }

    /// Returns the latest offer, where it came after the one of the number `seen`, and updates `seen`. `None`: there is no newer offer.
    pub(crate) fn after(&self, seen: &mut u64) -> Option<Arc<CandidateFactory>> {
        let latest = self.latest();
        let NumberedCandidate(number, offer) = &*latest;
        if std::mem::replace(seen, *number) == *number { None } else { offer.clone() }
    }

    fn latest(&self) -> MutexGuard<'_, NumberedCandidate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
