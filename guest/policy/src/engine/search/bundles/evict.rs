//! Evictions of an attempt: a pod leaves alone, or with its whole gang.

use super::WHOLE_GANG_LEVEL;
use super::attempt::GangPlacement;
use super::elastic_first::is_elastic;
use crate::model::{PodIx, PodLocation, ResourceIx};

/// Pods of one pool that are evicted together: one pod, or a whole gang.
pub(super) struct EvictedPods {
    /// The number of the pool.
    pub(super) pool: usize,
    /// The pods with their former places.
    pub(super) pods: Vec<(PodIx, PodLocation)>,
}

impl GangPlacement<'_, '_, '_> {
    /// Evicts the available whole gangs of which every pod may be evicted.
    pub(super) fn evict_gangs(&mut self) {
        for number in self.pools_of_level(WHOLE_GANG_LEVEL) {
            let first = self.pools.get(number).and_then(|pool| pool.bundle.pods.first().copied());
            if let Some(taken) = first.and_then(|first| self.evict(number, first, 0, None)) {
                self.record_victims(taken, None);
            }
        }
    }

    /// Evicts a pod of a pool on trial, after `going` others of the pool, for these resources if they are known. If its gang is evicted whole, the
    /// other pods of the gang are evicted, too. Returns nothing, and changes nothing, if a law denies it.
    pub(super) fn evict(
        &mut self,
        number: usize,
        ix: PodIx,
        going: usize,
        short: Option<&[ResourceIx]>,
    ) -> Option<EvictedPods> {
        let (level, most, gone, bundle) =
            self.pools.get(number).map(|pool| (pool.level, pool.max_victims, pool.evicted.len(), pool.bundle))?;
        let placed = |attempt: &Self, ix: PodIx| {
            let place = attempt.trial.cluster().pod(ix)?.state.location;
            place.node().map(|_| (ix, place))
        };
        if level == WHOLE_GANG_LEVEL {
            placed(self, ix)?;
            let mut pods: Vec<(PodIx, PodLocation)> = bundle.pods.iter().filter_map(|ix| placed(self, *ix)).collect();
            pods.sort_by_key(|(ix, _)| !is_elastic(self.trial.cluster(), *ix));
            return self.evict_all(&pods, short).then_some(EvictedPods { pool: number, pods });
        }
        let pod = placed(self, ix).filter(|_| gone.saturating_add(going) < most)?;
        let (cluster, single) = (self.trial.cluster(), &self.victim_search.rules.single_victim_filters);
        let is_spare = level == 0 || self.victim_search.first_denial(cluster, single, ix, short).is_none();
        if !is_spare || !self.is_candidate(ix, short) {
            return None;
        }
        self.trial.evict(ix);
        Some(EvictedPods { pool: number, pods: vec![pod] })
    }

    /// Evicts pods on trial, one after the other. Returns whether no law denies it; otherwise the trial is unchanged.
    fn evict_all(&mut self, pods: &[(PodIx, PodLocation)], short: Option<&[ResourceIx]>) -> bool {
        let (before, normal) = (self.trial.savepoint(), self.normal_victims.len());
        let all = pods.iter().all(|(ix, place)| {
            let may_go = self.is_candidate(*ix, short);
            self.trial.evict(*ix);
            if !is_elastic(self.trial.cluster(), *ix) {
                self.normal_victims.push((*ix, *place));
            }
            may_go
        });
        self.normal_victims.truncate(normal);
        if !all {
            self.trial.rewind(before);
        }
        all
    }

    /// Returns whether no law denies the eviction of a pod after the evictions so far.
    fn is_candidate(&mut self, ix: PodIx, short: Option<&[ResourceIx]>) -> bool {
        let cluster = self.trial.cluster();
        let barred =
            self.victim_search.first_denial(cluster, &self.victim_search.rules.victim_filters, ix, short).is_some();
        !barred && (!is_elastic(cluster, ix) || self.normal_victims_stay_allowed(ix))
    }

    /// Makes evicted pods victims, for these resources if they are known. The resources for which a gang is evicted whole are known only at the end.
    /// Victims of lower levels are evicted with their gang.
    pub(super) fn record_victims(&mut self, taken: EvictedPods, short: Option<&[ResourceIx]>) {
        let EvictedPods { pool: number, pods } = taken;
        let is_whole = self.pools.get(number).is_some_and(|pool| pool.level == WHOLE_GANG_LEVEL);
        let mut gone = pods;
        for (ix, place) in &gone {
            if !is_elastic(self.trial.cluster(), *ix) {
                self.normal_victims.push((*ix, *place));
            }
            if let Some(short) = short.filter(|_| !is_whole) {
                self.short_by_victim.insert(*ix, short.to_vec());
            }
        }
        if is_whole {
            gone.extend(self.take_lower_victims(number));
        }
        self.nodes_with_evictions.extend(gone.iter().filter_map(|(_, place)| place.node()));
        if let Some(pool) = self.pools.get_mut(number) {
            pool.evicted.extend(gone);
        }
    }

    /// Returns whether other victims belong to the gang that is evicted whole with the victims of a pool.
    pub(super) fn are_evicted_together(&self, number: usize, other: &EvictedPods) -> bool {
        let pool = self.pools.get(number).filter(|pool| pool.level == WHOLE_GANG_LEVEL);
        pool.is_some_and(|pool| other.pods.iter().all(|(ix, _)| pool.bundle.pods.contains(ix)))
    }

    /// Takes the victims of lower levels that belong to the gang of a pool from their pools.
    fn take_lower_victims(&mut self, number: usize) -> Vec<(PodIx, PodLocation)> {
        let Some(gang) = self.pools.get(number).map(|pool| pool.bundle) else { return Vec::new() };
        let lower = self.pools.iter_mut().filter(|pool| pool.level < WHOLE_GANG_LEVEL);
        let all: Vec<(PodIx, PodLocation)> =
            lower.flat_map(|pool| pool.evicted.extract_if(.., |(ix, _)| gang.pods.contains(ix))).collect();
        for (ix, _) in &all {
            self.short_by_victim.remove(ix);
        }
        all
    }
}
