//! The end of an attempt: limits hold, jobs shrink by whole steps, and whom one can is put back.

use super::attempt::Attempt;
use crate::laws::Breach;
use crate::model::{NodeIx, Overflow, PodIx};

impl Attempt<'_, '_, '_> {
    /// Evicts pods at hand that count against a bound that does not hold, until every limit does.
    pub(super) fn within_limits(&mut self) -> Result<bool, Overflow> {
        let pods: Vec<PodIx> = self.placements.iter().map(|(ix, _)| *ix).collect();
        while let Some((_, breach)) = self.hunt.broken(self.trial.cluster(), &pods)? {
            let Breach::Exceeds { queue, resource, .. } = breach else { return Ok(false) };
            let cluster = self.trial.cluster();
            let counts = |ix: &PodIx| {
                let pod = cluster.pod(*ix);
                pod.is_some_and(|pod| pod.request.get(resource) > 0 && cluster.is_below(pod.queue, queue))
            };
            let all = self.pools.iter().enumerate();
            let mut all = all.flat_map(|(number, pool)| pool.bundle.pods.iter().map(move |ix| (number, *ix)));
            let Some((number, ix)) = all.find(|(number, ix)| counts(ix) && self.may_go(*number, *ix, 0)) else {
                return Ok(false);
            };
            self.evict(number, ix)?;
        }
        Ok(true)
    }

    /// Elastic jobs that shrink do so by one of their steps.
    pub(super) fn complete_steps(&mut self) -> Result<bool, Overflow> {
        for number in 0..self.pools.len() {
            let Some(pool) = self.pools.get(number).filter(|pool| pool.level == 0 && !pool.gone.is_empty()) else {
                continue;
            };
            let Some(step) = pool.bundle.step(pool.gone.len()) else { return Ok(false) };
            let pods = pool.bundle.pods.clone();
            for ix in pods {
                let short = self.pools.get(number).is_some_and(|pool| pool.gone.len() < step);
                if short && self.may_go(number, ix, 0) {
                    self.evict(number, ix)?;
                }
            }
            if self.pools.get(number).is_some_and(|pool| pool.gone.len() != step) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn evict(&mut self, number: usize, ix: PodIx) -> Result<(), Overflow> {
        let Some(place) = self.trial.cluster().pod(ix).map(|pod| pod.place) else { return Ok(()) };
        self.cleared.extend(place.node());
        self.trial.evict(ix)?;
        if let Some(pool) = self.pools.get_mut(number) {
            pool.gone.push((ix, place));
        }
        Ok(())
    }

    /// Puts back whom one can of those that made way singly, the last to go first.
    pub(super) fn put_back(&mut self) -> Result<(), Overflow> {
        let pods: Vec<PodIx> = self.placements.iter().map(|(ix, _)| *ix).collect();
        for number in 0..self.pools.len() {
            let Some(pool) = self.pools.get(number).filter(|pool| pool.level == 1) else { continue };
            for (ix, place) in pool.gone.clone().into_iter().rev() {
                let before = self.trial.mark();
                self.trial.put(ix, place)?;
                let crowded = place.node().is_some_and(|node| self.is_crowded(node));
                if crowded || self.hunt.broken(self.trial.cluster(), &pods)?.is_some() {
                    self.trial.rewind(before)?;
                } else if let Some(pool) = self.pools.get_mut(number) {
                    pool.gone.retain(|(other, _)| *other != ix);
                }
            }
        }
        Ok(())
    }

    /// Whether there is too little on a node of what the gang asks for.
    fn is_crowded(&self, at: NodeIx) -> bool {
        let Some(node) = self.trial.cluster().node(at) else { return true };
        let here = self.placements.iter().any(|(_, node)| *node == at);
        here && self.hunt.asker.unplaced.iter().any(|(resource, _)| node.free.get(resource) < 0)
    }
}
