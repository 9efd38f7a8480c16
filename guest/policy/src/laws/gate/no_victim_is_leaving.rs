//! No pod that was preempted for this one is still leaving its nominated node.
//!
//! As long as a pod of lower priority is being deleted there because a scheduler preempted it, the preemptor waits for it and
//! evicts nobody else. A pod that is being deleted for another reason does not hold it up, nor does a nominated node that can no
//! longer take it whatever leaves (a taint, a selector, its size): then it may preempt elsewhere.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "no-victim-is-leaving",
    question: Question::Gate,
    sentence: "no pod that was preempted for this one is still leaving its nominated node",
    file: include_str!("no_victim_is_leaving.rs"),
};

/// Whether the asker need not wait for its nominated node.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Some(preemptor) = case.cluster.pod(case.preemptor.pod) else { return Ok(()) };
    let Some((ix, node)) = preemptor.nominated.and_then(|ix| Some((ix, case.cluster.node(ix)?))) else { return Ok(()) };
    let hopeless = !case.cluster.eligible(preemptor.shape, ix) || node.allocatable.lacks(&preemptor.request).is_some();
    let mut pods = node.pods.iter().filter_map(|pod| case.cluster.pod(*pod));
    let leaving = pods.any(|pod| pod.priority() < preemptor.priority() && pod.terminating && pod.preempted);
    if leaving && !hopeless {
        return Err(Denial::Fact("waiting for preemption: a pod is still leaving the nominated node"));
    }
    Ok(())
}
