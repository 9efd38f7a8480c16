//! What gangs and pods demand of networks, NUMA nodes and devices, which no law judges.

use serde_json::Value;

use super::gangs::GangGroupMember;
use super::view::{KoordinatorSituation, allocatable, gang, is_tryable, requests};
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

/// Returns whether the job takes devices of which the sums of nodes do not say what is free: a node has several, or counts them by two names.
pub(super) fn shares_devices(it: &KoordinatorSituation<'_>) -> bool {
    let requested = requests(it.pending_job(it.pod).into_iter().chain([it.pod]));
    let takes = |resource: &str| requested.get(resource).is_some_and(|amount| *amount > 0);
    let has = |node: &Value, resource: &str, more_than: i64| allocatable(node, resource) > more_than;
    let is_unknown = |node: &Value| {
        let several = GPUS.iter().any(|resource| takes(resource) && has(node, resource, 100));
        let counts = GPUS.iter().any(|resource| has(node, resource, 0)) && has(node, WHOLE_GPUS, 0);
        several || counts && (takes(WHOLE_GPUS) || GPUS.iter().any(|resource| takes(resource)))
    };
    let mut nodes = it.question.objects.iter().filter(|object| text(object, "/kind") == "Node");
    it.policy.first() == "pod-demands-are-known" && nodes.any(is_unknown)
}

/// Returns whether the gang needs another pod that demands a NUMA node: it is not complete with all pods at Permit that may be tried and
/// demand none.
pub(super) fn needs_a_pod_of_a_numa_node(it: &KoordinatorSituation<'_>) -> bool {
    let waiting = it.pending_job(it.pod);
    let judged = waiting.iter().filter(|pod| is_tryable(pod) && !demands_a_numa_node(pod)).count();
    let gangs = it.gangs();
    let mut own = gangs.iter().filter(|own| own.name == gang(it.pod));
    it.policy.first() == "pod-demands-are-known"
        && !demands_a_numa_node(it.pod)
        && waiting.iter().any(|pod| demands_a_numa_node(pod))
        && own.any(|own| !it.is_complete(own, judged))
}

/// Returns whether another gang of the group, which is not complete, demands a topology, which is not judged.
pub(super) fn a_gang_must_gather(it: &KoordinatorSituation<'_>) -> bool {
    let is_other = |other: &GangGroupMember<'_>| other.name != gang(it.pod) && !it.is_complete(other, 0);
    let demands = |other: &GangGroupMember<'_>| it.annotation(other, "network-topology-spec").contains("MustGather");
    it.policy.first() == "gang-demands-are-known" && it.gangs().iter().any(|other| is_other(other) && demands(other))
}
