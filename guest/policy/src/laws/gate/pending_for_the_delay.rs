//! Others make way for a pod only when it has been pending for the preemption delay of its queue.
//!
//! The delay is that of the leaf, 30 seconds where it names none; a delay on a parent has no effect. A pod has been pending since it
//! became known; at the very moment the delay has passed it may. A pod of a DaemonSet does not wait: its node is its own.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "pending-for-the-delay",
    question: Question::Gate,
    sentence: "the preemptor has been pending for the preemption delay of its queue",
    file: include_str!("pending_for_the_delay.rs"),
};

/// Whether the asking pod has waited long enough.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    if case.preemptor.required_node_reservation.is_some() {
        return Ok(());
    }
    let delay = case.preemptor.queue.and_then(|queue| case.cluster.queue(queue)).map_or(0, |queue| queue.policy.delay);
    let entered = case.cluster.pod(case.preemptor.pod).map_or(0, |pod| pod.entered);
    let waited = case.cluster.now().saturating_sub(entered);
    if waited >= delay { Ok(()) } else { Err(Denial::TooSoon { waited, delay }) }
}
