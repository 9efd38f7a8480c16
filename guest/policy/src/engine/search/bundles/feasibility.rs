//! An upper bound of how many pods of a gang fit. It rules out bundles without an attempt.

use std::collections::BTreeMap;

use super::{BundleSearchInput, VictimBundle};
use crate::model::{Amounts, Cluster, NodeIx, ResourceIx};

/// An upper bound of how many pods of a gang fit, from the least that each of its pods requests.
pub struct FeasibilityBound {
    /// The resources that all pods of the gang request, with the smallest request.
    smallest_requests: Vec<(ResourceIx, i64)>,
    /// The number of pods that the gang lacks.
    lacking: usize,
    /// An upper bound of how many fit without evictions.
    idle: usize,
}

impl FeasibilityBound {
    /// Computes the bound for a cluster without evictions.
    pub fn new(cluster: &Cluster, victim_search: &BundleSearchInput<'_>) -> FeasibilityBound {
        let requests =
            || victim_search.preemptor.pods.iter().filter_map(|ix| cluster.pod(*ix)).map(|pod| pod.request());
        let first = requests().next().into_iter().flat_map(|request| request.iter());
        let least = first.map(|(resource, _)| (resource, requests().map(|one| one.get(resource)).min().unwrap_or(0)));
        let least = least.filter(|(_, amount)| *amount > 0).collect();
        let lacking = cluster.shortage(victim_search.preemptor.pod).count();
        let mut bound = FeasibilityBound { smallest_requests: least, lacking, idle: 0 };
        let rooms = cluster.nodes().map(|(_, node)| bound.pods_fitting(|resource| node.free.get(resource)));
        bound.idle = rooms.fold(0, usize::saturating_add);
        bound
    }

    /// Checks whether the gang may fit after evicting all pods of these bundles. If not, it certainly does not fit.
    pub fn may_suffice<'b>(&self, cluster: &Cluster, bundles: impl Iterator<Item = &'b VictimBundle>) -> bool {
        let mut freed: BTreeMap<NodeIx, Amounts> = BTreeMap::new();
        for pod in bundles.flat_map(|bundle| &bundle.pods).filter_map(|ix| cluster.pod(*ix)) {
            if let Some(node) = pod.node() {
                freed.entry(node).or_default().add(pod.request());
            }
        }
        let more = freed.iter().filter_map(|(ix, freed)| {
            let free = &cluster.node(*ix)?.free;
            let with = self.pods_fitting(|resource| free.get(resource).saturating_add(freed.get(resource)));
            Some(with.saturating_sub(self.pods_fitting(|resource| free.get(resource))))
        });
        more.fold(self.idle, usize::saturating_add) >= self.lacking
    }

    /// Returns an upper bound of how many pods fit into this free capacity.
    fn pods_fitting(&self, room: impl Fn(ResourceIx) -> i64) -> usize {
        let pods = self
            .smallest_requests
            .iter()
            .map(|(resource, least)| room(*resource).max(0).checked_div(*least).unwrap_or(0));
        pods.min().map_or(usize::MAX, |pods| usize::try_from(pods).unwrap_or(usize::MAX))
    }
}
