//! # What it demands
//!
//! On the nominated node of the preemptor, for every resource it requests: it does not fit now, and it would fit without the pods
//! that are held there at Permit. Then it waits. Only pods of no lower priority and of other gangs count as held. Room promised
//! to other nominated pods stays theirs where they have no lower priority, or where it is closed to the preemptor.
//!
//! # Example
//!
//! A node has 4 cpu, and 4 were promised to pod `a`. A pod of higher priority took them and waits at Permit for its gang. Pod `a`
//! waits, too, and evicts no other pod.
//!
//! # Why
//!
//! If the held gang is rejected, the room is there again. Without this law the pods that left for `a` would be created again,
//! take the room behind it and be evicted again, without end. If the held gang is bound, the room is lost and the pod starts
//! anew.
//!
//! # Source
//!
//! Seed 20200116 (coscheduling), UnReserve; seed 20240115 (Koordinator), PostFilter 7. Both are silent about room held at Permit.
//!
//! # Options
//!
//! None.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};
use crate::model::{PodInfo, PodLocation};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "its-room-is-not-held-at-permit",
        sentence: "the room that was promised to the preemptor is not held at Permit by others",
        templates: &[("", "waiting for its room: a pod that may yet be rejected is held there at permit")],
        file: page!("its_room_is_not_held_at_permit.rs"),
    },
    holds,
)
.retry_after(ChangeKind::ALL);

/// Checks that the preemptor need not wait for pods that hold the capacity of its nominated node at Permit.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some(preemptor) = case.cluster.pod(case.preemptor.pod) else { return Ok(()) };
    let Some((ix, node)) = preemptor.state.nominated.and_then(|ix| Some((ix, case.cluster.node(ix)?))) else {
        return Ok(());
    };
    let ours = case.preemptor.job.map(|job| case.cluster.gang_group(job)).unwrap_or_default();
    let is_held = |pod: &&PodInfo| {
        let is_ours = pod.attributes.job.is_some_and(|job| ours.contains(&job));
        matches!(pod.state.location, PodLocation::Reserved(_)) && pod.priority() >= preemptor.priority() && !is_ours
    };
    let held: Vec<&PodInfo> = node.pods.iter().filter_map(|ix| case.cluster.pod(*ix)).filter(is_held).collect();
    let (priority, closed) = (preemptor.priority(), &case.preemptor.closed_nominations);
    let promised = case.cluster.blocking_nominations_from(node, case.preemptor.pod, priority, closed);
    let promised: Vec<&PodInfo> = promised.map(|(_, pod)| pod).collect();
    let fits_with = |more: &[&PodInfo]| {
        preemptor.request().iter().all(|(resource, asked)| {
            let sum = |pods: &[&PodInfo]| {
                pods.iter().fold(0, |sum: i64, pod| sum.saturating_add(pod.request().get(resource)))
            };
            let room = node.free.get(resource).saturating_add(sum(more)).saturating_sub(sum(&promised));
            asked <= room
        })
    };
    if case.cluster.eligible(preemptor.requirements.shape, ix) && !fits_with(&[]) && fits_with(&held) {
        return Err(Denial::Case(""));
    }
    Ok(())
}
