//! The last plan for the job is no longer under way.
//!
//! Victims may leave slowly, above all where somebody else deletes them. Until the last one is gone no second plan is made, even
//! if a cheaper victim turns up meanwhile: otherwise each attempt would evict more.
//!
//! A plan is under way while one of its victims still holds a node and one of its preemptors still waits for one. What was
//! planned before this policy was started shows in the cluster: a pod of the job is nominated to a node on which a pod of lower
//! priority is leaving because it was preempted, because it is marked for eviction, or as a pod of the same queue.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "last-plan-is-done",
    question: Question::Gate,
    sentence: "the last plan for the job is no longer under way",
    file: include_str!("last_plan_is_done.rs"),
};

/// Whether no plan for the asker is under way.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    if let Some((plan, left)) = case.ledger.underway(case.cluster, &case.preemptor.pods) {
        return Err(Denial::Underway { plan, left });
    }
    let leaving = case.preemptor.pods.iter().any(|pod| leaves_the_nominated_node(case, *pod));
    if leaving {
        Err(Denial::Fact("waiting for preemption: a pod is still leaving the nominated node"))
    } else {
        Ok(())
    }
}

fn leaves_the_nominated_node(case: &Case<'_>, pod: crate::model::PodIx) -> bool {
    let Some(pod) = case.cluster.pod(pod) else { return false };
    let Some(node) = pod.nominated.and_then(|node| case.cluster.node(node)) else { return false };
    node.pods.iter().filter_map(|other| case.cluster.pod(*other)).any(|other| {
        other.priority() < pod.priority()
            && other.is_leaving()
            && (other.preempted || other.attributes.marked || other.queue == pod.queue)
    })
}
