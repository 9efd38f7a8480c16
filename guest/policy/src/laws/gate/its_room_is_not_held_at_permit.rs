//! The room that the preemptor was promised is not held at Permit by others who rank no lower.
//!
//! A pod of higher priority may take room that another one was promised, and be held there at Permit until its gang is complete.
//! If the gang is rejected the room is there again. Until that is known the promise stands, and its pod makes nobody else leave:
//! the pods that went for it would be created anew, take the room behind it, and be evicted for it again, for ever. Where the gang is
//! bound the room is lost, and the pod begins from the start.
//!
//! On the nominated node, for every resource that the pod asks for: `asked <= free + held - promised to others`, and not without what is
//! held. Held is what pods of no lower priority hold there at Permit, those of its own gang apart; promised what other nominated pods
//! of no lower priority ask for.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Place, Pod};

/// See the module.
pub const LAW: Law = Law {
    name: "its-room-is-not-held-at-permit",
    question: Question::Gate,
    sentence: "nobody is held at Permit in the room that the preemptor was promised",
    file: include_str!("its_room_is_not_held_at_permit.rs"),
};

/// Whether the asker need not wait for what is held at Permit.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Some(preemptor) = case.cluster.pod(case.preemptor.pod) else { return Ok(()) };
    let Some((ix, node)) = preemptor.nominated.and_then(|ix| Some((ix, case.cluster.node(ix)?))) else { return Ok(()) };
    let ours = case.preemptor.job.map(|job| case.cluster.gang_group(job)).unwrap_or_default();
    let is_held = |pod: &&Pod| {
        let is_ours = pod.attributes.job.is_some_and(|job| ours.contains(&job));
        matches!(pod.place, Place::Reserved(_)) && pod.priority() >= preemptor.priority() && !is_ours
    };
    let held: Vec<&Pod> = node.pods.iter().filter_map(|ix| case.cluster.pod(*ix)).filter(is_held).collect();
    let promised: Vec<&Pod> = case.cluster.promised(node, case.preemptor.pod).map(|(_, pod)| pod).collect();
    let fits_with = |more: &[&Pod]| {
        preemptor.request.iter().all(|(resource, asked)| {
            let sum =
                |pods: &[&Pod]| pods.iter().fold(0, |sum: i64, pod| sum.saturating_add(pod.request.get(resource)));
            let room = node.free.get(resource).saturating_add(sum(more)).saturating_sub(sum(&promised));
            asked <= room
        })
    };
    if case.cluster.eligible(preemptor.shape, ix) && !fits_with(&[]) && fits_with(&held) {
        return Err(Denial::Fact("waiting for its room: a pod is held there at permit that may yet be rejected"));
    }
    Ok(())
}
