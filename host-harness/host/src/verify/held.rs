//! The pods held at permit, and for which nodes: the one place that says so.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{NodeId, PodId};

/// The place of a pod that is held at permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermitHold {
    /// The node.
    pub node: NodeId,
    /// The time at which the host releases the pod, in nanoseconds since 1970.
    pub deadline: i64,
    /// The running number of the place. Of several pods with the same deadline, the one held first is released first.
    pub turn: u64,
}

/// The pods held at permit.
#[derive(Debug, Default)]
pub struct PermitHolds {
    holds: BTreeMap<PodId, PermitHold>,
    by_node: BTreeMap<NodeId, BTreeSet<PodId>>,
    /// The deadline, the turn and the pod of each place, in the order of release.
    by_deadline: BTreeSet<(i64, u64, PodId)>,
    turns: u64,
}

impl PermitHolds {
    /// Sets or removes (`None`) the place of a pod. Returns its former place.
    pub(super) fn set(&mut self, pod: PodId, place: Option<PermitHold>) -> Option<PermitHold> {
        let before = match place {
            Some(place) => self.holds.insert(pod, place),
            None => self.holds.remove(&pod),
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

    /// Returns a new place for a pod. It has the next turn.
    pub fn new_hold(&mut self, node: NodeId, deadline: i64) -> PermitHold {
        self.turns = self.turns.saturating_add(1);
        PermitHold { node, deadline, turn: self.turns }
    }

    /// Returns the held pods and their places, ordered by number.
    pub fn iter(&self) -> impl Iterator<Item = (PodId, PermitHold)> {
        self.holds.iter().map(|(pod, place)| (*pod, *place))
    }

    /// Returns the place of a pod. `None`: the pod is not held.
    pub fn get(&self, pod: PodId) -> Option<PermitHold> {
        self.holds.get(&pod).copied()
    }

    /// Returns whether the pod is held.
    pub fn contains(&self, pod: PodId) -> bool {
        self.holds.contains_key(&pod)
    }

    /// Returns the pods held for a node.
    pub fn on_node(&self, node: NodeId) -> impl Iterator<Item = PodId> + '_ {
        self.by_node.get(&node).into_iter().flatten().copied()
    }

    /// Returns the next pod to be released, with its deadline in nanoseconds since 1970. `None`: no pod is held.
    pub fn next(&self) -> Option<(PodId, i64)> {
        self.by_deadline.first().map(|(deadline, _, pod)| (*pod, *deadline))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_pod_is_the_one_of_the_first_deadline_and_of_those_the_one_held_first() {
        let mut held = PermitHolds::default();
        for (pod, deadline) in [(7, 30), (3, 20), (9, 20), (1, 40)] {
            let place = held.new_hold(pod % 2, deadline);
            held.set(pod, Some(place));
        }
        // A place that is set again has another deadline.
        let later = held.new_hold(0, 50);
        let before = held.set(3, Some(later)).unwrap();
        assert_eq!((before.deadline, held.next()), (20, Some((9, 20))));
        // A place that is restored unchanged has its former turn.
        held.set(3, Some(before));
        let mut order = Vec::new();
        while let Some((pod, _)) = held.next() {
            order.push(pod);
            held.set(pod, None);
        }
        assert_eq!(order, [3, 9, 7, 1]);
        assert!(held.holds.is_empty() && held.by_node.is_empty() && held.by_deadline.is_empty());
    }
}
