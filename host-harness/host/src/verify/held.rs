//! The pods held at permit, and for which nodes: the one place that says so.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{NodeId, PodId};

/// A place held for a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The node.
    pub node: NodeId,
    /// When the host gives up.
    pub deadline: i64,
    /// Counts the pods held so far: the pod that came first is first when the time of several is up.
    pub turn: u64,
}

/// The pods held at permit.
#[derive(Debug, Default)]
pub struct Held {
    places: BTreeMap<PodId, Place>,
    by_node: BTreeMap<NodeId, BTreeSet<PodId>>,
    turns: u64,
}

impl Held {
    /// Holds a pod, or holds it no longer; the place it had.
    pub(super) fn set(&mut self, pod: PodId, place: Option<Place>) -> Option<Place> {
        let before = match place {
            Some(place) => self.places.insert(pod, place),
            None => self.places.remove(&pod),
        };
        if let Some(pods) = before.and_then(|before| self.by_node.get_mut(&before.node)) {
            pods.remove(&pod);
        }
        if let Some(place) = place {
            self.by_node.entry(place.node).or_default().insert(pod);
        }
        before
    }

    /// The place of the next pod that is held.
    pub fn place(&mut self, node: NodeId, deadline: i64) -> Place {
        self.turns = self.turns.saturating_add(1);
        Place { node, deadline, turn: self.turns }
    }

    /// The pods and their places, by number.
    pub fn iter(&self) -> impl Iterator<Item = (PodId, Place)> {
        self.places.iter().map(|(pod, place)| (*pod, *place))
    }

    /// Where the pod is held.
    pub fn get(&self, pod: PodId) -> Option<Place> {
        self.places.get(&pod).copied()
    }

    /// Whether the pod is held.
    pub fn contains(&self, pod: PodId) -> bool {
        self.places.contains_key(&pod)
    }

    /// The pods held for a node.
    pub fn on(&self, node: NodeId) -> impl Iterator<Item = PodId> + '_ {
        self.by_node.get(&node).into_iter().flatten().copied()
    }

    /// The next pod to lose its place, and when.
    pub fn next(&self) -> Option<(PodId, i64)> {
        let next = self.places.iter().min_by_key(|(_, place)| (place.deadline, place.turn))?;
        Some((*next.0, next.1.deadline))
    }
}
