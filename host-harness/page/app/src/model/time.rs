//! The decided cycles, on a line: each with the cluster as it was when it began, and its changes.

use std::collections::VecDeque;
use std::sync::Arc;

use lictor_picture::Picture;

use super::results::{PendingPodResult, pending_results};
use crate::data::{CycleView, DecisionReportView, MomentView};

#[cfg(test)]
mod tests;

/// The most moments that are kept.
pub const MOST: usize = 200;

/// The most nodes, pods and attempts of all kept moments together. The last moment is kept whatever its size.
pub const MOST_IN_SUM: usize = 1_000_000;

/// A cycle that is kept. Cheap to copy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredMoment {
    /// The number of the cycle, from 1.
    pub number: usize,
    /// The objects that left the cluster before it.
    pub left: Arc<Vec<String>>,
    /// The cluster before the decisions.
    pub picture: Arc<Picture>,
    /// The decisions.
    pub record: Arc<DecisionReportView>,
    /// The changes by the cycle.
    pub changes: CycleChanges,
}

/// The changes by a cycle, in numbers of pods.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CycleChanges {
    /// Pods that were bound.
    pub bound: usize,
    /// Pods that were nominated.
    pub nominated: usize,
    /// Victims.
    pub evicted: usize,
    /// Pods that were tried, and have no node and no nomination.
    pub refused: usize,
    /// Objects that left before the cycle.
    pub left: usize,
}

impl CycleChanges {
    /// Counts the changes by a cycle. `left`: the objects that left before it.
    pub fn of(cycle: &CycleView, left: usize) -> CycleChanges {
        let is_refused = |(pod, fate): &(&str, PendingPodResult)| {
            let has_none =
                matches!(fate, PendingPodResult::Refused | PendingPodResult::Unschedulable | PendingPodResult::Pending);
            has_none && !cycle.pending.still_nominated.contains_key(*pod)
        };
        CycleChanges {
            bound: cycle.bound.len(),
            nominated: cycle.nominated.len(),
            evicted: cycle.victims.len(),
            refused: pending_results(cycle).into_iter().filter(is_refused).count(),
            left,
        }
    }

    /// Returns whether nothing changed in the cluster: the same cycle again would decide the same.
    pub fn is_quiet(&self) -> bool {
        (self.bound, self.nominated, self.evicted, self.left) == (0, 0, 0, 0)
    }

    /// Returns the changes in words.
    pub fn sentence(&self) -> String {
        let parts = [
            (self.left, "left"),
            (self.bound, "bound"),
            (self.nominated, "nominated"),
            (self.evicted, "evicted"),
            (self.refused, "without a node"),
        ];
        let said: Vec<String> =
            parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        if said.is_empty() { "nothing changed".to_owned() } else { said.join(", ") }
    }
}

/// The moments that are kept, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moments {
    stored: VecDeque<StoredMoment>,
    sum: usize,
}

impl Moments {
    /// Adds the next moment. Beyond the limits the oldest ones are removed; where moments in between were skipped, all are.
    pub fn push(&mut self, moment: MomentView) {
        if moment.number != self.last().saturating_add(1) {
            *self = Moments::default();
        }
        let MomentView { number, left, picture, record } = moment;
        let changes = record.cycles.last().map(|cycle| CycleChanges::of(cycle, left.len())).unwrap_or_default();
        let kept = StoredMoment {
            number,
            left: Arc::new(left),
            picture: Arc::new(picture),
            record: Arc::new(record),
            changes,
        };
        self.sum = self.sum.saturating_add(size(&kept));
        self.stored.push_back(kept);
        while self.stored.len() > 1 && (self.stored.len() > MOST || self.sum > MOST_IN_SUM) {
            if let Some(oldest) = self.stored.pop_front() {
                self.sum = self.sum.saturating_sub(size(&oldest));
            }
        }
    }

    /// Returns the moment with this number. `None`: it is not kept.
    pub fn get(&self, number: usize) -> Option<&StoredMoment> {
        let place = number.checked_sub(self.first())?;
        self.stored.get(place)
    }

    /// Returns the number of the oldest moment; 0 where none is kept.
    pub fn first(&self) -> usize {
        self.stored.front().map_or(0, |kept| kept.number)
    }

    /// Returns the number of the newest moment; 0 where none is kept.
    pub fn last(&self) -> usize {
        self.stored.back().map_or(0, |kept| kept.number)
    }

    /// Returns how many older moments are not kept any more.
    pub fn dropped(&self) -> usize {
        self.first().saturating_sub(1)
    }

    /// Returns all moments that are kept, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &StoredMoment> {
        self.stored.iter()
    }
}

/// Returns the size of a moment: its nodes, pods and attempts.
fn size(kept: &StoredMoment) -> usize {
    let pods = kept.picture.jobs.iter().map(|job| job.pods.len());
    let attempts = kept.record.cycles.iter().map(|cycle| cycle.attempts.len());
    pods.chain(attempts).fold(kept.picture.nodes.len(), usize::saturating_add)
}
