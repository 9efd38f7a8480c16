//! The least that victims on a node are, whichever of the candidates there they are.

use super::{Gap, Outlook};
use crate::laws::{LeastVictims, Reads, counted};
use crate::model::{Cluster, Resident};

impl Outlook {
    /// What any victims are at least that close the gaps, which all candidates together do.
    pub(super) fn victims(
        &self,
        cluster: &Cluster,
        residents: &[Resident],
        (gaps, starts): (&mut [Gap], &mut Vec<i64>),
    ) -> LeastVictims {
        let so_many = |gap: &Gap| {
            let whole = gap.missing.checked_div(gap.largest).unwrap_or(0);
            if whole.saturating_mul(gap.largest) < gap.missing { whole.saturating_add(1) } else { whole }
        };
        let count = gaps.iter().map(so_many).max().unwrap_or(1);
        gaps.iter_mut().for_each(|gap| gap.freed = 0);
        // What a victim frees is looked at only where some candidates may stay.
        let is_all = count >= i64::try_from(residents.len()).unwrap_or(i64::MAX);
        let (highest, youngest) = (i64::MIN, i64::MIN);
        let mut least = LeastVictims { count, highest, youngest, earliest_start: i64::MAX, ..LeastVictims::default() };
        let mut taken = 0i64;
        for resident in residents.iter().filter(|resident| self.is_candidate(resident.class)) {
            least.highest = i64::from(resident.priority);
            if taken < count {
                least.priorities = least.priorities.saturating_add(counted(resident.priority));
            }
            taken = taken.saturating_add(1);
            if !is_all {
                self.evict(resident.class, gaps);
                if taken >= count && gaps.iter().all(|gap| gap.freed >= gap.missing) {
                    break;
                }
            }
        }
        // No other victim is more important.
        let candidates = residents.iter().take_while(|resident| i64::from(resident.priority) <= least.highest);
        let candidates = candidates.filter(|resident| self.is_candidate(resident.class));
        match self.reads {
            Reads::Priorities => {}
            Reads::Share => {
                let all = candidates.map(|resident| (resident.created, self.share(resident.class)));
                let (youngest, smallest) = all.fold((i64::MIN, i64::MAX), |(youngest, smallest), (created, share)| {
                    (youngest.max(created), smallest.min(share))
                });
                (least.youngest, least.share) = (youngest, smallest.saturating_mul(count));
            }
            Reads::Stops => {
                starts.clear();
                let mut smallest = i64::MAX;
                for resident in candidates {
                    starts.push(resident.started.unwrap_or(cluster.now()));
                    smallest = smallest.min(self.share(resident.class));
                }
                // Each victim rounds its share down.
                let rounded = i64::try_from(residents.len()).unwrap_or(i64::MAX);
                let shares = gaps.iter().map(|gap| cluster.share_of(gap.of, gap.missing).saturating_sub(rounded));
                least.size = shares.max().unwrap_or(0).max(smallest.saturating_mul(count));
                least.earliest_start = earliest(starts, count);
            }
        }
        least
    }
}

/// Returns the earliest of so many starts, which are the latest of these.
fn earliest(starts: &mut [i64], count: i64) -> i64 {
    let last = usize::try_from(count).unwrap_or(usize::MAX).min(starts.len()).saturating_sub(1);
    match last.checked_add(1) {
        Some(all) if all == starts.len() => starts.iter().copied().min().unwrap_or(i64::MAX),
        _ if last < starts.len() => *starts.select_nth_unstable_by(last, |a, b| b.cmp(a)).1,
        _ => i64::MAX,
    }
}
