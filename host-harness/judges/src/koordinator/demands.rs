//! What gangs and pods demand of networks, NUMA nodes and devices, which no law judges.

use serde_json::Value;

use super::gangs::GangGroupMember;
use super::view::{KoordinatorSituation, allocatable, gang, requests};
use crate::object::text;

/// What a pod demands of NUMA nodes.
const NUMA_SPEC: &str = "/metadata/annotations/scheduling.koordinator.sh~1numa-topology-spec";

/// The resources by which pods take a GPU, in percent, and whole.
const GPUS: [&str; 2] = ["koordinator.sh/gpu-core", "koordinator.sh/gpu-memory-ratio"];
const WHOLE_GPUS: &str = "nvidia.com/gpu";

/// Returns whether a pod demands a NUMA node.
pub(super) fn demands_a_numa_node(pod: &Value) -> bool {
    pod.pointer(NUMA_SPEC).is_some()
}

/// Returns whether the job takes devices that are not judged, and the policy refuses the pod for it.
pub(super) fn shares_devices(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.first() == "pod-demands-are-known"
        && take_unjudged_devices(it, &mut it.pending_job(it.pod).into_iter().chain([it.pod]))
}

/// Returns whether no law judges what a pod demands: a NUMA node, or devices.
pub(super) fn is_not_judged(it: &KoordinatorSituation<'_>, pod: &Value) -> bool {
    demands_a_numa_node(pod) || take_unjudged_devices(it, &mut [pod].into_iter())
}

/// Returns whether pods take devices of which the sums of nodes do not say what is free: a node has several, or counts them by two names.
fn take_unjudged_devices(it: &KoordinatorSituation<'_>, pods: &mut dyn Iterator<Item = &Value>) -> bool {
    let requested = requests(pods);
    let takes = |resource: &str| requested.get(resource).is_some_and(|amount| *amount > 0);
    let has = |node: &Value, resource: &str, more_than: i64| allocatable(node, resource) > more_than;
    let is_unknown = |node: &Value| {
        let several = GPUS.iter().any(|resource| takes(resource) && has(node, resource, 100));
        let counts = GPUS.iter().any(|resource| has(node, resource, 0)) && has(node, WHOLE_GPUS, 0);
        several || counts && (takes(WHOLE_GPUS) || GPUS.iter().any(|resource| takes(resource)))
    };
    it.question.objects.iter().filter(|object| text(object, "/kind") == "Node").any(is_unknown)
}

/// Returns whether the gang needs another pod that demands a NUMA node: it is not complete with all pods at Permit that may be tried and
/// demand none.
pub(super) fn needs_a_pod_of_a_numa_node(it: &KoordinatorSituation<'_>) -> bool {
    let gangs = it.gangs();
    let mut own = gangs.iter().filter(|own| own.name == gang(it.pod));
    it.policy.first() == "pod-demands-are-known"
        && !demands_a_numa_node(it.pod)
        && own.any(|own| it.needs_one_of(own, demands_a_numa_node))
}

/// Returns whether a gang of the group needs a pod that demands a NUMA node, and the policy makes no plan for it.
pub(super) fn group_needs_a_pod_of_a_numa_node(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.laws.iter().any(|law| law == "koordinator/pod-demands-are-known")
        && !demands_a_numa_node(it.pod)
        && it.gangs().iter().any(|gang| it.needs_one_of(gang, demands_a_numa_node))
}

/// Returns whether another gang of the group, which is not complete, demands a topology, which is not judged.
pub(super) fn a_gang_must_gather(it: &KoordinatorSituation<'_>) -> bool {
    let is_other = |other: &GangGroupMember<'_>| other.name != gang(it.pod) && !it.is_complete(other, 0);
    let demands = |other: &GangGroupMember<'_>| it.annotation(other, "network-topology-spec").contains("MustGather");
    it.policy.first() == "gang-demands-are-known" && it.gangs().iter().any(|other| is_other(other) && demands(other))
}
