//! A victim is not of a queue whose preemption is disabled.
//!
//! `preemption.policy: disabled` of the queue or, where it has no policy of its own, of one above it. Its own pods may still make others
//! leave. A pod of a DaemonSet is owed its node, whatever that takes.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-queue-is-not-spared",
    question: Question::Guard,
    sentence: "a victim is not of a queue whose preemption is disabled",
    file: include_str!("victim_queue_is_not_spared.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let queue = candidate.queue.and_then(|queue| case.cluster.queue(queue));
    match case.preemptor.required_node_reservation.is_none() && queue.is_some_and(|queue| queue.policy.spared) {
        true => Err(Denial::Fact("preemption is disabled for its queue")),
        false => Ok(()),
    }
}
