//! Demands that the amounts of nodes do not answer: NUMA nodes, and devices that pods share, or name in two ways. An amount of a node is the sum over its devices and says nothing about any of them (issue 1136; ruling C32).

use super::gangs::Gangs;
use super::unplaced_pods;
use crate::amounts::MilliAmounts;
use crate::case::SystemKind;
use crate::demands::is_unjudged;
use crate::world::{ModelCluster, ModelNode, ModelPod};

/// Resources that count devices in percent.
const IN_PERCENT: [&str; 5] = [
    "koordinator.sh/gpu",
    "koordinator.sh/gpu-core",
    "koordinator.sh/gpu-memory-ratio",
    "koordinator.sh/fpga",
    "koordinator.sh/rdma",
];

/// The memory of devices, in bytes.
const MEMORY: &str = "koordinator.sh/gpu-memory";

/// The resources by which GPUs are counted in percent, or by their memory.
const GPUS: [&str; 4] = ["koordinator.sh/gpu", "koordinator.sh/gpu-core", "koordinator.sh/gpu-memory-ratio", MEMORY];

/// The names of the same GPUs as whole ones. Nodes count them apart.
const WHOLE_GPUS: [&str; 3] = ["nvidia.com/gpu", "amd.com/gpu", "dcu.com/gpu"];

/// 100 percent, in thousandths.
const DEVICE: i64 = 100_000;

/// The devices that a pod takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeviceUse {
    Nothing,
    WholeDevices,
    /// A part of some device, or an amount of memory on an unknown number of devices.
    APart,
}

impl DeviceUse {
    /// Reads what is requested.
    fn of(request: &MilliAmounts) -> DeviceUse {
        let counts = IN_PERCENT.map(|resource| request.get(resource));
        match (counts.iter().all(|count| *count <= 0), counts.iter().all(|count| count % DEVICE == 0)) {
            (true, _) if request.get(MEMORY) > 0 => DeviceUse::APart,
            (true, _) => DeviceUse::Nothing,
            (false, true) => DeviceUse::WholeDevices,
            (false, false) => DeviceUse::APart,
        }
    }
}

/// Returns whether nodes count GPUs by two names, and these pods use both: by what they request, or by what pods on these nodes request.
fn are_named_in_two_ways(world: &ModelCluster, pods: &[&ModelPod]) -> bool {
    let names = |amounts: &MilliAmounts, names: &[&str]| names.iter().any(|resource| amounts.get(resource) > 0);
    let counts_both = |node: &ModelNode| names(&node.allocatable, &GPUS) && names(&node.allocatable, &WHOLE_GPUS);
    let requested = |own| pods.iter().any(|pod| names(&pod.request, own));
    let used = |others| {
        let placed =
            |pod: &ModelPod| pod.occupied_node().and_then(|node| world.nodes.get(node)).is_some_and(counts_both);
        world.pods.values().any(|pod| placed(pod) && names(&pod.request, others))
    };
    match (requested(&GPUS), requested(&WHOLE_GPUS)) {
        (true, true) => world.nodes.values().any(counts_both),
        (true, false) => used(&WHOLE_GPUS),
        (false, true) => used(&GPUS),
        (false, false) => false,
    }
}

/// Returns whether the amounts of nodes decide where these pods fit. They always do where every node has at most one device of a kind. Otherwise
/// none of these pods may take a part of a device. If one of these pods takes a device, no pod that runs on a node with several devices may take
/// a part, either. And none of these pods may demand a NUMA node of its own.
pub(crate) fn are_decidable(world: &ModelCluster, pods: &[&ModelPod]) -> bool {
    if pods.iter().any(|pod| is_unjudged(SystemKind::Koordinator, pod)) {
        return false;
    }
    let has_several = |node: &str| {
        let node = world.nodes.get(node);
        node.is_some_and(|node| IN_PERCENT.iter().any(|resource| node.allocatable.get(resource) > DEVICE))
    };
    if are_named_in_two_ways(world, pods) {
        return false;
    }
    let takes: Vec<DeviceUse> = pods.iter().map(|pod| DeviceUse::of(&pod.request)).collect();
    if takes.iter().all(|takes| *takes == DeviceUse::Nothing) || !world.nodes.keys().any(|node| has_several(node)) {
        return true;
    }
    let shares = |pod: &ModelPod| {
        pod.occupied_node().is_some_and(has_several) && DeviceUse::of(&pod.request) == DeviceUse::APart
    };
    !takes.contains(&DeviceUse::APart) && !world.pods.values().any(shares)
}

/// Returns the cluster without those pods of the planned gangs whose demands are not judged, where the others of the gang suffice: they
/// count as pods with scheduling gates. Returns none where no pod is left out. The pod that is tried stays.
pub(super) fn without_unjudged(gangs: Gangs<'_>, tried: &ModelPod) -> Option<ModelCluster> {
    let mut left_out: Vec<&str> = Vec::new();
    for of in gangs.planned_with(tried) {
        let pods = unplaced_pods(gangs.world, &of);
        if are_decidable(gangs.world, &pods) {
            continue;
        }
        let (judged, others): (Vec<&ModelPod>, Vec<&ModelPod>) =
            pods.into_iter().partition(|pod| are_decidable(gangs.world, &[pod]));
        if !judged.is_empty() && gangs.is_complete_with(&of, judged.len()) {
            left_out.extend(others.iter().map(|pod| pod.name.as_str()).filter(|name| *name != tried.name));
        }
    }
    let mut after = if left_out.is_empty() { return None } else { gangs.world.clone() };
    for pod in after.pods.values_mut().filter(|pod| left_out.contains(&pod.name.as_str())) {
        pod.restrictions.gated = true;
    }
    Some(after)
}
