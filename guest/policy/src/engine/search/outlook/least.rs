//! The least that victims on a node are, whichever of the candidates there they are.

use super::{Gap, Outlook};
use crate::laws::{LeastVictims, counted};
use crate::model::{Cluster, Resident};

/// The victims on a node that close its gaps, which all candidates there together do.
pub(super) struct Least<'a> {
    outlook: &'a Outlook,
    cluster: &'a Cluster,
    residents: &'a [Resident],
    gaps: &'a [Gap],
    count: i64,
    highest: i64,
    priorities: i64,
}

impl<'a> Least<'a> {
    /// Returns the victims on a node with these pods, the least important first.
    pub(super) fn of(
        outlook: &'a Outlook,
        cluster: &'a Cluster,
        residents: &'a [Resident],
        gaps: &'a mut [Gap],
    ) -> Least<'a> {
        let so_many = |gap: &Gap| {
            let whole = gap.missing.checked_div(gap.largest).unwrap_or(0);
            if whole.saturating_mul(gap.largest) < gap.missing { whole.saturating_add(1) } else { whole }
        };
        let count = gaps.iter().map(so_many).max().unwrap_or(1);
        gaps.iter_mut().for_each(|gap| gap.freed = 0);
        // What a victim frees is looked at only where some candidates may stay.
        let is_all = count >= i64::try_from(residents.len()).unwrap_or(i64::MAX);
        let (mut highest, mut priorities, mut taken) = (i64::MIN, 0i64, 0i64);
        for resident in residents.iter().filter(|resident| outlook.is_candidate(resident.class)) {
            highest = i64::from(resident.priority);
            if taken < count {
                priorities = priorities.saturating_add(counted(resident.priority));
            }
            taken = taken.saturating_add(1);
            if !is_all {
                outlook.evict(resident.class, gaps);
                if taken >= count && gaps.iter().all(|gap| gap.freed >= gap.missing) {
                    break;
                }
            }
        }
        Least { outlook, cluster, residents, gaps, count, highest, priorities }
    }

    /// Returns the candidates of which none is more important than the victims are at least.
    fn candidates(&self) -> impl Iterator<Item = &Resident> {
        let residents = self.residents.iter().take_while(|resident| i64::from(resident.priority) <= self.highest);
        residents.filter(|resident| self.outlook.is_candidate(resident.class))
    }
}

impl LeastVictims for Least<'_> {
    fn count(&self) -> i64 {
        self.count
    }

    fn highest(&self) -> i64 {
        self.highest
    }

    fn priorities(&self) -> i64 {
        self.priorities
    }

    fn share(&self) -> i64 {
        let smallest = self.candidates().map(|resident| self.outlook.share(resident.class)).min();
        smallest.unwrap_or(0).saturating_mul(self.count)
    }

    fn youngest(&self) -> i64 {
        self.candidates().map(|resident| resident.created).max().unwrap_or(i64::MAX)
    }

    /// Returns the earliest of the latest starts, as many as there are victims.
    fn earliest_start(&self) -> i64 {
        let now = self.cluster.now();
        let mut starts: Vec<i64> = self.candidates().map(|resident| resident.started.unwrap_or(now)).collect();
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        match starts.len().min(count).checked_sub(1) {
            Some(last) => *starts.select_nth_unstable_by(last, |a, b| b.cmp(a)).1,
            None => i64::MAX,
        }
    }

    fn size(&self) -> i64 {
        // Each victim rounds its share down.
        let rounded = i64::try_from(self.residents.len()).unwrap_or(i64::MAX);
        let share = |gap: &Gap| self.cluster.share_of(gap.of, gap.missing).saturating_sub(rounded);
        self.gaps.iter().map(share).max().unwrap_or(0).max(self.share())
    }
}
