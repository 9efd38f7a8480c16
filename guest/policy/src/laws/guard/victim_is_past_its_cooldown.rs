//! A victim has been running for its cooldown time.
//!
//! The time is the pod's own `cooldown-time` and counts from the moment it was placed; at exactly the end it may be evicted. A pod
//! that does not say when it was placed is not protected.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-past-its-cooldown",
    question: Question::Guard,
    sentence: "a victim has been running for its cooldown time",
    file: include_str!("victim_is_past_its_cooldown.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match candidate.attributes.task.protected_until {
        Some(until) if case.cluster.now() < until => Err(Denial::Fact("its cooldown time is not over")),
        _ => Ok(()),
    }
}
