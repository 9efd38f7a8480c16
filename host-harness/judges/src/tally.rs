//! What a run has compared.

use std::collections::BTreeMap;

/// The counts of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComparisonCounts {
    /// The number of attempts that were compared.
    pub attempts: u64,
    /// Those in which policy and upstream decide alike.
    pub same: u64,
    /// Differences by the ruling that explains them.
    pub departures: BTreeMap<&'static str, u64>,
    /// The index of a case with such a difference, by ruling.
    pub examples: BTreeMap<&'static str, u64>,
    /// Attempts that were not compared, by the reason.
    pub not_compared: BTreeMap<&'static str, u64>,
}

impl ComparisonCounts {
    /// Adds the counts of another run.
    pub fn add(&mut self, other: &ComparisonCounts) {
        for (id, case) in &other.examples {
            self.examples.entry(id).or_insert(*case);
        }
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.same = self.same.saturating_add(other.same);
        let maps = [(&mut self.departures, &other.departures), (&mut self.not_compared, &other.not_compared)];
        for (mine, theirs) in maps {
            for (key, count) in theirs {
                count_more(mine, key, *count);
            }
        }
    }
}

/// Raises a count.
pub(crate) fn count_more(counts: &mut BTreeMap<&'static str, u64>, key: &'static str, more: u64) {
    let count = counts.entry(key).or_insert(0);
    *count = count.saturating_add(more);
}
