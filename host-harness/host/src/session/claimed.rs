//! The numbers of plans that an instance of the policy has used.

use std::collections::BTreeMap;

/// A set of claimed numbers. Consecutive numbers take the memory of one, because an instance makes plans for weeks.
#[derive(Debug, Default)]
pub(super) struct UsedPlanNumbers {
    /// The last number of each range, by its first.
    ranges: BTreeMap<u64, u64>,
}

impl UsedPlanNumbers {
    /// Claims a number. Returns whether it is new.
    pub(super) fn insert(&mut self, number: u64) -> bool {
        let before = self.ranges.range(..=number).next_back().map(|(first, last)| (*first, *last));
        if before.is_some_and(|(_, last)| number <= last) {
            return false;
        }
        let behind = number.checked_add(1).and_then(|next| self.ranges.remove(&next));
        let joined = before.filter(|(_, last)| last.checked_add(1) == Some(number));
        self.ranges.insert(joined.map_or(number, |(first, _)| first), behind.unwrap_or(number));
        true
    }

    /// Forgets all numbers, because a new instance counts from the beginning.
    pub(super) fn clear(&mut self) {
        self.ranges.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_number_is_claimed_once_and_ranges_take_the_memory_of_one_number() {
        const BEFORE_LAST: u64 = u64::MAX - 1;
        let (mut claimed, mut all) = (UsedPlanNumbers::default(), BTreeSet::new());
        // The order leaves gaps and fills them later.
        let numbers = (0..7).flat_map(|first| (first..1_000).step_by(7));
        for number in numbers.chain([u64::MAX, BEFORE_LAST, 500, 0, u64::MAX]) {
            assert_eq!(claimed.insert(number), all.insert(number), "{number}");
        }
        assert_eq!(claimed.ranges, BTreeMap::from([(0, 999), (BEFORE_LAST, u64::MAX)]));
        claimed.clear();
        assert!(claimed.insert(500));
    }
}
