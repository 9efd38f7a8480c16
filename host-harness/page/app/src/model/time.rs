//! The cycles that were decided, on a line: each with the cluster as it was when it began, and what it changed.

use std::collections::VecDeque;
use std::sync::Arc;

use lictor_picture::Picture;

use super::results::{Fate, fates};
use crate::data::{Cycle, Moment, Record};

#[cfg(test)]
mod tests;

/// How many moments are kept at most.
pub const MOST: usize = 200;

/// How many nodes, pods and attempts the moments have in sum at most. The last moment is kept whatever it has.
pub const MOST_IN_SUM: usize = 1_000_000;

/// A cycle that is kept. Cheap to copy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    /// The number of the cycle, from 1.
    pub number: usize,
    /// The objects that left the cluster before it.
    pub left: Arc<Vec<String>>,
    /// The cluster before the decisions.
    pub picture: Arc<Picture>,
    /// The decisions.
    pub record: Arc<Record>,
    /// What the cycle changed.
    pub changes: Changes,
}

/// What a cycle changed, in numbers of pods.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Pods that were bound.
    pub bound: usize,
    /// Pods that were nominated.
    pub nominated: usize,
    /// Victims.
    pub evicted: usize,
    /// Pods that were tried and are promised no node.
    pub refused: usize,
    /// Objects that left before the cycle.
    pub left: usize,
}

impl Changes {
    /// Those of a cycle.
    pub fn of(cycle: &Cycle, left: usize) -> Changes {
        let is_refused = |(pod, fate): &(&str, Fate)| {
            let has_none = matches!(fate, Fate::Refused | Fate::Unschedulable | Fate::Pending);
            has_none && !cycle.still_nominated.contains_key(*pod)
        };
        Changes {
            bound: cycle.bound.len(),
            nominated: cycle.nominated.len(),
            evicted: cycle.victims.len(),
            refused: fates(cycle).into_iter().filter(is_refused).count(),
            left,
        }
    }

    /// Nothing changed in the cluster: the same cycle again would decide the same.
    pub fn is_quiet(&self) -> bool {
        (self.bound, self.nominated, self.evicted, self.left) == (0, 0, 0, 0)
    }

    /// In words.
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
    kept: VecDeque<Kept>,
    sum: usize,
}

impl Moments {
    /// Adds the next one. The oldest ones go where there are too many, and all where some between were skipped.
    pub fn push(&mut self, moment: Moment) {
        if moment.number != self.last().saturating_add(1) {
            *self = Moments::default();
        }
        let Moment { number, left, picture, record } = moment;
        let changes = record.cycles.last().map(|cycle| Changes::of(cycle, left.len())).unwrap_or_default();
        let kept = Kept { number, left: Arc::new(left), picture: Arc::new(picture), record: Arc::new(record), changes };
        self.sum = self.sum.saturating_add(size(&kept));
        self.kept.push_back(kept);
        while self.kept.len() > 1 && (self.kept.len() > MOST || self.sum > MOST_IN_SUM) {
            if let Some(oldest) = self.kept.pop_front() {
                self.sum = self.sum.saturating_sub(size(&oldest));
            }
        }
    }

    /// The one with this number, if it is kept.
    pub fn get(&self, number: usize) -> Option<&Kept> {
        let place = number.checked_sub(self.first())?;
        self.kept.get(place)
    }

    /// The number of the oldest one; 0 where there is none.
    pub fn first(&self) -> usize {
        self.kept.front().map_or(0, |kept| kept.number)
    }

    /// The number of the newest one; 0 where there is none.
    pub fn last(&self) -> usize {
        self.kept.back().map_or(0, |kept| kept.number)
    }

    /// How many older ones are not kept any more.
    pub fn gone(&self) -> usize {
        self.first().saturating_sub(1)
    }

    /// All that are kept, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Kept> {
        self.kept.iter()
    }
}

/// How much there is in a moment: nodes, pods and attempts.
fn size(kept: &Kept) -> usize {
    let pods = kept.picture.jobs.iter().map(|job| job.pods.len());
    let attempts = kept.record.cycles.iter().map(|cycle| cycle.attempts.len());
    pods.chain(attempts).fold(kept.picture.nodes.len(), usize::saturating_add)
}
