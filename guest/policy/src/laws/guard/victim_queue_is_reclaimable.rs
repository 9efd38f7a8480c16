//! A queue that is not reclaimable gives nothing to others.
//!
//! Within the queue its elastic pods still make way for its normal ones.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-queue-is-reclaimable",
    question: Question::Guard,
    sentence: "a queue that is not reclaimable gives nothing to others",
    file: include_str!("victim_queue_is_reclaimable.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let queue = candidate.queue.and_then(|queue| case.cluster.queue(queue));
    let reclaimable = queue.is_some_and(|queue| queue.spec.reclaimable);
    match candidate.queue.is_some() && (candidate.queue == case.preemptor.queue || reclaimable) {
        true => Ok(()),
        false => Err(Denial::Fact("its queue is not reclaimable")),
    }
}
