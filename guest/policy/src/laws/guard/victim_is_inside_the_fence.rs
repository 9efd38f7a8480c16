//! A victim is inside the preemption fence of the preemptor.
//!
//! The fence is the nearest queue with `preemption.policy: fence` from the preemptor's own up; on the root it has no effect. A victim is of
//! that queue or one below it. It is one-way: a fence on the victim's side keeps nobody out.
//!
//! A pod of a DaemonSet is owed its node, whoever is there.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-inside-the-fence",
    question: Question::Guard,
    sentence: "a victim is inside the preemption fence of the preemptor",
    file: include_str!("victim_is_inside_the_fence.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    if case.preemptor.required_node_reservation.is_some() {
        return Ok(());
    }
    let mut path = case.cluster.path(case.preemptor.queue);
    let fence = path.find(|(_, queue)| queue.policy.fenced && queue.parent.is_some());
    match fence {
        Some((fence, _)) if !case.cluster.is_below(candidate.queue, fence) => {
            Err(Denial::Fact("it is outside the preemption fence of the preemptor"))
        }
        _ => Ok(()),
    }
}
