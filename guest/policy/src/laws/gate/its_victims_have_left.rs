//! # What it demands
//!
//! No victim of the last plan of the preemptor holds a node, and no pod is leaving the node that the preemptor is nominated to.
//!
//! # Example
//!
//! A plan evicts 2 pods for pod `a`. One has left, one is terminating. The next attempt for `a` evicts no pod.
//!
//! # Why
//!
//! Each attempt would otherwise evict more. A pod that finds its room taken in spite of all starts anew.
//!
//! # Source
//!
//! YuniKorn asks once per pod: CheckPreconditions in
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/preemption.go>. The ruling here is to ask again
//! when the victims have left.
//!
//! # Options
//!
//! None.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};
use crate::model::PodInfo;

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "its-victims-have-left",
        sentence: "a preemptor whose victims are still leaving evicts no other pod",
        templates: &[
            ("plan", "waiting for preemption: {left} victims of plan {plan} have not left yet"),
            ("", "waiting for preemption: a pod is still leaving the nominated node"),
        ],
        file: page!("its_victims_have_left.rs"),
    },
    holds,
)
.retry_after(ChangeKind::ALL);

/// Checks that no victim of the last plan of the preemptor is still leaving, nor any pod on its nominated node.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    if let Some((plan, left)) = case.ledger.victims_left_for(case.cluster, &case.preemptor.pods) {
        return Err(Denial::PlanInFlight { plan, left });
    }
    let nominated = case.cluster.pod(case.preemptor.pod).and_then(|pod| pod.state.nominated);
    let node = nominated.and_then(|node| case.cluster.node(node));
    let there = node.into_iter().flat_map(|node| &node.pods).filter_map(|ix| case.cluster.pod(*ix));
    match there.into_iter().any(PodInfo::is_leaving) {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}
