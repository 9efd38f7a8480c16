//! Ranks: the order of names as numbers, so that ties are broken by name without comparing a string.
//!
//! A name gets a number between those of its neighbours; where no number is left between them, all are spread anew. Which
//! numbers come out depends on the order of arrival, how any two of them compare does not.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

/// The room a name gets when names are spread anew.
const STRIDE: u64 = 1 << 32;

/// The rank of what has none yet.
pub const UNRANKED: u64 = 0;

/// Names in order.
#[derive(Debug, Clone)]
pub struct Ranks<K: Ord> {
    known: BTreeMap<K, u64>,
    /// Names that came in order, each behind all others: a host tells its pods by name when it starts, and none needs to be looked for.
    tail: Vec<(K, u64)>,
}

impl<K: Ord> Default for Ranks<K> {
    fn default() -> Self {
        Ranks { known: BTreeMap::new(), tail: Vec::new() }
    }
}

/// What became of a name that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It has this rank; no other changed.
    Rank(u64),
    /// All ranks have changed, its own is among them.
    Respread,
}

impl<K: Ord> Ranks<K> {
    /// The rank of a name.
    pub fn get(&self, name: &K) -> Option<u64> {
        match self.tail.first() {
            Some((first, _)) if first <= name => {
                let at = self.tail.binary_search_by(|(known, _)| known.cmp(name)).ok()?;
                self.tail.get(at).map(|(_, rank)| *rank)
            }
            _ => self.known.get(name).copied(),
        }
    }

    /// All names and their ranks, in order.
    #[cfg(test)]
    fn iter(&self) -> impl Iterator<Item = (&K, u64)> {
        self.known.iter().chain(self.tail.iter().map(|(name, rank)| (name, rank))).map(|(name, rank)| (name, *rank))
    }

    /// Adds a name.
    pub fn add(&mut self, name: K) -> Added {
        let last = self.tail.last().map(|(name, rank)| (name, *rank));
        let last = last.or_else(|| self.known.last_key_value().map(|(name, rank)| (name, *rank)));
        let behind = last.is_none_or(|(last, _)| *last < name).then(|| last.map_or(0, |(_, rank)| rank));
        if let Some(rank) = behind.and_then(|last| last.checked_add(STRIDE)) {
            self.tail.push((name, rank));
            return Added::Rank(rank);
        }
        if let Some(rank) = self.get(&name) {
            return Added::Rank(rank);
        }
        self.settle();
        let below = self.known.range((Unbounded, Excluded(&name))).next_back().map_or(0, |(_, rank)| *rank);
        let above = self.known.range((Excluded(&name), Unbounded)).next().map(|(_, rank)| *rank);
        let rank = match above {
            Some(above) => below.midpoint(above),
            None => below.saturating_add(STRIDE),
        };
        let unique = rank > below && above.is_none_or(|above| rank < above);
        self.known.insert(name, rank);
        if unique {
            return Added::Rank(rank);
        }
        let mut next = 0u64;
        for rank in self.known.values_mut() {
            next = next.saturating_add(STRIDE);
            *rank = next;
        }
        Added::Respread
    }

    /// Forgets a name.
    pub fn remove(&mut self, name: &K) {
        self.settle();
        self.known.remove(name);
    }

    /// Puts the names that came in order to the others. Many are put there all at once.
    fn settle(&mut self) {
        let tail = std::mem::take(&mut self.tail);
        if tail.len() > self.known.len().div_ceil(8) {
            self.known.append(&mut tail.into_iter().collect());
        } else {
            self.known.extend(tail);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_gap_that_is_used_up_spreads_all_names_anew() {
        let mut ranks = Ranks::default();
        ranks.add(0u32);
        ranks.add(1_000_000);
        let respread = (1..=40).rev().filter(|name| ranks.add(*name) == Added::Respread).count();
        assert_eq!(respread, 1, "32 halvings use the gap up, one more spreads");
        let order: Vec<u64> = ranks.iter().map(|(_, rank)| rank).collect();
        assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
    }

    #[test]
    fn names_in_order_are_ranked_in_order_until_the_numbers_end() {
        let mut ranks = Ranks { tail: vec![(0u32, u64::MAX - 2 * STRIDE - 1)], ..Ranks::default() };
        let added: Vec<Added> = (1..=4).map(|name| ranks.add(name)).collect();
        assert_eq!(added[0], Added::Rank(u64::MAX - STRIDE - 1));
        assert_eq!(added.iter().filter(|added| **added == Added::Respread).count(), 1, "{added:?}");
        let order: Vec<(u32, u64)> = ranks.iter().map(|(name, rank)| (*name, rank)).collect();
        assert!(order.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{order:?}");
    }

    proptest! {
        #[test]
        fn ranks_compare_as_names_do(names in proptest::collection::vec(0u16..500, 0..300), removed in 0usize..50) {
            let mut ranks = Ranks::default();
            for (at, name) in names.iter().enumerate() {
                ranks.add(*name);
                if at % 7 == 0 && let Some(gone) = names.get(removed) {
                    ranks.remove(gone);
                }
            }
            let order: Vec<(u16, u64)> = ranks.iter().map(|(name, rank)| (*name, rank)).collect();
            prop_assert!(order.iter().all(|(name, rank)| ranks.get(name) == Some(*rank)));
            prop_assert!(order.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
        }
    }
}
