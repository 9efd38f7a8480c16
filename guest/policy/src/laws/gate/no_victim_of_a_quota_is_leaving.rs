//! # What it demands
//!
//! A pod within the minimum of its quota waits while a pod of another quota that is over its minimum is leaving the nominated node,
//! because a scheduler preempted it. The priority of that pod does not matter.
//!
//! # Example
//!
//! Pod `a` of priority 0 takes back room from pod `b` of priority 10 in another quota. Until `b` has ended, `a` evicts no other pod.
//!
//! # Why
//!
//! The room is on its way. Between quotas a victim may have any priority.
//!
//! # Source
//!
//! scheduler-plugins pkg/capacityscheduling: PodEligibleToPreemptOthers.
//!
//! # Options
//!
//! `spec.min` of the ElasticQuotas.

use crate::contract::ChangeKind;
use crate::laws::{Case, Denial, Holds, Law, Text, page, quota};

/// The law.
pub const LAW: Law<Holds> = Law::gate(
    Text {
        name: "no-victim-of-a-quota-is-leaving",
        sentence: "no pod that was preempted in another quota for the preemptor is still leaving its nominated node",
        templates: &[(
            "",
            "waiting for preemption: a pod of another @queue is still leaving (not eligible due to a terminating pod on the nominated node)",
        )],
        file: page!("no_victim_of_a_quota_is_leaving.rs"),
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

/// Whether the preemptor need not wait for its nominated node.
fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let borrowed = |quota| Some(quota) != case.preemptor.queue && quota::is_over_min(case.cluster, quota, |_| 0);
    if !case.awaited().any(|pod| pod.queue.is_some_and(borrowed)) {
        return Ok(());
    }
    // The pod waits for its own victims, whatever the other pods of its gang ask for.
    let alone = case.preemptor.clone().with(case.cluster, vec![case.preemptor.pod]);
    match alone.takes_back {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}
