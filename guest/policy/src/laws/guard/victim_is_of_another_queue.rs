//! A victim is of another queue than the preemptor.
//!
//! Preemption moves resources between queues; within one it would only swap pods. A pod of a DaemonSet is owed its node and takes
//! from its own queue as well.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-of-another-queue",
    question: Question::Guard,
    sentence: "a victim is of another queue than the preemptor",
    file: include_str!("victim_is_of_another_queue.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match case.preemptor.required_node_reservation.is_none() && candidate.queue == case.preemptor.queue {
        true => Err(Denial::Fact("it is of the same queue")),
        false => Ok(()),
    }
}
