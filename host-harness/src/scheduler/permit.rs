//! Pods held at permit, and what happens when their time is up.

use std::collections::{BTreeMap, VecDeque};

use lictor_policy::contract::*;

use super::{Released, Session, SessionError};

/// A place held for a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The node.
    pub(super) node: NodeId,
    /// When the host gives up.
    pub(super) deadline: i64,
    /// Counts the pods held so far: who came first is first when the time of several is up.
    turn: u64,
}

/// The pods held at permit.
#[derive(Debug, Default)]
pub(super) struct Held {
    places: BTreeMap<PodId, Place>,
    turns: u64,
}

impl Held {
    /// The pods and their places, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PodId, &Place)> {
        self.places.iter().map(|(pod, place)| (*pod, place))
    }

    /// Whether the pod is held.
    pub(super) fn contains(&self, pod: PodId) -> bool {
        self.places.contains_key(&pod)
    }

    /// Who is next to lose its place, and when.
    fn next(&self) -> Option<(PodId, i64)> {
        let next = self.places.iter().min_by_key(|(_, place)| (place.deadline, place.turn))?;
        Some((*next.0, next.1.deadline))
    }
}

impl Session<'_> {
    /// The pods held at permit, and the nodes they are held for.
    pub fn waiting(&self) -> BTreeMap<String, String> {
        self.held.iter().map(|(pod, place)| (self.pod_name(pod), self.node_name(place.node))).collect()
    }

    /// Moves the clock on, and lets the time of pods held at permit run out on the way. A deadline that is reached exactly
    /// has passed.
    pub fn advance(&mut self, nanoseconds: i64) -> Result<(), SessionError> {
        let end = self.mirror.now().saturating_add(nanoseconds.max(0));
        while let Some((pod, deadline)) = self.held.next().filter(|(_, deadline)| *deadline <= end) {
            self.mirror.set_clock(deadline.max(self.mirror.now()));
            let effects = self.unreserve(pod, ReleaseCause::Timeout)?;
            self.carry(VecDeque::from_iter(effects))?;
        }
        self.mirror.set_clock(end);
        self.sync()
    }

    /// Holds a pod for a node.
    pub(super) fn hold(&mut self, pod: PodId, node: NodeId, nanoseconds: i64) {
        self.held.turns = self.held.turns.saturating_add(1);
        let place = Place { node, deadline: self.mirror.now().saturating_add(nanoseconds), turn: self.held.turns };
        self.held.places.insert(pod, place);
        self.occupancy.hold(pod, Some(node));
    }

    /// The pod is not held any more, whatever becomes of it; the node it was held for.
    pub(super) fn let_go(&mut self, pod: PodId) -> Option<NodeId> {
        self.occupancy.hold(pod, None);
        self.held.places.remove(&pod).map(|place| place.node)
    }

    /// A held pod loses its place. What that means for others is still to be carried out; nothing where it is not held.
    pub(super) fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Option<Effects>, SessionError> {
        let Some(node) = self.let_go(pod) else { return Ok(None) };
        self.happened.released.push(Released { pod: self.pod_name(pod), node: self.node_name(node), cause });
        self.ask_unreserve(pod, cause).map(Some)
    }

    /// Tells the policy that a reserved pod has lost its node.
    pub(super) fn ask_unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, SessionError> {
        if !self.decides(ExtensionPoint::Reserve) {
            return Ok(Effects::default());
        }
        let effects = self.ask(|policy| policy.unreserve(pod, cause))?;
        self.check_effects("unreserve", &effects)?;
        Ok(effects)
    }
}
