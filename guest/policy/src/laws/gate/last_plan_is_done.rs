//! # What it demands
//!
//! No victim of the last plan for the job still holds a node while one of its preemptors waits. A plan made before this policy
//! was started shows in the cluster: a pod of the job is nominated to a node, and a pod of lower priority leaves that node
//! because it was preempted, because it is marked for eviction, or because it is of the same queue.
//!
//! # Example
//!
//! A plan evicts 4 pods for a job of 2. Three have left. The job waits for the fourth, even if a cheaper victim appears
//! meanwhile.
//!
//! # Why
//!
//! Victims may leave slowly, above all where another component deletes them. Without this law each attempt would evict more.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator), PostFilter 7. Upstream:
//! <https://github.com/koordinator-sh/koordinator/blob/a7a1b76b/pkg/scheduler/plugins/coscheduling/core/preemption.go>.
//!
//! # Options
//!
//! None.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "last-plan-is-done",
        sentence: "a job whose last plan is under way gets no second plan",
        templates: &[
            ("plan", "waiting for preemption: {left} victims of plan {plan} have not left yet"),
            (
                "",
                "waiting for preemption: a pod is still leaving (not eligible due to terminating pod on the nominated node)",
            ),
        ],
        file: page!("last_plan_is_done.rs"),
    },
    holds,
)
.retry_after(ChangeKind::ALL);

/// Checks that no plan for the preemptor is in flight.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    if let Some((plan, left)) = case.ledger.victims_left_for(case.cluster, &case.preemptor.pods) {
        return Err(Denial::PlanInFlight { plan, left });
    }
    let leaving = case.preemptor.pods.iter().any(|pod| leaves_the_nominated_node(case, *pod));
    if leaving { Err(Denial::Case("")) } else { Ok(()) }
}

fn leaves_the_nominated_node(case: &LawContext<'_>, pod: crate::model::PodIx) -> bool {
    let Some(pod) = case.cluster.pod(pod) else { return false };
    let Some(node) = pod.state.nominated.and_then(|node| case.cluster.node(node)) else { return false };
    node.pods.iter().filter_map(|other| case.cluster.pod(*other)).any(|other| {
        other.priority() < pod.priority()
            && other.is_leaving()
            && (other.state.preempted || other.attributes.marked_for_eviction || other.queue == pod.queue)
    })
}
