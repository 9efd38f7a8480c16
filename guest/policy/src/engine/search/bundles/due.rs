//! Whole gangs are evicted only for what is short on their nodes.
//!
//! A gang leaves nodes for which no pod of the plan was looked at when it was evicted, so what is short is known only at the end. A node is
//! short of a resource if its room, without evictions, is less than the pods of the plan on it request.

use std::collections::{BTreeMap, BTreeSet};

use super::WHOLE_GANG_LEVEL;
use super::attempt::GangPlacement;
use super::elastic_first::is_elastic;
use super::short::that_counts;
use crate::laws::EntitlementStatus;
use crate::model::{Amounts, NodeIx, PodIx, PodLocation, ResourceIx};

impl GangPlacement<'_, '_, '_> {
    /// Checks that the laws allow the eviction of whole gangs for what is short on their nodes. The trial is unchanged.
    pub(super) fn may_evict_whole_gangs(&mut self) -> bool {
        let whole = self.pools.iter().filter(|pool| pool.level == WHOLE_GANG_LEVEL).flat_map(|pool| &pool.evicted);
        let whole: Vec<(PodIx, PodLocation)> = whole.copied().collect();
        if whole.is_empty() {
            return true;
        }
        let short = self.short_by_gang(&whole);
        let before = self.trial.savepoint();
        for (ix, place) in self.normal_victims.iter().rev() {
            self.trial.set_location(*ix, *place);
        }
        let mut all = true;
        for (ix, _) in self.normal_victims.clone() {
            let known = self.short_by_victim.get(&ix).or_else(|| short.get(&ix)).map(Vec::as_slice);
            let (cluster, guards) = (self.trial.cluster(), &self.victim_search.rules.victim_filters);
            all = all && self.victim_search.first_denial(cluster, guards, ix, known).is_none();
            self.trial.evict(ix);
        }
        self.trial.rewind(before);
        all
    }

    /// Returns the resources, for each normal pod of these whole gangs, that are short on the nodes of the gang. If no pod of the plan is short
    /// there, the gang is evicted for another bound, or for nothing. Then all that the preemptor may claim counts, and with constraints between pods
    /// all that it requests.
    fn short_by_gang(&self, whole: &[(PodIx, PodLocation)]) -> BTreeMap<PodIx, Vec<ResourceIx>> {
        let cluster = self.trial.cluster();
        let mut freed: BTreeMap<NodeIx, Amounts> = BTreeMap::new();
        for (ix, place) in self.pools.iter().flat_map(|pool| &pool.evicted) {
            if let Some((pod, node)) = cluster.pod(*ix).zip(place.node()) {
                freed.entry(node).or_default().add(pod.request());
            }
        }
        let mut placed: BTreeMap<NodeIx, Amounts> = BTreeMap::new();
        for (ix, node) in &self.placements {
            if let Some(pod) = cluster.pod(*ix) {
                placed.entry(*node).or_default().add(pod.request());
            }
        }
        let short_on = |node: &NodeIx| {
            let freed = freed.get(node).cloned().unwrap_or_default();
            // The capacity without evictions is less than the requests: without what was freed, the node would be overcommitted.
            let left = |resource| cluster.node(*node).map_or(0, |node| node.free.get(resource));
            let Some(placed) = placed.get(node) else { return Vec::new() };
            let lacks = |resource| placed.get(resource) > 0 && left(resource) < freed.get(resource);
            that_counts(cluster, placed.iter().map(|(resource, _)| resource), lacks)
        };
        let by_node: BTreeMap<NodeIx, Vec<ResourceIx>> = placed.keys().map(|node| (*node, short_on(node))).collect();
        let gang = |ix: PodIx| cluster.pod(ix).and_then(|pod| pod.attributes.job);
        let is_between = self.victim_search.preemptor.pods.iter().any(|ix| cluster.has_inter_pod_terms(*ix));
        let short_of = |ix: PodIx| {
            let mates = whole.iter().filter(|(mate, _)| *mate == ix || gang(ix).is_some() && gang(*mate) == gang(ix));
            let nodes = mates.filter_map(|(_, place)| place.node());
            let short: BTreeSet<ResourceIx> = nodes.filter_map(|node| by_node.get(&node)).flatten().copied().collect();
            let standings = self.victim_search.preemptor.entitlement.statuses();
            let requested =
                standings.filter(|(_, standing)| is_between || *standing != EntitlementStatus::ExceedsEntitlement);
            let requested = requested.map(|(resource, _)| resource);
            if short.is_empty() { requested.collect() } else { short.into_iter().collect::<Vec<ResourceIx>>() }
        };
        let normal = whole.iter().filter(|(ix, _)| !is_elastic(cluster, *ix));
        normal.map(|(ix, _)| (*ix, short_of(*ix))).collect()
    }
}
