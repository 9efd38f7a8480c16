//! The end of an attempt: limits hold, jobs shrink by whole steps, and who can be reprieved is.

use std::collections::BTreeMap;

use super::attempt::Attempt;
use super::fit::fits;
use crate::engine::search::reprieve::without_reprieve;
use crate::laws::Shortfall;
use crate::model::{Cluster, NodeIx, Place, PodIx, QueueIx, ResourceIx};

impl Attempt<'_, '_, '_> {
    /// Evicts pods at hand that count against a bound that does not hold, until every limit does.
    pub(super) fn within_limits(&mut self) -> bool {
        let pods: Vec<PodIx> = self.placements.iter().map(|(ix, _)| *ix).collect();
        while let Some((_, denial)) = self.victim_search.broken(self.trial.cluster(), &pods) {
            let Some(Shortfall { queue, resource }) = denial.shortfall() else { return false };
            let all = self.pools.iter().enumerate();
            let all = all.flat_map(|(number, pool)| pool.bundle.pods.iter().map(move |ix| (number, *ix)));
            let counting: Vec<_> = all.filter(|(_, ix)| counts(self.trial.cluster(), *ix, queue, resource)).collect();
            if !self.evict_first(counting) {
                return false;
            }
        }
        true
    }

    /// Evicts the first of these who may go; whether there is one.
    fn evict_first(&mut self, of: Vec<(usize, PodIx)>) -> bool {
        for (number, ix) in of {
            if self.may_go(number, ix, 0) {
                self.evict_of(number, ix);
                return true;
            }
        }
        false
    }

    /// Elastic jobs that shrink do so by one of their steps.
    pub(super) fn complete_steps(&mut self) -> bool {
        for number in 0..self.pools.len() {
            let Some(pool) = self.pools.get(number).filter(|pool| pool.level == 0 && !pool.gone.is_empty()) else {
                continue;
            };
            let Some(step) = pool.bundle.step(pool.gone.len()) else { return false };
            let pods = pool.bundle.pods.clone();
            for ix in pods {
                let short = self.pools.get(number).is_some_and(|pool| pool.gone.len() < step);
                if short && self.may_go(number, ix, 0) {
                    self.evict_of(number, ix);
                }
            }
            if self.pools.get(number).is_some_and(|pool| pool.gone.len() != step) {
                return false;
            }
        }
        true
    }

    /// Reprieves every pod that can be: single pods, the last to go first, then elastic jobs to a larger one of their sizes.
    pub(super) fn reprieve(&mut self) {
        for number in self.numbers(1) {
            let gone = self.pools.get(number).map_or(Vec::new(), |pool| pool.gone.clone());
            let evicted = without_reprieve(gone.iter().rev(), |(ix, place)| self.can_be_back(*ix, *place));
            let evicted: Vec<PodIx> = evicted.into_iter().map(|(ix, _)| *ix).collect();
            let back = gone.iter().map(|(ix, _)| *ix).filter(|ix| !evicted.contains(ix));
            self.is_back(number, &back.collect::<Vec<PodIx>>());
        }
        for number in self.numbers(0) {
            self.grow_back(number);
        }
    }

    /// The numbers of the pools of a level.
    fn numbers(&self, level: usize) -> Vec<usize> {
        let all = self.pools.iter().enumerate().filter(|(_, pool)| pool.level == level);
        all.map(|(number, _)| number).collect()
    }

    /// Puts pods of an elastic job back, as many as its sizes allow: the small ones first, for of those there is room for the most.
    fn grow_back(&mut self, number: usize) {
        let Some(pool) = self.pools.get(number) else { return };
        let places: BTreeMap<PodIx, Place> = pool.gone.iter().copied().collect();
        let gone: Vec<PodIx> = pool.gone.iter().map(|(ix, _)| *ix).collect();
        let mut back = self.trial.cluster().largest_first(&gone);
        back.reverse();
        let evicted =
            without_reprieve(back.clone(), |ix| places.get(ix).is_some_and(|place| self.can_be_back(*ix, *place)));
        back.retain(|ix| !evicted.contains(ix));
        let fewest = gone.len().saturating_sub(back.len());
        let step = self.pools.get(number).and_then(|pool| pool.bundle.step(fewest)).unwrap_or(gone.len());
        let most = gone.len().saturating_sub(if fewest == 0 { 0 } else { step });
        for ix in back.split_off(most.min(back.len())) {
            self.trial.evict(ix);
        }
        self.is_back(number, &back);
    }

    /// Puts a pod back where the gang still fits and every limit holds with it; whether it is.
    fn can_be_back(&mut self, ix: PodIx, place: Place) -> bool {
        let pods: Vec<PodIx> = self.placements.iter().map(|(ix, _)| *ix).collect();
        let (before, placements) = (self.trial.mark(), self.placements.clone());
        self.trial.put(ix, place);
        let fits = place.node().is_none_or(|node| self.make_fit(node));
        let stays = fits && self.victim_search.broken(self.trial.cluster(), &pods).is_none();
        if !stays {
            self.trial.rewind(before);
            self.placements = placements;
        }
        stays
    }

    /// Moves pods of the gang off a node that is too full until it is not, to where others made more room than was needed; whether
    /// that works.
    fn make_fit(&mut self, at: NodeIx) -> bool {
        for number in 0..self.placements.len() {
            if !self.is_crowded(at) {
                return true;
            }
            let Some((ix, _)) = self.placements.get(number).copied().filter(|(_, node)| *node == at) else { continue };
            let cluster = self.trial.cluster();
            let Some(pod) = cluster.pod(ix) else { continue };
            let takes = |node: &NodeIx| *node != at && self.victim_search.is_open(ix, *node);
            let mut others = self.cleared.iter().copied().filter(takes);
            if let Some(other) = others.find(|node| fits(cluster, pod.shape, *node, &pod.request)) {
                self.trial.place(ix, other);
                if let Some(placement) = self.placements.get_mut(number) {
                    placement.1 = other;
                }
            }
        }
        !self.is_crowded(at)
    }

    /// Notes that these have not gone.
    fn is_back(&mut self, number: usize, pods: &[PodIx]) {
        if let Some(pool) = self.pools.get_mut(number) {
            pool.gone.retain(|(ix, _)| !pods.contains(ix));
        }
        self.normal.retain(|(ix, _)| !pods.contains(ix));
    }

    /// Whether there is too little on a node of what the gang asks for.
    fn is_crowded(&self, at: NodeIx) -> bool {
        let Some(node) = self.trial.cluster().node(at) else { return true };
        let here = self.placements.iter().any(|(_, node)| *node == at);
        here && self.victim_search.preemptor.unplaced.iter().any(|(resource, _)| node.free.get(resource) < 0)
    }
}

/// Whether what a pod holds of a resource counts against a bound of this queue.
fn counts(cluster: &Cluster, ix: PodIx, queue: QueueIx, resource: ResourceIx) -> bool {
    cluster.pod(ix).is_some_and(|pod| pod.request.get(resource) > 0 && cluster.is_below(pod.queue, queue))
}
