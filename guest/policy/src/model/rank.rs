//! Ranks: the order of names as numbers, so that ties are broken by name without comparing a string.
//!
//! A name gets a number between those of its neighbours; where no number is left between them, all are spread anew. Which
//! numbers come out depends on the order of arrival, how any two of them compare does not. Names that come in order between
//! others, as the pods of one job or of one namespace do, take a small part of the gap each.

use std::collections::BTreeMap;

/// The gap between two ranks after all names are spread anew.
const STRIDE: u64 = 1 << 32;

/// The part of a gap, as a divisor, that a name leaves to the neighbour that it follows in a run.
const RUN: u64 = 1 << 10;

/// The rank of an object without a rank.
pub const UNRANKED: u64 = 0;

/// Names in order.
#[derive(Debug, Clone)]
pub struct Ranks<K: Ord> {
    known: BTreeMap<K, NameRank>,
    /// Names that were added in order, each after all others. A host announces its pods by name when it starts, and such names need no lookup.
    tail: Vec<(K, u64)>,
    /// The number of names that were put between others.
    turns: u64,
}

/// The rank of a name, and the turn at which it was put between others; 0 if it was added after all others.
#[derive(Debug, Clone, Copy)]
struct NameRank {
    rank: u64,
    turn: u64,
}

impl<K: Ord> Default for Ranks<K> {
    fn default() -> Self {
        Ranks { known: BTreeMap::new(), tail: Vec::new(), turns: 0 }
    }
}

/// The effect of adding a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankChange {
    /// The name has this rank; no other rank changed.
    Rank(u64),
    /// All ranks have changed, and the name has one of them.
    Respread,
}

impl<K: Ord> Ranks<K> {
    /// Returns the rank of a name.
    pub fn get(&self, name: &K) -> Option<u64> {
        match self.tail.first() {
            Some((first, _)) if first <= name => {
                let at = self.tail.binary_search_by(|(known, _)| known.cmp(name)).ok()?;
                self.tail.get(at).map(|(_, rank)| *rank)
            }
            _ => self.known.get(name).map(|known| known.rank),
        }
    }

    /// Returns all names and their ranks, in order.
    #[cfg(test)]
    fn iter(&self) -> impl Iterator<Item = (&K, u64)> {
        let tail = self.tail.iter().map(|(name, rank)| (name, *rank));
        self.known.iter().map(|(name, known)| (name, known.rank)).chain(tail)
    }

    /// Adds a name.
    pub fn add(&mut self, name: K) -> RankChange {
        let last = self.tail.last().map(|(name, rank)| (name, *rank));
        let last = last.or_else(|| self.known.last_key_value().map(|(name, known)| (name, known.rank)));
        let behind = last.is_none_or(|(last, _)| *last < name).then(|| last.map_or(0, |(_, rank)| rank));
        if let Some(rank) = behind.and_then(|last| last.checked_add(STRIDE)) {
            self.tail.push((name, rank));
            return RankChange::Rank(rank);
        }
        self.merge_tail();
        let above = match self.known.range(&name..).next() {
            Some((same, known)) if *same == name => return RankChange::Rank(known.rank),
            above => above.map(|(_, known)| *known),
        };
        let below = self.known.range(..&name).next_back().map(|(_, known)| *known);
        let rank = between(below, above);
        let unique = below.is_none_or(|below| rank > below.rank)
            && above.is_none_or(|above| rank < above.rank)
            && rank > UNRANKED;
        self.turns = self.turns.saturating_add(1);
        self.known.insert(name, NameRank { rank, turn: self.turns });
        if unique {
            return RankChange::Rank(rank);
        }
        let mut next = 0u64;
        for known in self.known.values_mut() {
            next = next.saturating_add(STRIDE);
            known.rank = next;
        }
        RankChange::Respread
    }

    /// Forgets a name.
    pub fn remove(&mut self, name: &K) {
        self.merge_tail();
        self.known.remove(name);
    }

    /// Puts the names that came in order to the others. Many are put there all at once.
    fn merge_tail(&mut self) {
        let tail = std::mem::take(&mut self.tail).into_iter().map(|(name, rank)| (name, NameRank { rank, turn: 0 }));
        if tail.len() > self.known.len().div_ceil(8) {
            self.known.append(&mut tail.collect());
        } else {
            self.known.extend(tail);
        }
    }
}

/// Returns a rank between those of two neighbours. The neighbour that was put between others later is the end of a run of names. More names of the
/// run will follow, so most of the gap is left on the other side.
fn between(below: Option<NameRank>, above: Option<NameRank>) -> u64 {
    let (low, last) = below.map_or((0, 0), |below| (below.rank, below.turn));
    let Some(NameRank { rank: high, turn: next }) = above else { return low.saturating_add(STRIDE) };
    let part = high.saturating_sub(low).div_ceil(RUN);
    match last.cmp(&next) {
        std::cmp::Ordering::Greater => low.saturating_add(part),
        std::cmp::Ordering::Less => high.saturating_sub(part),
        std::cmp::Ordering::Equal => low.midpoint(high),
    }
}

#[cfg(test)]
mod tests;
