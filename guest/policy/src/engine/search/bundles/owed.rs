//! No pod of another queue is evicted that frees nothing that is owed (ruling 2.5c of Volcano).
//!
//! What a victim frees is short with this victim alone on its node again and the pods of the plan on theirs. Where the other victims free enough of
//! all that is owed, the victim would leave for resources that the gang may not reclaim alone.

use std::collections::{BTreeMap, BTreeSet};

use super::WHOLE_GANG_LEVEL;
use super::attempt::GangPlacement;
use super::elastic_first::is_elastic;
use super::short::that_counts;
use crate::model::{PodIx, PodLocation, ResourceIx, ResourceRequest};

impl GangPlacement<'_, '_, '_> {
    /// Checks that the laws allow each eviction for what would be short with only this victim back on its node. The victims of an elastic job count
    /// as one victim, and so do the pods of a gang that is evicted whole. Where pods keep each other off nodes, more than capacity is short.
    pub(super) fn each_victim_frees_entitlement(&self) -> bool {
        let cluster = self.trial.cluster();
        let is_asked = !self.victim_search.rules.lone_victim_filters.is_empty();
        if !is_asked || self.victim_search.preemptor.pods.iter().any(|ix| cluster.has_inter_pod_terms(*ix)) {
            return true;
        }
        let mut victims: BTreeMap<(usize, PodIx, bool), Vec<(PodIx, PodLocation)>> = BTreeMap::new();
        let gang = |ix: PodIx| cluster.members(ix).map(|(member, _)| member).min().unwrap_or(ix);
        for (number, pool) in self.pools.iter().enumerate() {
            for (ix, place) in &pool.evicted {
                let is_elastic = is_elastic(cluster, *ix);
                let first = if is_elastic || pool.level == WHOLE_GANG_LEVEL { gang(*ix) } else { *ix };
                victims.entry((number, first, is_elastic)).or_default().push((*ix, *place));
            }
        }
        victims.values().all(|victim| {
            let short = self.short_with(victim);
            let alone = &self.victim_search.rules.lone_victim_filters;
            let frees = |(ix, _): &(PodIx, PodLocation)| {
                self.victim_search.first_denial(cluster, alone, *ix, Some(&short)).is_none()
            };
            short.is_empty() || victim.iter().all(frees)
        })
    }

    /// Returns the resources that the nodes of the plan are short of with these victims back on their nodes.
    fn short_with(&self, victim: &[(PodIx, PodLocation)]) -> Vec<ResourceIx> {
        let cluster = self.trial.cluster();
        let mut short: BTreeSet<ResourceIx> = BTreeSet::new();
        for (ix, node) in &self.placements {
            let back = victim.iter().filter(|(_, place)| place.node() == Some(*node));
            let back: Vec<&ResourceRequest> = back.filter_map(|(ix, _)| Some(cluster.pod(*ix)?.request())).collect();
            let (Some(pod), Some(node)) = (cluster.pod(*ix), cluster.node(*node)) else { continue };
            let freed = |resource| back.iter().fold(0i64, |sum, request| sum.saturating_add(request.get(resource)));
            let lacks = |resource| pod.request().get(resource) > 0 && node.free.get(resource) < freed(resource);
            short.extend(that_counts(cluster, pod.request().iter().map(|(resource, _)| resource), lacks));
        }
        short.into_iter().collect()
    }
}
