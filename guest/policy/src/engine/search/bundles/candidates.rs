//! The candidates on one node.

use crate::model::{Amounts, Pod, PodIx};

/// The candidates on one node, and what bounds the cost of evictions there. They stay the same while an attempt runs: its victims remain in
/// the list.
#[derive(Default)]
pub(super) struct Candidates {
    /// The number of the pool and the pod: the lowest level first, in the order of eviction.
    pub(super) pods: Vec<(usize, PodIx)>,
    /// The number of candidates of the lowest level.
    pub(super) elastic: usize,
    /// The most that one candidate frees, for each resource.
    pub(super) largest: Amounts,
}

impl Candidates {
    /// Adds a candidate of a pool on a level.
    pub(super) fn add(&mut self, (number, level): (usize, usize), (ix, pod): (PodIx, &Pod)) {
        self.pods.push((number, ix));
        self.elastic = self.elastic.saturating_add(usize::from(level == 0));
        for (resource, amount) in pod.request.iter() {
            if self.largest.get(resource) < amount {
                self.largest.set(resource, amount);
            }
        }
    }
}
