//! Fewer victims by exchange.
//!
//! Nodes are priced for one pod of a gang at a time, and a job that already has victims is cheaper than one that has none. So an attempt may evict
//! two small pods of the first job, although a pod of another job makes as much room and that job loses pods for the next pod of the gang
//! anyway (ruling 3.3b of Volcano: fewest jobs, then fewest pods). Once all victims are known, one more pod of a job with victims is evicted
//! on trial, and the other victims are reprieved again. The exchange stays if fewer victims are left.

use std::collections::BTreeSet;

use super::attempt::GangPlacement;
use super::fit::Excess;
use crate::model::{NodeIx, PodIx, PodLocation, ResourceIx};

/// The maximum number of pods that are evicted on trial in one attempt.
const TRIES: usize = 32;

impl GangPlacement<'_, '_, '_> {
    /// Exchanges elastic victims for fewer ones of the same jobs. Returns the jobs with victims that are needed only for a legal size: `excess`,
    /// unless an exchange has changed them.
    pub(super) fn exchange(&mut self, mut excess: Vec<Excess>) -> Vec<Excess> {
        let mut tries = TRIES;
        // Each exchange lowers the number of victims, so this ends.
        while let Some(of_fewer) = self.substitutes().into_iter().find_map(|one| {
            tries = tries.checked_sub(1)?;
            self.exchange_for(one)
        }) {
            excess = of_fewer;
        }
        excess
    }

    /// Returns the elastic pods, each with the number of its pool, that free enough to reprieve two victims. They are pods of jobs with victims, but
    /// no victims themselves.
    fn substitutes(&self) -> Vec<(usize, PodIx)> {
        let cluster = self.trial.cluster();
        let begun = || self.pools.iter().enumerate().filter(|(_, pool)| pool.level == 0 && !pool.evicted.is_empty());
        let gone: BTreeSet<PodIx> = begun().flat_map(|(_, pool)| &pool.evicted).map(|(ix, _)| *ix).collect();
        if gone.len() < 2 {
            return Vec::new();
        }
        let placed = self.placements.iter().map(|(_, node)| *node);
        let nodes: BTreeSet<NodeIx> = self.nodes_with_evictions.iter().copied().chain(placed).collect();
        let free_on = |node: NodeIx, resource| cluster.node(node).map_or(0, |node| node.free.get(resource));
        let missing = |resource: ResourceIx| {
            let mut requests: Vec<i64> =
                gone.iter().filter_map(|ix| cluster.pod(*ix)).map(|pod| pod.request().get(resource)).collect();
            requests.sort_unstable();
            let least = requests.into_iter().take(2).fold(0, i64::saturating_add);
            nodes.iter().fold(least, |missing, node| missing.saturating_sub(free_on(*node, resource)))
        };
        let requested = self.victim_search.preemptor.part.pending_request.iter().filter(|(_, amount)| *amount > 0);
        let missing: Vec<(ResourceIx, i64)> = requested.map(|(resource, _)| (resource, missing(resource))).collect();
        let frees_enough = |ix: PodIx| {
            let Some((pod, node)) = cluster.pod(ix).and_then(|pod| Some((pod, pod.node()?))) else {
                return false;
            };
            let beyond = |resource| if nodes.contains(&node) { 0 } else { free_on(node, resource) };
            missing
                .iter()
                .all(|(resource, missing)| pod.request().get(*resource).saturating_add(beyond(*resource)) >= *missing)
        };
        let pods = begun().flat_map(|(number, pool)| pool.bundle.pods.iter().map(move |ix| (number, *ix)));
        pods.filter(|(_, ix)| !gone.contains(ix) && frees_enough(*ix)).collect()
    }

    /// Evicts a pod of a pool and reprieves the other elastic victims. Returns the excess if fewer victims are left and every law holds; otherwise
    /// the attempt is unchanged.
    fn exchange_for(&mut self, (number, ix): (usize, PodIx)) -> Option<Vec<Excess>> {
        let (before, placements, cleared) =
            (self.trial.savepoint(), self.placements.clone(), self.nodes_with_evictions.clone());
        let gone: Vec<Vec<(PodIx, PodLocation)>> = self.pools.iter().map(|pool| pool.evicted.clone()).collect();
        let victims = self.elastic_victims();
        if let Some(taken) = self.evict(number, ix, 0, None) {
            self.record_victims(taken, None);
            if self.complete_steps() {
                let mut numbers = self.pools_of_level(0);
                numbers.sort_by_key(|other| *other == number);
                let excess = numbers.into_iter().filter_map(|number| self.reprieve_elastic(number, Some(ix))).collect();
                let is_lawful = self.elastic_victims() < victims
                    && self.check_other_pods()
                    && self.may_evict_whole_gangs()
                    && self.each_victim_frees_entitlement();
                if is_lawful {
                    return Some(excess);
                }
            }
        }
        self.trial.rewind(before);
        (self.placements, self.nodes_with_evictions) = (placements, cleared);
        for (pool, gone) in self.pools.iter_mut().zip(gone) {
            pool.evicted = gone;
        }
        None
    }

    /// Returns the number of victims of elastic jobs.
    fn elastic_victims(&self) -> usize {
        let elastic = self.pools.iter().filter(|pool| pool.level == 0);
        elastic.map(|pool| pool.evicted.len()).fold(0, usize::saturating_add)
    }
}
