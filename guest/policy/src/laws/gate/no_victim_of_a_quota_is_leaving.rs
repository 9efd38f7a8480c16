//! # What it demands
//!
//! A pod with a quota waits while a pod of another quota, or of none, is leaving the nominated node because a scheduler preempted it. The
//! priority of that pod does not matter, nor what the two quotas use by now, nor for which pod it was preempted.
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
//! scheduler-plugins pkg/capacityscheduling: PodEligibleToPreemptOthers, which waits only as long as the quotas are still within and over
//! their minimums. Reference R50.
//!
//! # Options
//!
//! None.

use crate::contract::ChangeKind;
use crate::laws::{Case, Denial, Holds, Law, Text, page};

/// The law.
pub const LAW: Law<Holds> = Law::gate(
    Text {
        name: "no-victim-of-a-quota-is-leaving",
        sentence: "no pod that was preempted in another quota for the preemptor is still leaving its nominated node",
        templates: &[(
            "",
            "waiting for preemption: a pod of another @queue, or of none, is still leaving (not eligible due to a terminating pod on the nominated node)",
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
    let Some(own) = case.preemptor.queue else { return Ok(()) };
    match case.awaited().any(|pod| pod.queue != Some(own)) {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}
