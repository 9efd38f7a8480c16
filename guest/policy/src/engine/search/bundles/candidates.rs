//! The candidates on one node.

use super::WHOLE_GANG_LEVEL;
use super::attempt::BundleUse;
use crate::model::{Amounts, PodInfo, PodIx};

/// The candidates on one node, and what bounds the cost of evictions there. They stay the same while an attempt runs: its victims remain in
/// the list.
#[derive(Default)]
pub(super) struct Candidates {
    /// The number of the pool and the pod: the lowest level first, in the order of eviction.
    pub(super) pods: Vec<(usize, PodIx)>,
    /// The number of candidates of the lowest level.
    pub(super) elastic: usize,
    /// The most that one candidate frees, for each resource.
    pub(super) largest_freed: Amounts,
    /// The amounts that the candidates of the lower levels free together.
    pub(super) freed_by_lower_levels: Amounts,
    /// The amounts that the candidates of the lower levels and the jobs of one pod free together.
    pub(super) without_gangs: Amounts,
    /// What all candidates free at most.
    pub(super) freed_by_all: Amounts,
    /// The smallest loss of a job with a pod on the node that is evicted whole, and its index among the available ones.
    pub(super) least_loss: Option<(i128, usize)>,
}

impl Candidates {
    /// Adds a candidate of the pool of this number.
    pub(super) fn add(&mut self, (number, pool): (usize, &BundleUse<'_>), (ix, pod): (PodIx, &PodInfo)) {
        self.pods.push((number, ix));
        self.elastic = self.elastic.saturating_add(usize::from(pool.level == 0));
        self.freed_by_all.add(pod.request());
        if pool.bundle.loss.gangs == 0 {
            self.without_gangs.add(pod.request());
        }
        if pool.level == WHOLE_GANG_LEVEL {
            let loss = (pool.bundle.loss.work, pool.index);
            self.least_loss = Some(self.least_loss.map_or(loss, |least| least.min(loss)));
        } else {
            self.freed_by_lower_levels.add(pod.request());
        }
        for (resource, amount) in pod.request().iter() {
            if self.largest_freed.get(resource) < amount {
                self.largest_freed.set(resource, amount);
            }
        }
    }
}
