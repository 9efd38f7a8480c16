//! # What it demands
//!
//! A nominated pod waits while a pod is leaving its nominated node because a scheduler preempted it. Neither the priority of that pod nor its
//! quota matters, nor what the quotas use by now, nor for which pod it was preempted.
//!
//! # Example
//!
//! Pod `a` of priority 0 takes back room from pod `b` of priority 10 in another quota. Until `b` has ended, `a` evicts no other pod.
//!
//! # Why
//!
//! The room is on its way. Between quotas a victim may have any priority. Its quota may have given up more since the plan was made, and other
//! pods of the preemptor's quota may have taken free nodes: the victim leaves all the same, and if the preemptor gave up its nomination
//! then, it would leave in vain. A pod that was preempted for another one leaves a promise there, too: the room of the preemptor shows when it
//! has left.
//!
//! # Source
//!
//! scheduler-plugins pkg/capacityscheduling and kube-scheduler defaultpreemption: PodEligibleToPreemptOthers, which waits for pods of lower
//! priority alone, and in quotas only as long as these are still within and over their minimums. Reference R50.
//!
//! # Options
//!
//! None.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "no-preempted-pod-is-leaving",
        sentence: "no pod that was preempted is still leaving the nominated node of the preemptor",
        templates: &[(
            "",
            "waiting for preemption: a pod that was preempted is still leaving (not eligible due to a terminating pod on the nominated node)",
        )],
        file: page!("no_preempted_pod_is_leaving.rs"),
    },
    holds,
)
.retry_after(&[
    ChangeKind::PodUpserted,
    ChangeKind::PodRemoved,
    ChangeKind::NodeUpserted,
    ChangeKind::NodeRemoved,
    ChangeKind::ObjectUpserted,
    ChangeKind::ObjectRemoved,
]);

/// Checks whether the preemptor need not wait for its nominated node.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    match case.terminating_on_nominated_node().next() {
        Some(_) => Err(Denial::Case("")),
        None => Ok(()),
    }
}
