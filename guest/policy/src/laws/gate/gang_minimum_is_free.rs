//! # What it demands
//!
//! For each resource that `minResources` of the PodGroup names, the nodes together have that much free, and `minMember` places for
//! pods. What the pods of the gang hold counts as free. A node that holds more than it has counts as 0.
//!
//! # Example
//!
//! A PodGroup has `minResources: {cpu: 8}`. Three nodes have 2 cpu free each, and a pod of the gang holds 1: 7 is less than 8, and its
//! pods are refused.
//!
//! # Why
//!
//! A gang that cannot fit into the cluster need not be tried. The check is rough: it knows no single node and no eviction, so no pod
//! is evicted for a gang that it refuses.
//!
//! # Source
//!
//! scheduler-plugins, PreFilter and CheckClusterResource:
//! <https://github.com/kubernetes-sigs/scheduler-plugins/blob/903da7df/pkg/coscheduling/core/core.go>.
//!
//! # Options
//!
//! `spec.minResources` of the PodGroup.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};
use crate::model::{Cluster, Job, ResourceIx};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "gang-minimum-is-free",
        sentence: "the nodes together have free what the PodGroup of the gang names as its least",
        templates: &[
            (
                "",
                "gang `{gang}`<, {resource}: free on all nodes {free} is less than minResources {needed}> (resource gap)",
            ),
            ("unknown", "gang `{gang}` needs a resource that no node has (resource gap)"),
        ],
        file: page!("gang_minimum_is_free.rs"),
    },
    holds,
)
.retry_after(&[
    ChangeKind::NodeUpserted,
    ChangeKind::PodUpserted,
    ChangeKind::PodRemoved,
    ChangeKind::ObjectUpserted,
    ChangeKind::ObjectRemoved,
]);

/// Checks whether the nodes together have the minimum resources of the gang free.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let cluster = case.cluster;
    let Some((ix, job)) = case.preemptor.job.and_then(|ix| Some((ix, cluster.job(ix)?))) else { return Ok(()) };
    let least = cluster.min_resources(ix);
    let members = job.gang().map_or(0, |gang| i64::from(gang.minimum));
    let places = (!least.is_empty()).then_some(("pods", members));
    let named = least.iter().map(|(name, amount)| (name.as_str(), *amount)).filter(|(name, _)| *name != "pods");
    for (name, needed) in named.chain(places).filter(|(_, needed)| *needed > 0) {
        let resource = cluster.resource_named(name);
        let free = resource.map_or(0, |resource| free(cluster, job, resource));
        if free < needed {
            return Err(Denial::ClusterTooSmall {
                job: ix,
                resource,
                parts: [("free", free), ("needed", needed)].into(),
            });
        }
    }
    Ok(())
}

/// Returns what all nodes together have free of a resource, plus what the pods of the job use.
fn free(cluster: &Cluster, job: &Job, resource: ResourceIx) -> i64 {
    let held = job.members.iter().filter_map(|ix| cluster.pod(*ix)).filter(|pod| pod.node().is_some());
    let held = held.fold(0, |sum: i64, pod| sum.saturating_add(pod.request().get(resource)));
    cluster.nodes().fold(held, |sum, (_, node)| sum.saturating_add(node.free.get(resource).max(0)))
}
