//! Elastic pods go first: a normal pod is judged with all the elastic ones gone that are evicted for the same gang.
//!
//! An attempt finds its victims node by node, so an elastic pod may be needed after normal ones are gone already. It may go only if
//! each of those could still go after it: else the elastic pod's share would be counted as an excess of the queue, and a normal
//! pod taken for it that the queue deserves.
//!
//! Source: *Elastic scheduling based on AI scenarios*, Main process, Reclaim: elastic tasks are reclaimed before normal ones.

use super::attempt::Attempt;
use crate::model::{Cluster, Pod, PodIx, QueueIx};

impl Attempt<'_, '_, '_> {
    /// Whether the normal pods that have gone could all have gone after this elastic pod.
    pub(super) fn others_could_follow(&mut self, elastic: PodIx) -> bool {
        let cluster = self.trial.cluster();
        let queue = cluster.pod(elastic).and_then(|pod| pod.queue);
        let is_near = |ix: PodIx| cluster.pod(ix).is_some_and(|pod| are_related(cluster, queue, pod.queue));
        let normal: Vec<_> = self.normal.iter().copied().filter(|(ix, _)| is_near(*ix)).collect();
        if normal.is_empty() {
            return true;
        }
        let before = self.trial.mark();
        for (ix, place) in normal.iter().rev() {
            self.trial.put(*ix, *place);
        }
        self.trial.evict(elastic);
        let mut all = true;
        for (ix, _) in normal {
            all =
                all && self.victim_search.barring(self.trial.cluster(), &self.victim_search.rules.guards, ix).is_none();
            self.trial.evict(ix);
        }
        self.trial.rewind(before);
        self.clashed |= !all;
        all
    }
}

/// Whether a pod is elastic.
pub(super) fn is_elastic(cluster: &Cluster, ix: PodIx) -> bool {
    cluster.pod(ix).is_some_and(Pod::is_elastic)
}

/// Whether what happens in one queue counts for a law about the other: they are the same, or below the same one.
fn are_related(cluster: &Cluster, one: Option<QueueIx>, other: Option<QueueIx>) -> bool {
    one == other || cluster.path(one).any(|(ix, _)| cluster.path(other).any(|(above, _)| above == ix))
}
