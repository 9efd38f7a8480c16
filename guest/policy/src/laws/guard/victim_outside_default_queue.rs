//! Pods of the default queue make way for nobody.
//!
//! Pods that nobody gave a queue are nobody's to take. In force where the arguments say so.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-outside-default-queue",
    question: Question::Guard,
    sentence: "pods of the default queue make way for nobody",
    file: include_str!("victim_outside_default_queue.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let queue = candidate.queue.and_then(|queue| case.cluster.queue(queue));
    if queue.is_some_and(|queue| queue.is_default) {
        return Err(Denial::Fact("it belongs to the default queue, which is not preempted"));
    }
    Ok(())
}
