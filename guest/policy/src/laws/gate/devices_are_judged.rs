//! # What it demands
//!
//! Where nodes have several devices of a kind, no waiting pod of the preemptor requests a share of one, and none requests whole ones while
//! pods on such nodes hold shares.
//!
//! # Example
//!
//! A node has two GPUs, and a pod holds 60 percent of each. A third pod of 60 percent is not tried: 80 percent are free in all, but on
//! neither GPU. Nor is a pod that requests a whole GPU.
//!
//! # Why
//!
//! The amounts of a node are sums over its devices. The sum of the rests of several devices says nothing about any of them, and
//! Koordinator allocates a share from one device. A refusal is seen, and names the resource.
//!
//! # Source
//!
//! Koordinator `pkg/scheduler/plugins/deviceshare`: requests of `koordinator.sh/gpu-core`, `gpu-memory-ratio`, `gpu`, `rdma` and `fpga` are
//! percentages of a device; up to 100 they are taken from one device. Issue 1136; ruling C32.
//!
//! # Options
//!
//! None.

use crate::contract::ChangeKind;
use crate::laws::{Case, Denial, Holds, Law, Text, page};
use crate::model::{Cluster, Pod, ResourceIx};

/// The law.
pub const LAW: Law<Holds> = Law::gate(
    Text {
        name: "devices-are-judged",
        sentence: "what a pod requests of devices can be judged by the sums of nodes",
        templates: &[
            ("", "the pod requests a share of a device (`{resource}`), and nodes have several: that is not judged here, so the pod is not tried"),
            ("held", "the pod requests whole devices (`{resource}`), and pods hold shares on nodes with several: what is free there is not judged here, so the pod is not tried"),
        ],
        file: page!("devices_are_judged.rs"),
    },
    holds,
)
.retry_after(&[ChangeKind::NodeUpserted, ChangeKind::PodRemoved]);

/// A whole device.
const WHOLE: i64 = 100;

/// The resources whose amounts are percentages of a device, and the memory of GPUs, which is taken from devices as well.
const PERCENTAGES: [&str; 5] = [
    "koordinator.sh/gpu-core",
    "koordinator.sh/gpu-memory-ratio",
    "koordinator.sh/gpu",
    "koordinator.sh/rdma",
    "koordinator.sh/fpga",
];
const MEMORY: &str = "koordinator.sh/gpu-memory";

/// Returns whether no waiting pod of the preemptor requests what the sums of nodes do not say.
fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let cluster = case.cluster;
    let known: Vec<ResourceIx> = PERCENTAGES.iter().filter_map(|name| cluster.resource_named(name)).collect();
    let pods = || case.preemptor.pods.iter().filter_map(|ix| cluster.pod(*ix));
    let memory = cluster.resource_named(MEMORY);
    let asked = known.iter().copied().chain(memory).find(|resource| pods().any(|pod| pod.request.get(*resource) > 0));
    let Some(resource) = asked.filter(|_| has_several(cluster, &known)) else { return Ok(()) };
    if let Some(share) = pods().find_map(|pod| share(pod, &known, memory)) {
        return Err(Denial::Resource("", share));
    }
    match cluster.pods().any(|(_, pod)| is_share_of_several(cluster, pod, &known, memory)) {
        true => Err(Denial::Resource("held", resource)),
        false => Ok(()),
    }
}

/// Returns whether a node has several devices of a kind.
fn has_several(cluster: &Cluster, known: &[ResourceIx]) -> bool {
    cluster.nodes().any(|(_, node)| known.iter().any(|resource| node.allocatable.get(*resource) > WHOLE))
}

/// Returns the resource of which a pod requests a share of a device. Memory alone is a share: it does not say of how many devices.
fn share(pod: &Pod, known: &[ResourceIx], memory: Option<ResourceIx>) -> Option<ResourceIx> {
    let amount = |resource: &ResourceIx| pod.request.get(*resource);
    let part = known.iter().find(|resource| amount(resource).checked_rem(WHOLE).is_some_and(|rest| rest != 0));
    let counts = known.iter().any(|resource| amount(resource) > 0);
    part.copied().or(memory.filter(|memory| !counts && amount(memory) > 0))
}

/// Returns whether a pod holds a share of a device on a node that has several.
fn is_share_of_several(cluster: &Cluster, pod: &Pod, known: &[ResourceIx], memory: Option<ResourceIx>) -> bool {
    let node = pod.place.node().and_then(|node| cluster.node(node));
    let is_several = node.is_some_and(|node| known.iter().any(|resource| node.allocatable.get(*resource) > WHOLE));
    is_several && share(pod, known, memory).is_some()
}
