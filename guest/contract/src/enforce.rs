//! `wit/enforce.wit`: what is evicted for no pod.

use serde::Serialize;

use super::{Mark, Reason, Retry, Victim};

/// The evictions by which one queue gives capacity back. No pod is nominated. The host carries out all of them, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Enforcement {
    /// Names it, from the numbers of plans: never used again by this instance. It is accepted or refused as a plan is.
    pub id: u64,
    /// The queue or quota, by name.
    pub queue: String,
    /// The pods that are evicted: pods on nodes that the policy decides about, none of which is leaving already.
    pub victims: Vec<Victim>,
    /// What to write on every victim.
    pub marks: Vec<Mark>,
    /// Why.
    pub reason: Reason,
}

/// The answer of `enforce`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Enforced {
    /// What queues give back now. No pod is a victim of two of them.
    pub enforcements: Vec<Enforcement>,
    /// When a queue that gives back nothing yet will, such as at the end of its delay.
    pub retry: Retry,
}
