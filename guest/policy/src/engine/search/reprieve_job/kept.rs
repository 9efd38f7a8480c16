//! What must stay free on the nodes of a plan.

use super::super::PreemptionContext;
use super::super::node_dry_run::NodeDryRun;
use crate::model::{Amounts, Cluster, NodeIx, PodIx, PodLocation, ResourceIx};

/// Returns the capacity that must stay free on the former node of a pod, if the plan uses the node. `kept` must be sorted by node.
pub fn capacity_on(kept: &[PlannedNodeCapacity], place: PodLocation) -> impl Iterator<Item = &PlannedNodeCapacity> {
    let at = place.node().and_then(|node| kept.binary_search_by_key(&node, |kept| kept.node).ok());
    at.and_then(|at| kept.get(at)).into_iter()
}

/// The capacity that must stay free on a node of the plan.
pub struct PlannedNodeCapacity {
    /// The node.
    pub node: NodeIx,
    /// The amounts promised there to pods of other jobs.
    pub nominated_amounts: Amounts,
    /// The resources that the planned pods request there.
    requested_resources: Vec<ResourceIx>,
}

impl PlannedNodeCapacity {
    /// Returns what must stay free on each node of a plan, in the order of the nodes.
    pub fn on_each(
        cluster: &Cluster,
        context: &PreemptionContext<'_>,
        dry_runs: &[NodeDryRun],
    ) -> Vec<PlannedNodeCapacity> {
        let mut kept: Vec<PlannedNodeCapacity> =
            dry_runs.iter().map(|dry_run| PlannedNodeCapacity::new(cluster, context, dry_run)).collect();
        kept.sort_by_key(|kept| kept.node);
        kept
    }

    fn new(cluster: &Cluster, context: &PreemptionContext<'_>, dry_run: &NodeDryRun) -> PlannedNodeCapacity {
        let mut promised = Amounts::default();
        if let Some(node) = cluster.node(dry_run.node) {
            for (_, other) in context.blocking_nominations(cluster, node) {
                promised.add(other.request());
            }
        }
        PlannedNodeCapacity {
            node: dry_run.node,
            nominated_amounts: promised,
            requested_resources: dry_run.requested_resources.clone(),
        }
    }

    /// Returns whether a requested resource would be overcommitted with an evicted pod back.
    pub fn would_be_overcommitted(&self, cluster: &Cluster, evicted: PodIx) -> bool {
        let Some((node, pod)) = cluster.node(self.node).zip(cluster.pod(evicted)) else { return false };
        let left = |resource: ResourceIx| node.free.get(resource).saturating_sub(pod.request().get(resource));
        self.requested_resources.iter().any(|resource| left(*resource) < self.nominated_amounts.get(*resource))
    }

    /// Returns whether a requested resource is overcommitted.
    pub fn is_overcommitted(&self, cluster: &Cluster) -> bool {
        let free = cluster.node(self.node).map(|node| &node.free);
        free.is_some_and(|free| {
            self.requested_resources.iter().any(|resource| free.get(*resource) < self.nominated_amounts.get(*resource))
        })
    }
}
