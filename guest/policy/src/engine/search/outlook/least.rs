//! The least that victims on a node are, whichever of the candidates there they are.

use super::{Gap, Outlook};
use crate::laws::{LeastVictims, counted};
use crate::model::{Cluster, Resident, count_for};

/// The victims on a node that close its gaps, which all candidates there together do.
pub(super) struct Least<'a> {
    pub(super) outlook: &'a Outlook,
    pub(super) cluster: &'a Cluster,
    /// The pods on the node, the least important first.
    pub(super) residents: &'a [Resident],
    /// What is missing, and the most that one candidate frees.
    pub(super) gaps: &'a [Gap],
    /// How many candidates there are.
    pub(super) candidates: i64,
    /// The priority of the last of the least important ones that close the gaps together.
    pub(super) highest: i32,
    /// How many candidates close the gaps at least.
    pub(super) count: i64,
}

/// Returns how many candidates close these gaps at least, none of which frees more than the largest.
pub(super) fn at_least(gaps: &[Gap]) -> i64 {
    gaps.iter().map(|gap| count_for(gap.missing, gap.largest)).max().unwrap_or(1)
}

impl Least<'_> {
    /// Returns the candidates, the least important first.
    fn candidates(&self) -> impl Iterator<Item = &Resident> {
        self.residents.iter().filter(|resident| self.outlook.is_candidate(resident.class))
    }

    /// Returns the candidates of which none is more important than the victims are at least.
    fn unimportant(&self) -> impl Iterator<Item = &Resident> {
        let residents = self.residents.iter().take_while(|resident| resident.priority <= self.highest);
        residents.filter(|resident| self.outlook.is_candidate(resident.class))
    }
}

impl LeastVictims for Least<'_> {
    fn count(&self) -> i64 {
        self.count
    }

    fn highest(&self) -> i64 {
        i64::from(self.highest)
    }

    fn priorities(&self) -> i64 {
        let first = self.candidates().take(usize::try_from(self.count).unwrap_or(usize::MAX));
        first.map(|resident| counted(resident.priority)).fold(0, i64::saturating_add)
    }

    fn share(&self) -> i64 {
        let smallest = self.unimportant().map(|resident| self.outlook.share(resident.class)).min();
        smallest.unwrap_or(0).saturating_mul(self.count)
    }

    fn youngest(&self) -> i64 {
        self.unimportant().map(|resident| resident.created).max().unwrap_or(i64::MAX)
    }

    /// Returns the earliest of the latest starts, as many as there are victims.
    fn earliest_start(&self) -> i64 {
        let (now, count) = (self.cluster.now(), self.count);
        let starts = self.unimportant().map(|resident| resident.started.unwrap_or(now));
        match count {
            1 => starts.max().unwrap_or(i64::MAX),
            count if count >= self.candidates => starts.min().unwrap_or(i64::MAX),
            count => {
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
        let rounded = i64::try_from(self.residents.len()).unwrap_or(i64::MAX);
        let share = |gap: &Gap| self.cluster.share_of(gap.of, gap.missing).saturating_sub(rounded);
        self.gaps.iter().map(share).max().unwrap_or(0).max(self.share())
    }
}
