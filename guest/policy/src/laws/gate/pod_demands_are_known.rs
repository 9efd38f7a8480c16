//! # What it demands
//!
//! No waiting pod of the preemptor, and no queue of it, demands a placement that this policy cannot judge: by a label or an annotation, by
//! a group of nodes, or by a request for devices that the sums of nodes do not say enough about. Where a gang can be complete without such
//! a pod, its other pods are tried without it.
//!
//! # Example
//!
//! A node has two GPUs, and a pod holds 60 percent of each. A third pod of 60 percent is not tried: 80 percent are free in all, but on
//! neither GPU. Nor is a pod that requests a whole GPU, or one whose annotation demands a single NUMA node.
//!
//! # Why
//!
//! A pod that is bound against its own constraint runs in the wrong place, and pods are evicted for it in vain. The amounts of a node are
//! sums over its devices, and a share is taken from one device. A refusal is seen, and names the field or the resource.
//!
//! # Source
//!
//! Koordinator `apis/extension` (`numa_aware.go`, `device_share.go`, `reservation.go`) and `pkg/scheduler/plugins/deviceshare`; issue 1136;
//! rulings C32, C52, C53. Volcano: `volcano.sh/numa-topology-policy`, plugins deviceshare and nodegroup; rulings 2.16 and 2.17. YuniKorn:
//! `yunikorn.apache.org/task-groups`; ruling D27.
//!
//! # Options
//!
//! None.

use crate::contract::ChangeKind;
use crate::laws::devices::{DEVICES, uncounted};
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "pod-demands-are-known",
        sentence: "a pod demands no placement that the policy cannot judge",
        templates: &[
            (
                "",
                "the pod requests a share of a device (`{resource}`), and nodes have several: that is not judged here, so the pod is not tried. Request whole devices, or leave the pod to another scheduler",
            ),
            (
                "held",
                "the pod requests whole devices (`{resource}`), and pods hold shares on nodes with several: what is free there is not judged here, so the pod is not tried. Leave the pod to another scheduler, or let the shares end",
            ),
            (
                "named twice",
                "the pod requests devices as `{resource}`, and pods hold the same devices under another resource: what is free there is not judged here, so the pod is not tried. Request them by one resource",
            ),
            (
                "requested twice",
                "the pods of the job request the same devices as `{resource}` and under another resource: what is free is not judged here, so they are not tried. Request them by one resource",
            ),
            (
                "uncounted",
                "the pod requests a share of devices (`{resource}`) that no node counts: that is not judged here, so the pod is not tried. Leave the pod to another scheduler",
            ),
            (
                "field",
                "the pod has `{field}`, which demands a placement that is not judged here, so the pod is not tried. Remove it, write a preference, or leave the pod to another scheduler",
            ),
            (
                "nodes",
                "@queue `{queue}` demands groups of nodes by `/spec/affinity`, which is not judged here, so its pods are not tried. Write a preference, or use node affinity in the pods",
            ),
        ],
        file: page!("pod_demands_are_known.rs"),
    },
    holds,
)
.retry_after(&[
    ChangeKind::NodeUpserted,
    ChangeKind::NodeRemoved,
    ChangeKind::PodRemoved,
    ChangeKind::ObjectUpserted,
    ChangeKind::ObjectRemoved,
])
.depends_on_pod_identity();

/// Checks that the preemptor demands only what laws judge.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let cluster = case.cluster;
    let pods = || case.preemptor.pods.iter().filter_map(|ix| cluster.pod(*ix));
    if let Some(field) = pods().find_map(|pod| pod.attributes.unsupported_field) {
        return Err(Denial::UnsupportedField { job: None, case: "field", field });
    }
    let queue =
        case.preemptor.part.queue.filter(|queue| cluster.queue_spec(*queue).is_some_and(|spec| spec.picks_nodes));
    if let Some(queue) = queue {
        return Err(Denial::Queue("nodes", queue));
    }
    if let Some(resource) = uncounted(cluster, pods) {
        return Err(Denial::Resource("uncounted", resource));
    }
    DEVICES.iter().find_map(|devices| devices.unsupported(cluster, pods)).map_or(Ok(()), Err)
}
