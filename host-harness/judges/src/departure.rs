//! The rulings by which a policy departs from upstream, and the situations in which they apply.

use lictor_oracle::System;
use serde_json::Value;

use crate::answer::Answer;
use crate::kubernetes;

/// A ruling by which a policy departs from upstream.
#[derive(Debug, Clone, Copy)]
pub struct Departure {
    /// The id of the ruling in the manual of the system.
    pub id: &'static str,
    /// What upstream does.
    pub upstream: &'static str,
    /// What the policy does.
    pub policy: &'static str,
    /// Whether the situation is the one of the ruling.
    pub(crate) applies: fn(&Situation<'_>) -> bool,
}

/// One attempt, of which policy and upstream may judge differently.
pub(crate) struct Situation<'s> {
    /// The cluster before the attempt.
    pub(crate) objects: &'s [Value],
    /// The pod that is tried.
    pub(crate) pod: &'s Value,
    /// The outcome of the policy, in the format of `lictor test --output json`.
    pub(crate) outcome: &'s Value,
    pub(crate) answer: &'s Answer,
}

/// Returns the departures of a system, in the order in which they are tried.
pub fn departures(system: System) -> &'static [Departure] {
    match system {
        System::Kubernetes => kubernetes::DEPARTURES,
        System::Coscheduling | System::Koordinator | System::Yunikorn | System::Volcano => &[],
    }
}
