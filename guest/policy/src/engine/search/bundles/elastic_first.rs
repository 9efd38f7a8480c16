//! Elastic pods first: a normal victim is judged after the eviction of all elastic victims of the same gang.
//!
//! An attempt finds its victims node by node, so it may need an elastic pod after normal ones. It evicts the elastic pod only if each of
//! those normal pods could still be evicted afterwards. Otherwise the usage of the elastic pod would count as an excess of the queue, and
//! the queue would lose normal pods that it deserves.
//!
//! Source: *Elastic scheduling based on AI scenarios*, Main process, Reclaim: elastic tasks are reclaimed before normal ones.

use super::attempt::GangPlacement;
use crate::model::{Cluster, PodInfo, PodIx, QueueIx};

impl GangPlacement<'_, '_, '_> {
    /// Checks whether all evicted normal pods could be evicted after this elastic pod as well.
    pub(super) fn normal_victims_stay_allowed(&mut self, elastic: PodIx) -> bool {
        let cluster = self.trial.cluster();
        let queue = cluster.pod(elastic).and_then(|pod| pod.queue);
        let is_near = |ix: PodIx| cluster.pod(ix).is_some_and(|pod| are_related(cluster, queue, pod.queue));
        let normal: Vec<_> = self.normal_victims.iter().copied().filter(|(ix, _)| is_near(*ix)).collect();
        if normal.is_empty() {
            return true;
        }
        let before = self.trial.savepoint();
        for (ix, place) in normal.iter().rev() {
            self.trial.set_location(*ix, *place);
        }
        self.trial.evict(elastic);
        let mut all = true;
        for (ix, _) in normal {
            all = all
                && self
                    .victim_search
                    .first_denial(
                        self.trial.cluster(),
                        &self.victim_search.rules.victim_filters,
                        ix,
                        self.short_by_victim.get(&ix).map(Vec::as_slice),
                    )
                    .is_none();
            self.trial.evict(ix);
        }
        self.trial.rewind(before);
        self.has_order_conflict |= !all;
        all
    }
}

/// Checks whether a pod is elastic.
pub(super) fn is_elastic(cluster: &Cluster, ix: PodIx) -> bool {
    cluster.pod(ix).is_some_and(PodInfo::is_preemptible)
}

/// Checks whether the usage of one queue matters to a law about the other: they are equal or have a common ancestor.
fn are_related(cluster: &Cluster, one: Option<QueueIx>, other: Option<QueueIx>) -> bool {
    one == other || cluster.path(one).any(|(ix, _)| cluster.path(other).any(|(above, _)| above == ix))
}
