//! The reprieve of gangs that leave whole: the whole gang, or as many pods as it may run with.

use std::cmp::Reverse;

use super::WHOLE_GANG_LEVEL;
use super::attempt::GangPlacement;
use crate::model::{PodIx, PodLocation};

impl GangPlacement<'_, '_, '_> {
    /// Reprieves gangs, the smallest first: so the fewest jobs lose pods.
    pub(super) fn reprieve_gangs(&mut self) {
        let gone = |number: &usize| self.pools.get(*number).map_or(0, |pool| pool.evicted.len());
        let mut gangs = self.pools_of_level(WHOLE_GANG_LEVEL);
        gangs.retain(|number| gone(number) > 0);
        gangs.sort_by_key(|number| (gone(number), Reverse(*number)));
        for number in gangs {
            let pods = self.pools.get(number).map_or(Vec::new(), |pool| pool.evicted.clone());
            if self.try_reprieve(&pods) {
                self.record_reprieve(number, &pods.iter().map(|(ix, _)| *ix).collect::<Vec<PodIx>>());
            } else {
                self.reprieve_part(number, &pods);
            }
        }
    }

    /// Reprieves single pods of a gang that has left whole, if the gang may run without the others.
    fn reprieve_part(&mut self, number: usize, gone: &[(PodIx, PodLocation)]) {
        let (before, placements) = (self.trial.savepoint(), self.placements.clone());
        let back: Vec<PodIx> = gone.iter().rev().filter(|one| self.try_reprieve(&[**one])).map(|(ix, _)| *ix).collect();
        let left: Vec<(PodIx, PodLocation)> = gone.iter().copied().filter(|(ix, _)| !back.contains(ix)).collect();
        if self.may_evict_singly(&left) {
            self.record_reprieve(number, &back);
        } else {
            self.trial.rewind(before);
            self.placements = placements;
        }
    }

    /// Checks that evicted pods could have left one by one: their gang runs without them. The trial is unchanged.
    fn may_evict_singly(&mut self, pods: &[(PodIx, PodLocation)]) -> bool {
        let cluster = self.trial.cluster();
        let leaves_together = |(ix, _): &(PodIx, PodLocation)| {
            let is_elastic = cluster.pod(*ix).and_then(|pod| cluster.elastic(pod.attributes.job?)).is_some();
            is_elastic || cluster.disruption_group(*ix).is_some()
        };
        if pods.iter().any(leaves_together) {
            return false;
        }
        let before = self.trial.savepoint();
        for (ix, place) in pods {
            self.trial.set_location(*ix, *place);
        }
        let all = pods.iter().all(|(ix, _)| {
            let (cluster, single) = (self.trial.cluster(), &self.victim_search.rules.single_victim_filters);
            let is_spare = self.victim_search.first_denial(cluster, single, *ix, None).is_none();
            self.trial.evict(*ix);
            is_spare
        });
        self.trial.rewind(before);
        all
    }
}
