//! Preemption stays within the queue.
//!
//! What another queue holds is a matter of what the queues deserve, not of the priorities of their jobs.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-of-the-same-queue",
    question: Question::Guard,
    sentence: "preemption stays within the queue",
    file: include_str!("victim_is_of_the_same_queue.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match candidate.queue == case.preemptor.queue {
        true => Ok(()),
        false => Err(Denial::Fact("it is of another queue")),
    }
}
