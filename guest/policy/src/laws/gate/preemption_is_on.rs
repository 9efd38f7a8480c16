//! Nobody makes way in a partition whose preemption is turned off.
//!
//! `preemption.enabled: false` of the partition. It does not concern a pod of a DaemonSet, which is owed its node.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "preemption-is-on",
    question: Question::Gate,
    sentence: "preemption is not turned off for the queue of the preemptor",
    file: include_str!("preemption_is_on.rs"),
};

/// Whether the queue of the asking pod lets it preempt.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let queue = case.preemptor.queue.and_then(|queue| case.cluster.queue(queue));
    if case.preemptor.required_node_reservation.is_none() && queue.is_some_and(|queue| queue.policy.frozen) {
        return Err(Denial::Fact("preemption is turned off"));
    }
    Ok(())
}
