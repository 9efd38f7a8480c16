//! Where a plan places somebody, there is room when the victims are gone.

use std::collections::{BTreeMap, BTreeSet};

use lictor_policy::contract::{NodeId, PodId};

use super::{Ground, Proposal, Violation, allocatable};

/// On every nominated node the pods nominated there fit beside what stays and what is promised to others.
///
/// Who stays: bound pods and pods held at permit that are no victim, not released by the same answer, not leaving by an
/// earlier plan and not being deleted. Promised is the room of pods that earlier plans nominated, unless they are of lower
/// priority than everybody this plan places there, or lose the nomination by the same answer.
pub(super) fn check(ground: &Ground<'_>, proposal: &Proposal<'_>) -> Result<(), Violation> {
    let plan = proposal.plan;
    let mut by_node: BTreeMap<NodeId, Vec<PodId>> = BTreeMap::new();
    for nomination in &plan.nominations {
        by_node.entry(nomination.node).or_default().push(nomination.pod);
    }
    let going: BTreeSet<PodId> = plan.victims.iter().map(|victim| victim.pod).collect();
    let placed: BTreeSet<PodId> = plan.nominations.iter().map(|nomination| nomination.pod).collect();
    let stays = |pod: PodId| {
        !going.contains(&pod)
            && !proposal.effects.releases.contains(&pod)
            && !ground.mirror.pod(pod).is_some_and(|pod| pod.terminating)
            && ground
                .departures
                .leaving(ground.mirror, ground.occupancy, pod)
                .is_none()
    };
    by_node.iter().try_for_each(|(node, comers)| {
        let least = comers.iter().map(|pod| priority(ground, *pod)).min();
        let promised: Vec<PodId> = (ground.occupancy.promised(*node))
            .filter(|pod| !placed.contains(pod) && !proposal.effects.withdrawn.contains(pod))
            .filter(|pod| Some(priority(ground, *pod)) >= least)
            .collect();
        room(ground, *node, stays, &promised, comers)
    })
}

/// The comers fit on the node beside those who stay and those who were promised room.
pub(super) fn room(
    ground: &Ground<'_>,
    id: NodeId,
    stays: impl Fn(PodId) -> bool,
    promised: &[PodId],
    comers: &[PodId],
) -> Result<(), Violation> {
    let node = ground.mirror.node(id).ok_or(Violation::UnknownNode(id))?;
    let everybody: Vec<PodId> = promised.iter().chain(comers).copied().collect();
    let before = ground.occupancy.load_with(ground.mirror, id, &stays, promised);
    let after = ground.occupancy.load_with(ground.mirror, id, &stays, &everybody);
    for (resource, known) in (0..).zip(ground.mirror.resources()) {
        let has = allocatable(ground.mirror, node, resource);
        if after.get(resource) > before.get(resource) && after.get(resource) > i128::from(has) {
            return Err(Violation::NoRoom {
                id,
                node: node.name.clone(),
                resource: known.name.clone(),
                allocatable: has,
                taken: before.get(resource),
                wanted: after.get(resource).saturating_sub(before.get(resource)),
            });
        }
    }
    Ok(())
}

/// The priority of a pod; 0 where it has none.
fn priority(ground: &Ground<'_>, pod: PodId) -> i32 {
    ground.mirror.pod(pod).and_then(|pod| pod.priority).unwrap_or(0)
}
