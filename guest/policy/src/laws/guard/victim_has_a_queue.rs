//! A victim is of a queue.
//!
//! Pods that another scheduler placed, and pods in no queue, take room on their node and are nobody's victims.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-has-a-queue",
    question: Question::Guard,
    sentence: "a victim is of a queue",
    file: include_str!("victim_has_a_queue.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(_: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match candidate.queue {
        Some(_) => Ok(()),
        None => Err(Denial::Fact("it is of no queue: another scheduler placed it, or its queue is not known")),
    }
}
