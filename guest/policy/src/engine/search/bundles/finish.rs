//! The end of an attempt: limits hold, elastic jobs shrink by whole steps, and needless victims are reprieved.

use std::collections::BTreeMap;

use super::attempt::GangPlacement;
use super::fit::{Excess, fits};
use crate::engine::search::reprieve::not_reprieved;
use crate::laws::Shortfall;
use crate::model::{Cluster, DomainCountOverlay, NodeIx, PodIx, PodLocation, Queue, ResourceIx};

impl GangPlacement<'_, '_, '_> {
    /// Evicts available pods that count against an exceeded bound, until every limit holds.
    pub(super) fn meet_limits(&mut self) -> bool {
        let pods: Vec<PodIx> = self.placements.iter().map(|(ix, _)| *ix).collect();
        while let Some((_, denial)) = self.victim_search.failed_with_placements(self.trial.cluster(), &pods) {
            let Some(shortfall) = denial.shortfall() else { return false };
            let all = self.pools.iter().enumerate();
            let all = all.flat_map(|(number, pool)| pool.bundle.pods.iter().map(move |ix| (number, *ix)));
            let counting: Vec<_> =
                all.filter(|(_, ix)| lowers_shortfall(self.trial.cluster(), *ix, shortfall)).collect();
            if !self.evict_first(counting, &[shortfall.resource]) {
                return false;
            }
        }
        true
    }

    /// Evicts the first of these pods that may be evicted for these resources. Returns `false` if there is none.
    fn evict_first(&mut self, of: Vec<(usize, PodIx)>, short: &[ResourceIx]) -> bool {
        for (number, ix) in of {
            if let Some(taken) = self.evict(number, ix, 0, Some(short)) {
                self.record_victims(taken, Some(short));
                return true;
            }
        }
        false
    }

    /// Completes the steps by which elastic jobs shrink.
    pub(super) fn complete_steps(&mut self) -> bool {
        for number in 0..self.pools.len() {
            let Some(pool) = self.pools.get(number).filter(|pool| pool.level == 0 && !pool.evicted.is_empty()) else {
                continue;
            };
            let Some(step) = pool.bundle.step(pool.evicted.len()) else { return false };
            let pods = pool.bundle.pods.clone();
            for ix in pods {
                let short = self.pools.get(number).is_some_and(|pool| pool.evicted.len() < step);
                if let Some(taken) = short.then(|| self.evict(number, ix, 0, None)).flatten() {
                    self.record_victims(taken, None);
                }
            }
            if self.pools.get(number).is_some_and(|pool| pool.evicted.len() != step) {
                return false;
            }
        }
        true
    }

    /// Checks whether the other pods allow every pod of the gang on its node, and records a clash where they do not.
    pub(super) fn check_other_pods(&mut self) -> bool {
        let disallowed = self.victim_search.first_violation(self.trial.cluster(), &self.placements).is_some();
        self.has_order_conflict |= disallowed;
        !disallowed
    }

    /// Reprieves needless victims: whole gangs, then single pods, the last victim first, then elastic jobs up to a larger legal size. Returns the
    /// jobs of which pods are evicted only to get to a legal size.
    pub(super) fn reprieve(&mut self) -> Vec<Excess> {
        self.reprieve_gangs();
        for number in self.pools_of_level(1) {
            let gone = self.pools.get(number).map_or(Vec::new(), |pool| pool.evicted.clone());
            let evicted = not_reprieved(gone.iter().rev(), |one| self.try_reprieve(&[**one]));
            let evicted: Vec<PodIx> = evicted.into_iter().map(|(ix, _)| *ix).collect();
            let back = gone.iter().map(|(ix, _)| *ix).filter(|ix| !evicted.contains(ix));
            self.record_reprieve(number, &back.collect::<Vec<PodIx>>());
        }
        self.pools_of_level(0).into_iter().filter_map(|number| self.reprieve_elastic(number, None)).collect()
    }

    /// Reprieves pods of an elastic job as far as its sizes allow. The smallest come first: most of them fit; `last` comes after the others.
    /// Returns the excess if fewer victims would be enough but are not legal, unless no smaller step is.
    pub(super) fn reprieve_elastic(&mut self, number: usize, last: Option<PodIx>) -> Option<Excess> {
        let pool = self.pools.get(number)?;
        let places: BTreeMap<PodIx, PodLocation> = pool.evicted.iter().copied().collect();
        let gone: Vec<PodIx> = pool.evicted.iter().map(|(ix, _)| *ix).collect();
        let mut back = self.trial.cluster().largest_first(&gone);
        back.reverse();
        back.sort_by_key(|ix| Some(*ix) == last);
        let evicted =
            not_reprieved(back.clone(), |ix| places.get(ix).is_some_and(|place| self.try_reprieve(&[(*ix, *place)])));
        back.retain(|ix| !evicted.contains(ix));
        let fewest = gone.len().saturating_sub(back.len());
        let step = self.pools.get(number).and_then(|pool| pool.bundle.step(fewest)).unwrap_or(gone.len());
        let most = gone.len().saturating_sub(if fewest == 0 { 0 } else { step });
        for ix in back.split_off(most.min(back.len())) {
            self.trial.evict(ix);
        }
        self.record_reprieve(number, &back);
        let pool = self.pools.get(number).filter(|_| fewest < step)?;
        Some(Excess { index: pool.index, victims: step, step: pool.bundle.step_below(step)? })
    }

    /// Puts pods back if the gang still fits, every limit holds, and the other pods allow the gang. Returns whether it did.
    pub(super) fn try_reprieve(&mut self, back: &[(PodIx, PodLocation)]) -> bool {
        let pods: Vec<PodIx> = self.placements.iter().map(|(ix, _)| *ix).collect();
        let (before, placements) = (self.trial.savepoint(), self.placements.clone());
        for (ix, place) in back {
            self.trial.set_location(*ix, *place);
        }
        let fits = back.iter().filter_map(|(_, place)| place.node()).all(|node| self.move_planned_pods(node));
        let cluster = self.trial.cluster();
        let stays = fits
            && self.victim_search.failed_with_placements(cluster, &pods).is_none()
            && self.victim_search.first_violation(cluster, &self.placements).is_none();
        if !stays {
            self.trial.rewind(before);
            self.placements = placements;
        }
        stays
    }

    /// Moves pods of the gang from an overcommitted node to nodes with more free capacity than needed. Returns whether that is enough.
    fn move_planned_pods(&mut self, at: NodeIx) -> bool {
        for number in 0..self.placements.len() {
            if !self.is_overcommitted(at) {
                return true;
            }
            let Some((ix, _)) = self.placements.get(number).copied().filter(|(_, node)| *node == at) else { continue };
            let cluster = self.trial.cluster();
            let Some(pod) = cluster.pod(ix) else { continue };
            let takes = |node: &NodeIx| *node != at && self.victim_search.is_not_refuted(ix, *node);
            let mut others = self.nodes_with_evictions.iter().copied().filter(takes);
            let mut moved = DomainCountOverlay::default();
            moved.remove(cluster, ix, at);
            let allowed = |node: NodeIx| cluster.inter_pod_allows(ix, node, &moved).is_ok();
            if let Some(other) =
                others.find(|node| fits(cluster, pod.requirements.shape, *node, pod.request()) && allowed(*node))
            {
                self.trial.place(ix, other);
                if let Some(placement) = self.placements.get_mut(number) {
                    placement.1 = other;
                }
            }
        }
        !self.is_overcommitted(at)
    }

    /// Removes reprieved pods from the victims.
    pub(super) fn record_reprieve(&mut self, number: usize, pods: &[PodIx]) {
        if let Some(pool) = self.pools.get_mut(number) {
            pool.evicted.retain(|(ix, _)| !pods.contains(ix));
        }
        self.normal_victims.retain(|(ix, _)| !pods.contains(ix));
    }

    /// Checks whether a node of a planned pod is overcommitted in a resource that the gang requests.
    fn is_overcommitted(&self, at: NodeIx) -> bool {
        let Some(node) = self.trial.cluster().node(at) else { return true };
        let here = self.placements.iter().any(|(_, node)| *node == at);
        let request = &self.victim_search.preemptor.part.pending_request;
        here && request.iter().any(|(resource, _)| node.free.get(resource) < 0)
    }
}

/// Checks that the eviction of a pod lowers what counts against a bound: the pod is below the queue, or below a sibling queue that uses more than its
/// guarantee.
fn lowers_shortfall(cluster: &Cluster, ix: PodIx, shortfall: Shortfall) -> bool {
    let Shortfall { queue, resource, includes_siblings: beside } = shortfall;
    let Some(pod) = cluster.pod(ix).filter(|pod| pod.request().get(resource) > 0) else { return false };
    let parent = cluster.queue(queue).map(|queue| queue.parent);
    let is_over = |queue: &Queue| {
        let guaranteed = queue.bounds.guaranteed.get(resource).map_or(0, |guaranteed| guaranteed.0);
        queue.used.total(resource).0 > guaranteed
    };
    let mut beside = cluster.path(pod.queue).filter(|(_, other)| beside && Some(other.parent) == parent);
    cluster.is_below(pod.queue, queue) || beside.any(|(_, other)| is_over(other))
}
