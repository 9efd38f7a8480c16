//! What would be counted if some pods were elsewhere than the books have them.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Cluster, DomainCountsIx, NodeIx, PodIx};

/// Pods that are assumed gone from their nodes, or placed on nodes, beyond the books. It is valid only while nothing but trials changes the cluster.
/// What a trial changes meanwhile adds to it.
#[derive(Debug, Clone, Default)]
pub struct DomainCountOverlay {
    /// The number of pods that a book has in a domain beyond its own count; may be negative.
    deltas: BTreeMap<(DomainCountsIx, u32), i64>,
    /// The pods that were evicted and not reprieved.
    evicted: BTreeSet<PodIx>,
}

impl DomainCountOverlay {
    /// Assumes a pod on a node.
    pub fn place(&mut self, cluster: &Cluster, pod: PodIx, node: NodeIx) {
        self.change(cluster, pod, node, 1);
    }

    /// Assumes a pod gone from a node.
    pub fn remove(&mut self, cluster: &Cluster, pod: PodIx, node: NodeIx) {
        self.change(cluster, pod, node, -1);
    }

    /// Assumes a pod gone from its node, and with it the other pods of its eviction set.
    pub fn evict_set(&mut self, cluster: &Cluster, pod: PodIx) {
        self.change_set(cluster, pod, -1);
    }

    /// Takes an eviction back.
    pub fn reprieve_set(&mut self, cluster: &Cluster, pod: PodIx) {
        self.change_set(cluster, pod, 1);
    }

    /// Assumes these pods gone from their nodes, unless their eviction is assumed already.
    pub fn remove_all(&mut self, cluster: &Cluster, leaving: &[(PodIx, NodeIx)]) {
        let others = leaving.iter().filter(|(pod, _)| !self.evicted.contains(pod)).copied();
        others.collect::<Vec<_>>().into_iter().for_each(|(pod, node)| self.remove(cluster, pod, node));
    }

    fn change_set(&mut self, cluster: &Cluster, head: PodIx, by: i64) {
        if cluster.is_unconstrained(head) {
            return;
        }
        for ix in cluster.eviction_set(head) {
            if let Some(node) = cluster.pod(ix).and_then(|pod| pod.node()) {
                self.change(cluster, ix, node, by);
                if by < 0 {
                    self.evicted.insert(ix)
                } else {
                    self.evicted.remove(&ix)
                };
            }
        }
    }

    fn change(&mut self, cluster: &Cluster, pod: PodIx, node: NodeIx, by: i64) {
        let Some(pod) = cluster.pod(pod) else { return };
        let Some(inter_pod) = pod.requirements.inter_pod else { return };
        for at in cluster.inter_pods().entries(inter_pod, node, pod.state.terminating) {
            let more = self.deltas.entry(at).or_default();
            *more = more.saturating_add(by);
        }
    }

    /// Returns the number of pods that a book has in a domain beyond its own count; may be negative.
    pub(super) fn delta(&self, book: DomainCountsIx, domain: u32) -> i64 {
        self.deltas.get(&(book, domain)).copied().unwrap_or(0)
    }

    /// Returns the domains of a book with more or fewer pods than its own count, and the difference.
    pub(super) fn deltas_of(&self, book: DomainCountsIx) -> impl Iterator<Item = (u32, i64)> + '_ {
        let changed = self.deltas.range((book, 0)..=(book, u32::MAX));
        changed.filter(|(_, more)| **more != 0).map(|((_, domain), more)| (*domain, *more))
    }
}
