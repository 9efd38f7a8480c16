//! Replaces the policy of a running loop: the new one is compared in shadow, takes over between two decisions, and is watched.
//!
//! Who finds a new version sends it ([`Offers`]); the loop takes one at a time. What becomes of it comes with the steps of the session
//! ([`Step::replacement`](lictor_host::session::Step)), and, when it has taken over for good, `settled` is called.

#[cfg(test)]
mod tests;

use std::sync::mpsc::{Receiver, Sender, channel};

use lictor_host::policy::Policy;
use lictor_host::replace::{State, Terms};
use lictor_host::session::{Candidate, Session};
use tracing::{info, warn};

use crate::decide::{Talk, Turn};
use crate::run::listener::{Listener, Wake, Waker};

/// How often the loop turns while a policy is replaced: every 100 ms.
const TURN: i64 = 100_000_000;

/// A policy that is to replace the one in force.
pub struct Offer {
    /// What people call it, such as its file and digest.
    pub name: String,
    /// The policy.
    pub policy: Box<dyn Policy>,
    /// The system.
    pub system: String,
    /// Its arguments, a JSON object.
    pub arguments: String,
    /// On which terms it is compared and watched.
    pub terms: Terms,
    /// Called when it has taken over for good.
    pub settled: Box<dyn FnOnce() + Send>,
}

/// Takes offers to the loop.
#[derive(Clone)]
pub struct Offers {
    send: Sender<Offer>,
    waker: Waker,
}

impl Offers {
    /// Offers a policy. It is taken when this process leads and no other replacement is under way.
    pub fn make(&self, offer: Offer) {
        let _ended = self.send.send(offer);
        // Where this process does not lead, it is taken when it does.
        let _leads = self.waker.wake();
    }
}

/// Replaces the policy of the loop that it listens to.
pub struct Upgrades {
    offers: Receiver<Offer>,
    waker: Waker,
    /// What is called when the one that is under way has taken over.
    settled: Option<Box<dyn FnOnce() + Send>>,
    is_under_way: bool,
    now: i64,
}

impl Upgrades {
    /// A listener that takes offers, and the way to it.
    pub fn new() -> (Upgrades, Offers) {
        let (send, offers) = channel();
        let waker = Waker::default();
        let listener = Upgrades { offers, waker: waker.clone(), settled: None, is_under_way: false, now: 0 };
        (listener, Offers { send, waker })
    }

    fn begin(&mut self, session: &mut Session, offer: Offer) {
        let Offer { name, policy, system, arguments, terms, settled } = offer;
        let begun = Candidate::new(policy, &system, &arguments)
            .map_err(|error| error.to_string())
            .and_then(|candidate| session.replace(candidate, terms).map_err(|error| error.to_string()));
        match begun {
            Ok(()) => {
                info!(policy = name, "a new policy is compared with the one in force");
                (self.settled, self.is_under_way) = (Some(settled), true);
            }
            Err(error) => warn!(policy = name, error, "the new policy is not taken, the one in force goes on"),
        }
    }
}

impl Listener for Upgrades {
    fn begins(&mut self, wake: Wake) {
        // What was under way when this process led before has ended with that session.
        (self.settled, self.is_under_way) = (None, false);
        self.waker.set(wake);
    }

    fn tick(&mut self, now: i64, talk: Option<&mut Talk>) {
        self.now = now;
        let Some(talk) = talk.filter(|_| !self.is_under_way) else { return };
        if let Ok(offer) = self.offers.try_recv() {
            self.begin(talk.session_mut(), offer);
        }
    }

    fn due(&self) -> Option<i64> {
        self.is_under_way.then(|| self.now.saturating_add(TURN))
    }

    fn turned(&mut self, turn: &Turn, _: &Session, _: Option<i64>) {
        for transition in turn.steps.iter().flat_map(|step| &step.replacement) {
            if !transition.to.is_final() {
                continue;
            }
            self.is_under_way = false;
            let settled = self.settled.take();
            if let (State::Done, Some(settled)) = (transition.to, settled) {
                settled();
            }
        }
    }
}
