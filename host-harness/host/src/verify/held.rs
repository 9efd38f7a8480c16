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
    /// The deadline, the turn and the pod of each place: the first loses its place first.
    by_deadline: BTreeSet<(i64, u64, PodId)>,
    turns: u64,
}

impl Held {
    /// Holds a pod, or holds it no longer; the place it had.
    pub(super) fn set(&mut self, pod: PodId, place: Option<Place>) -> Option<Place> {
        let before = match place {
            Some(place) => self.places.insert(pod, place),
            None => self.places.remove(&pod),
        };
        if let Some(before) = before {
            self.by_deadline.remove(&(before.deadline, before.turn, pod));
            if let Some(pods) = self.by_node.get_mut(&before.node) {
                pods.remove(&pod);
                if pods.is_empty() {
                    self.by_node.remove(&before.node);
                }
            }
        }
        if let Some(place) = place {
            self.by_deadline.insert((place.deadline, place.turn, pod));
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
        self.by_deadline.first().map(|(deadline, _, pod)| (*pod, *deadline))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_pod_is_the_one_of_the_first_deadline_and_of_those_the_one_held_first() {
        let mut held = Held::default();
        for (pod, deadline) in [(7, 30), (3, 20), (9, 20), (1, 40)] {
            let place = held.place(pod % 2, deadline);
            held.set(pod, Some(place));
        }
        // A place that is held once more has another deadline.
        let later = held.place(0, 50);
        let before = held.set(3, Some(later)).unwrap();
        assert_eq!((before.deadline, held.next()), (20, Some((9, 20))));
        // A place that is given back as it was is in its turn again.
        held.set(3, Some(before));
        let mut order = Vec::new();
        while let Some((pod, _)) = held.next() {
            order.push(pod);
            held.set(pod, None);
        }
        assert_eq!(order, [3, 9, 7, 1]);
        assert!(held.places.is_empty() && held.by_node.is_empty() && held.by_deadline.is_empty());
    }
}
