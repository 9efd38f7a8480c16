//! The candidates on one node.

use super::WHOLE;
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
    /// What the candidates of the lower levels free together.
    pub(super) lower: Amounts,
    /// What all candidates free at most.
    pub(super) all: Amounts,
    /// The first gang with a pod on the node that leaves whole, by its index among the available ones.
    pub(super) first_gang: Option<usize>,
}

impl Candidates {
    /// Adds a candidate of a pool on a level and with an index there.
    pub(super) fn add(&mut self, (number, level, place): (usize, usize, usize), (ix, pod): (PodIx, &Pod)) {
        self.pods.push((number, ix));
        self.elastic = self.elastic.saturating_add(usize::from(level == 0));
        self.all.add(&pod.request);
        if level == WHOLE {
            self.first_gang = Some(self.first_gang.map_or(place, |first| first.min(place)));
        } else {
            self.lower.add(&pod.request);
        }
        for (resource, amount) in pod.request.iter() {
            if self.largest.get(resource) < amount {
                self.largest.set(resource, amount);
            }
        }
    }
}
