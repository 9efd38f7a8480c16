//! What counts as short on a node.
//!
//! No queue has an amount of places for pods, so no queue is owed a place (ruling 2.5b of Volcano). Where a node lacks nothing else, the pods there
//! keep the preemptor off as a constraint between pods would: all that it requests counts as short.

use super::attempt::GangPlacement;
use crate::model::{Cluster, NodeIx, PodIx, ResourceIx, ResourceRequest};

/// Returns which of these requested resources count as short on a node that lacks some of them.
pub(super) fn that_counts(
    cluster: &Cluster,
    requested: impl Iterator<Item = ResourceIx>,
    lacks: impl Fn(ResourceIx) -> bool,
) -> Vec<ResourceIx> {
    let is_place = |resource: &ResourceIx| cluster.resource_name(*resource) == "pods";
    let requested: Vec<ResourceIx> = requested.collect();
    let short: Vec<ResourceIx> = requested.iter().copied().filter(|resource| lacks(*resource)).collect();
    if !short.is_empty() && short.iter().all(is_place) {
        return requested;
    }
    short.into_iter().filter(|resource| !is_place(resource)).collect()
}

impl GangPlacement<'_, '_, '_> {
    /// Returns the resources that a node lacks for a pod without evictions, with the pods that are placed already. If the pods there do not allow the
    /// pod, all resources that it requests count.
    pub(super) fn short_for(&self, at: NodeIx, (asker, request): (PodIx, &ResourceRequest)) -> Vec<ResourceIx> {
        let cluster = self.trial.cluster();
        let allowed = self.victim_search.is_allowed(cluster, asker, at);
        let mut free = cluster.node(at).map(|node| node.free.clone());
        if let Some(free) = free.as_mut().filter(|_| self.nodes_with_evictions.contains(&at)) {
            let gone = self.pools.iter().flat_map(|pool| &pool.evicted).filter(|(_, place)| place.node() == Some(at));
            gone.filter_map(|(ix, _)| cluster.pod(*ix)).for_each(|pod| free.subtract(pod.request()));
        }
        let lacks = |resource| {
            let free = free.as_ref().map(|free| free.get(resource));
            !allowed || free.is_none_or(|free| free < request.get(resource))
        };
        that_counts(cluster, request.iter().map(|(resource, _)| resource), lacks)
    }
}
