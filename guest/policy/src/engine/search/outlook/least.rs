//! The least that victims on a node are, whichever of the candidates there they are.

use std::cell::OnceCell;

use super::{CostLowerBound, ResourceDeficit};
use crate::laws::{VictimLowerBound, priority_from_minimum};
use crate::model::{Cluster, NodePod, min_pods_to_free};

/// A lower bound of the victims on a node that close its gaps. All candidates of the node together close them.
pub(super) struct NodeVictimBound<'a> {
    pub(super) lower_bounds: &'a CostLowerBound,
    pub(super) cluster: &'a Cluster,
    /// The pods on the node, the least important first.
    pub(super) node_pods: &'a [NodePod],
    /// The missing amounts, and the most that one candidate frees of each.
    pub(super) deficits: &'a [ResourceDeficit],
    /// The number of candidates.
    pub(super) candidates: i64,
    /// The priority of the most important of the least important candidates that close the gaps together.
    pub(super) highest: i32,
    /// The minimum number of candidates that close the gaps.
    pub(super) count: i64,
    /// The extremes among the unimportant candidates, once a law has needed one of them.
    pub(super) extremes: OnceCell<Extremes>,
}

/// The extremes among the candidates that are no more important than the lower bound of the victims.
#[derive(Clone, Copy)]
pub(super) struct Extremes {
    share: i64,
    youngest: i64,
    latest_start: i64,
    earliest_start: i64,
}

/// Returns a lower bound of the number of candidates that close these gaps, none of which frees more than the largest.
pub(super) fn at_least(gaps: &[ResourceDeficit]) -> i64 {
    gaps.iter().map(|gap| min_pods_to_free(gap.missing, gap.largest)).max().unwrap_or(1)
}

impl NodeVictimBound<'_> {
    /// Returns the candidates, the least important first.
    fn candidates(&self) -> impl Iterator<Item = &NodePod> {
        self.node_pods.iter().filter(|resident| self.lower_bounds.is_candidate(resident.class))
    }

    /// Returns the candidates that are no more important than the lower bound of the victims.
    fn unimportant(&self) -> impl Iterator<Item = &NodePod> {
        let residents = self.node_pods.iter().take_while(|resident| resident.priority <= self.highest);
        residents.filter(|resident| self.lower_bounds.is_candidate(resident.class))
    }

    /// Returns the extremes among these candidates. There is at least one, which closes the last gap. All values that laws need are computed in one
    /// pass.
    fn extremes(&self) -> Extremes {
        *self.extremes.get_or_init(|| {
            let now = self.cluster.now();
            let mut all =
                Extremes { share: i64::MAX, youngest: i64::MIN, latest_start: i64::MIN, earliest_start: i64::MAX };
            for resident in self.unimportant() {
                let start = resident.started.unwrap_or(now);
                all.share = all.share.min(self.lower_bounds.share(resident.class));
                all.youngest = all.youngest.max(resident.created);
                all.latest_start = all.latest_start.max(start);
                all.earliest_start = all.earliest_start.min(start);
            }
            all
        })
    }
}

impl VictimLowerBound for NodeVictimBound<'_> {
    fn count(&self) -> i64 {
        self.count
    }

    fn highest(&self) -> i64 {
        i64::from(self.highest)
    }

    fn priorities(&self) -> i64 {
        let first = self.candidates().take(usize::try_from(self.count).unwrap_or(usize::MAX));
        first.map(|resident| priority_from_minimum(resident.priority)).fold(0, i64::saturating_add)
    }

    fn share(&self) -> i64 {
        self.extremes().share.saturating_mul(self.count)
    }

    fn youngest(&self) -> i64 {
        self.extremes().youngest
    }

    /// Returns the earliest of the latest starts, as many of them as there are victims.
    fn earliest_start(&self) -> i64 {
        match self.count {
            1 => self.extremes().latest_start,
            count if count >= self.candidates => self.extremes().earliest_start,
            count => {
                let now = self.cluster.now();
                let starts = self.unimportant().map(|resident| resident.started.unwrap_or(now));
                let mut starts: Vec<i64> = starts.collect();
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                match starts.len().min(count).checked_sub(1) {
                    Some(last) => *starts.select_nth_unstable_by(last, |a, b| b.cmp(a)).1,
                    None => i64::MAX,
                }
            }
        }
    }

    fn size(&self) -> i64 {
        // Each victim rounds its share down.
        let rounded = i64::try_from(self.node_pods.len()).unwrap_or(i64::MAX);
        let share = |gap: &ResourceDeficit| self.lower_bounds.deficit_share(self.cluster, gap).saturating_sub(rounded);
        self.deficits.iter().map(share).max().unwrap_or(0).max(self.share())
    }
}
