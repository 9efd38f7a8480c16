//! Brute force: whether pods find room when some make way, tried over every placement and every set of those who can go.

use crate::amounts::Amounts;

/// Who could make way.
#[derive(Debug, Clone)]
pub(crate) struct Mover<'a> {
    pub(crate) name: &'a str,
    /// The node on which it gives room.
    pub(crate) node: usize,
    pub(crate) request: &'a Amounts,
}

/// Who wants a place.
#[derive(Debug, Clone)]
pub(crate) struct Asker<'a> {
    pub(crate) request: &'a Amounts,
    /// The nodes that it may run on.
    pub(crate) nodes: Vec<usize>,
}

/// A set of movers, a bit for each.
pub(crate) type Set = u32;

/// The most movers whose sets are all tried.
const MOST: usize = 14;

/// Pods that want room, and pods that could make it.
#[derive(Debug, Clone)]
pub(crate) struct Puzzle<'a> {
    /// What is free on every node while nobody makes way.
    pub(crate) free: Vec<Amounts>,
    pub(crate) movers: Vec<Mover<'a>>,
    pub(crate) askers: Vec<Asker<'a>>,
}

impl Puzzle<'_> {
    /// All movers.
    pub(crate) fn all(&self) -> Set {
        (1 << self.movers.len()) - 1
    }

    /// The set of the movers whose name is asked for.
    pub(crate) fn set(&self, wanted: impl Fn(&str) -> bool) -> Set {
        (0..).zip(&self.movers).filter(|(_, mover)| wanted(mover.name)).fold(0, |set, (bit, _)| set | 1 << bit)
    }

    /// The movers in a set.
    pub(crate) fn of(&self, set: Set) -> impl Iterator<Item = &Mover<'_>> {
        (0..).zip(&self.movers).filter(move |(bit, _)| set & (1 << bit) != 0).map(|(_, mover)| mover)
    }

    /// What is free when these have made way.
    pub(crate) fn free_without(&self, gone: Set) -> Vec<Amounts> {
        let mut free = self.free.clone();
        for mover in self.of(gone) {
            if let Some(node) = free.get_mut(mover.node) {
                node.add(mover.request);
            }
        }
        free
    }

    /// Whether all askers find a place when these have made way; every placement is tried.
    pub(crate) fn solved_by(&self, gone: Set) -> bool {
        seat(&self.askers, &mut self.free_without(gone))
    }

    /// Whether they fit on exactly these nodes, one for each asker, when these have made way.
    pub(crate) fn seated(&self, gone: Set, nodes: &[usize]) -> bool {
        let mut free = self.free_without(gone);
        self.askers.iter().zip(nodes).all(|(asker, node)| {
            let Some(node) = free.get_mut(*node) else { return false };
            let fits = asker.request.fits(node);
            node.take(asker.request);
            fits
        })
    }

    /// How many the smallest set has that solves it and is legal, if it has at most so many members; none as well where
    /// there are too many movers to try.
    pub(crate) fn fewest(&self, most: usize, legal: impl Fn(Set) -> bool) -> Option<usize> {
        if self.movers.len() > MOST {
            return None;
        }
        (0..=most).find(|size| {
            (0..=self.all()).any(|set| {
                usize::try_from(set.count_ones()).is_ok_and(|count| count == *size) && legal(set) && self.solved_by(set)
            })
        })
    }
}

/// Whether these find places, trying every one for the first, then the rest.
fn seat(askers: &[Asker<'_>], free: &mut [Amounts]) -> bool {
    let Some((first, rest)) = askers.split_first() else { return true };
    for place in &first.nodes {
        let Some(node) = free.get_mut(*place).filter(|node| first.request.fits(node)) else { continue };
        node.take(first.request);
        if seat(rest, free) {
            return true;
        }
        if let Some(node) = free.get_mut(*place) {
            node.add(first.request);
        }
    }
    false
}
