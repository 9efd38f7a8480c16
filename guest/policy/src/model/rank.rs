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
mod tests;
