//! # What it demands
//!
//! No pod of lower priority on the nominated node is being deleted because a scheduler preempted it.
//!
//! # Example
//!
//! Pod `a` is nominated to `n1`, where its victim has 30 seconds to end. Until then `a` evicts no other pod.
//!
//! # Why
//!
//! The room is on its way. A pod that is deleted for another reason does not count, and neither does a nominated node that can no
//! longer take the preemptor (a taint, a selector, its size): then the preemptor may preempt elsewhere.
//!
//! # Source
//!
//! kube-scheduler defaultpreemption, PodEligibleToPreemptOthers; issue kubernetes/kubernetes 92600.
//!
//! # Options
//!
//! None.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "no-victim-is-leaving",
        sentence: "no pod that was preempted for the preemptor is still leaving its nominated node",
        templates: &[(
            "",
            "waiting for preemption: a pod is still leaving (not eligible due to terminating pod on the nominated node)",
        )],
        file: page!("no_victim_is_leaving.rs"),
    },
    holds,
)
.retry_after(ChangeKind::ALL);

/// Checks that the preemptor need not wait for victims on its nominated node.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some(preemptor) = case.cluster.pod(case.preemptor.pod) else { return Ok(()) };
    match case.terminating_on_nominated_node().any(|pod| pod.priority() < preemptor.priority()) {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}
