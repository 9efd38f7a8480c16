//! The end of an attempt: limits hold, jobs shrink by whole steps, and whom one can is put back.

use super::attempt::Attempt;
use crate::laws::Breach;
use crate::model::{Cluster, NodeIx, Overflow, PodIx, QueueIx, ResourceIx};

impl Attempt<'_, '_, '_> {
    /// Evicts pods at hand that count against a bound that does not hold, until every limit does.
    pub(super) fn within_limits(&mut self) -> Result<bool, Overflow> {
        let pods: Vec<PodIx> = self.placements.iter().map(|(ix, _)| *ix).collect();
        while let Some((_, breach)) = self.hunt.broken(self.trial.cluster(), &pods)? {
            let Breach::Exceeds { queue, resource, .. } = breach else { return Ok(false) };
            let all = self.pools.iter().enumerate();
            let all = all.flat_map(|(number, pool)| pool.bundle.pods.iter().map(move |ix| (number, *ix)));
            let counting: Vec<_> = all.filter(|(_, ix)| counts(self.trial.cluster(), *ix, queue, resource)).collect();
            if !self.evict_first(counting)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Evicts the first of these who may go; whether there is one.
    fn evict_first(&mut self, of: Vec<(usize, PodIx)>) -> Result<bool, Overflow> {
        for (number, ix) in of {
            if self.may_go(number, ix, 0)? {
                self.evict_of(number, ix)?;
                return Ok(true);
            }
        }
        Ok(false)
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
                if short && self.may_go(number, ix, 0)? {
                    self.evict_of(number, ix)?;
                }
            }
            if self.pools.get(number).is_some_and(|pool| pool.gone.len() != step) {
                return Ok(false);
            }
        }
        Ok(true)
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
                    self.normal.retain(|(other, _)| *other != ix);
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

/// Whether what a pod holds of a resource counts against a bound of this queue.
fn counts(cluster: &Cluster, ix: PodIx, queue: QueueIx, resource: ResourceIx) -> bool {
    cluster.pod(ix).is_some_and(|pod| pod.request.get(resource) > 0 && cluster.is_below(pod.queue, queue))
}
