//! Groups: which pods belong to one, and what it needs.

use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::world::{ModelCluster, ModelPod, at};

/// The label that names the PodGroup of a pod.
const POD_GROUP: &str = "scheduling.x-k8s.io/pod-group";

/// Returns the group of a pod.
pub(super) fn group(pod: &ModelPod) -> Option<&str> {
    pod.label(POD_GROUP).or(pod.label("pod-group/name"))
}

/// Returns whether a pod gives up its place when another one of its group finds none. It does not where PreFilter refuses the other pod: that is
/// no failure (ruling R10), so the pod waits until its time is over.
pub(crate) fn fail_together(world: &ModelCluster, pod: &ModelPod, other: &ModelPod) -> bool {
    group(pod).is_some() && group(pod) == group(other) && may_be_tried(world, other).unwrap_or(false)
}

/// Returns whether PreFilter lets the group of a pod be tried.
pub(super) fn may_be_tried(world: &ModelCluster, pod: &ModelPod) -> Result<bool, ModelInputError> {
    let have = group(pod).map_or(0, |name| members(world, name).iter().filter(|pod| !pod.restrictions.gated).count());
    Ok(!is_missing(world, pod) && have >= minimum(world, pod) && minimum_is_free(world, pod)?)
}

/// Returns the PodGroup object of a pod; none where the pod names none, or where it is missing.
pub(super) fn object<'w>(world: &'w ModelCluster, pod: &ModelPod) -> Option<&'w serde_json::Value> {
    world.others.get(&("PodGroup".to_owned(), pod.label(POD_GROUP)?.to_owned()))
}

/// Returns whether a pod names a PodGroup that is missing.
pub(super) fn is_missing(world: &ModelCluster, pod: &ModelPod) -> bool {
    pod.label(POD_GROUP).is_some() && object(world, pod).is_none()
}

/// Returns how many members a group needs.
pub(super) fn minimum(world: &ModelCluster, pod: &ModelPod) -> usize {
    let written = pod.label("pod-group/min-available").and_then(|text| text.parse().ok());
    let declared = object(world, pod).and_then(|group| at(group, "/spec/minMember")?.as_u64());
    declared.and_then(|minimum| usize::try_from(minimum).ok()).or(written).unwrap_or(1)
}

/// Returns whether all nodes together have what minResources of the PodGroup names, and minMember places. The room of its pods counts as free.
fn minimum_is_free(world: &ModelCluster, pod: &ModelPod) -> Result<bool, ModelInputError> {
    let Some(written) = object(world, pod).and_then(|group| at(group, "/spec/minResources")) else { return Ok(true) };
    let mut needed = MilliAmounts::read(Some(written))?;
    needed.0.insert("pods".to_owned(), i64::try_from(minimum(world, pod)).unwrap_or(0) * 1000);
    let mut free = MilliAmounts::default();
    for node in world.nodes.values() {
        let mut left = world.free(node);
        left.0.values_mut().for_each(|amount| *amount = (*amount).max(0));
        free.add(&left);
        world.on(&node.name).filter(|other| group(other) == group(pod)).for_each(|other| free.add(&other.request));
    }
    Ok(needed.fits(&free))
}

/// Returns the members of a group that are not leaving or finished.
pub(super) fn members<'w>(world: &'w ModelCluster, name: &str) -> Vec<&'w ModelPod> {
    let alive = |pod: &&ModelPod| group(pod) == Some(name) && !pod.leaving && !pod.finished;
    world.pods.values().filter(alive).collect()
}

/// Returns how many members of a group are bound or wait at permit.
pub(super) fn allocated(world: &ModelCluster, name: &str) -> usize {
    members(world, name).iter().filter(|pod| pod.occupied_node().is_some()).count()
}

/// Returns whether victims leave for a group: with its nominated members it has every chance.
pub(super) fn is_planned(world: &ModelCluster, name: &str) -> bool {
    let nominated = members(world, name).iter().filter(|pod| pod.pending() && pod.nominated.is_some()).count();
    let first = members(world, name).first().map(|pod| minimum(world, pod));
    nominated > 0 && first.is_some_and(|minimum| allocated(world, name) + nominated >= minimum)
}

/// Returns whether two pods are of one group.
pub(crate) fn share_group(pod: &ModelPod, other: &ModelPod) -> bool {
    group(pod).is_some() && group(pod) == group(other)
}

/// Returns whether victims leave for the group of a pod.
pub(crate) fn has_a_plan(world: &ModelCluster, pod: &ModelPod) -> bool {
    group(pod).is_some_and(|group| is_planned(world, group))
}
