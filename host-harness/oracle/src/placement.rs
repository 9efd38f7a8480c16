//! Brute force: whether pods fit after evictions, over every placement and every set of victims.

use crate::amounts::MilliAmounts;

/// A pod that may be evicted.
#[derive(Debug, Clone)]
pub(crate) struct EvictionCandidate<'a> {
    pub(crate) name: &'a str,
    /// The node on which its eviction frees room.
    pub(crate) node: usize,
    pub(crate) request: &'a MilliAmounts,
}

/// A pod to place.
#[derive(Debug, Clone)]
pub(crate) struct IncomingPod<'a> {
    pub(crate) request: &'a MilliAmounts,
    /// The nodes that it may run on.
    pub(crate) nodes: Vec<usize>,
}

/// A set of candidates, one bit for each.
pub(crate) type Set = u32;

/// The maximum number of candidates for which all sets are tried.
const MOST: usize = 14;

/// Pods to place, and pods that may be evicted for them.
#[derive(Debug, Clone)]
pub(crate) struct PlacementProblem<'a> {
    /// The free resources of every node before any eviction.
    pub(crate) free: Vec<MilliAmounts>,
    pub(crate) candidates: Vec<EvictionCandidate<'a>>,
    pub(crate) incoming: Vec<IncomingPod<'a>>,
}

impl PlacementProblem<'_> {
    /// Returns the set of all candidates.
    pub(crate) fn all(&self) -> Set {
        (1 << self.candidates.len()) - 1
    }

    /// Returns the set of the candidates whose name matches.
    pub(crate) fn set(&self, matches: impl Fn(&str) -> bool) -> Set {
        (0..)
            .zip(&self.candidates)
            .filter(|(_, candidate)| matches(candidate.name))
            .fold(0, |set, (bit, _)| set | 1 << bit)
    }

    /// Returns the candidates in a set.
    pub(crate) fn of(&self, set: Set) -> impl Iterator<Item = &EvictionCandidate<'_>> {
        (0..).zip(&self.candidates).filter(move |(bit, _)| set & (1 << bit) != 0).map(|(_, candidate)| candidate)
    }

    /// Returns the free resources of every node after these evictions.
    pub(crate) fn free_without(&self, gone: Set) -> Vec<MilliAmounts> {
        let mut free = self.free.clone();
        for candidate in self.of(gone) {
            if let Some(node) = free.get_mut(candidate.node) {
                node.add(candidate.request);
            }
        }
        free
    }

    /// Returns whether all incoming pods fit after these evictions. Tries every placement.
    pub(crate) fn fits_without(&self, gone: Set) -> bool {
        place_all(&self.incoming, &mut self.free_without(gone))
    }

    /// Returns the rooms of the nodes that placements of the incoming pods leave, without evictions; each room once.
    pub(crate) fn remaining_capacities(&self) -> Vec<Vec<MilliAmounts>> {
        let mut rooms = vec![self.free.clone()];
        for incoming in &self.incoming {
            let mut left: Vec<Vec<MilliAmounts>> = Vec::new();
            for (room, place) in rooms.iter().flat_map(|room| incoming.nodes.iter().map(move |place| (room, *place))) {
                let mut room = room.clone();
                let Some(node) = room.get_mut(place).filter(|node| incoming.request.fits(node)) else { continue };
                node.take(incoming.request);
                if !left.contains(&room) {
                    left.push(room);
                }
            }
            rooms = left;
        }
        rooms
    }

    /// Returns whether the incoming pods fit on exactly these nodes, one node for each, after these evictions.
    pub(crate) fn fits_on(&self, gone: Set, nodes: &[usize]) -> bool {
        let mut free = self.free_without(gone);
        self.incoming.iter().zip(nodes).all(|(incoming_pod, node)| {
            let Some(node) = free.get_mut(*node) else { return false };
            let fits = incoming_pod.request.fits(node);
            node.take(incoming_pod.request);
            fits
        })
    }

    /// Returns the size of the smallest legal set after which all pods fit. `None`: the smallest one is larger than `most`, or too many candidates
    /// exist to try all sets.
    pub(crate) fn fewest(&self, most: usize, legal: impl Fn(Set) -> bool) -> Option<usize> {
        if self.candidates.len() > MOST {
            return None;
        }
        (0..=most).find(|size| {
            (0..=self.all()).any(|set| {
                usize::try_from(set.count_ones()).is_ok_and(|count| count == *size)
                    && legal(set)
                    && self.fits_without(set)
            })
        })
    }
}

/// Returns whether these pods fit: tries every node for the first pod, then the others.
fn place_all(incoming: &[IncomingPod<'_>], free: &mut [MilliAmounts]) -> bool {
    let Some((first, rest)) = incoming.split_first() else { return true };
    for place in &first.nodes {
        let Some(node) = free.get_mut(*place).filter(|node| first.request.fits(node)) else { continue };
        node.take(first.request);
        if place_all(rest, free) {
            return true;
        }
        if let Some(node) = free.get_mut(*place) {
            node.add(first.request);
        }
    }
    false
}
