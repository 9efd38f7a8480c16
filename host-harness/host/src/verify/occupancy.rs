//! The pods that take capacity on each node, and the pods with promised capacity. The events for the policy keep both up to date.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Event, NodeId, Phase, Pod, PodId, PodStatus};

use super::changes::NodeChangeLog;
use super::held::{PermitHold, PermitHolds};
use super::room::RequestTotals;
use crate::cluster::Mirror;

/// A map between pods and their nodes, in both directions.
#[derive(Debug, Default)]
struct PodNodeIndex {
    by_pod: BTreeMap<PodId, NodeId>,
    by_node: BTreeMap<NodeId, BTreeSet<PodId>>,
}

impl PodNodeIndex {
    /// Sets or removes (`None`) the node of a pod. Returns its former node.
    fn set(&mut self, pod: PodId, node: Option<NodeId>) -> Option<NodeId> {
        let before = match node {
            Some(node) => self.by_pod.insert(pod, node),
            None => self.by_pod.remove(&pod),
        };
        if let Some(pods) = before.and_then(|node| self.by_node.get_mut(&node)) {
            pods.remove(&pod);
        }
        if let Some(node) = node {
            self.by_node.entry(node).or_default().insert(pod);
        }
        before
    }

    /// Returns the pods of a node.
    fn on_node(&self, node: NodeId) -> impl Iterator<Item = PodId> + '_ {
        self.by_node.get(&node).into_iter().flatten().copied()
    }
}

/// The pods that take capacity on each node (bound pods and pods held at permit), and the pods with promised capacity (nominated pods).
#[derive(Debug, Default)]
pub struct Occupancy {
    bound: PodNodeIndex,
    held: PermitHolds,
    nominated: PodNodeIndex,
    /// The pods that the policy has not received because it cannot count them. They take capacity all the same.
    uncounted: BTreeSet<PodId>,
    /// The sums of the requests, by node number.
    loads: Vec<RequestTotals>,
    stale: BTreeSet<NodeId>,
    changes: NodeChangeLog,
}

impl Occupancy {
    /// Applies an event that the policy is about to receive.
    pub fn observe(&mut self, event: &Event) {
        match event {
            Event::PodUpserted(pod) => self.apply_status(&pod.status()),
            Event::PodStatus(status) => self.apply_status(status),
            Event::PodRemoved(pod) => {
                self.bind(*pod, None);
                self.hold(*pod, None);
                self.nominated.set(*pod, None);
            }
            Event::NodeUpserted(node) => self.changes.add(node.id),
            Event::NodeRemoved(node) => {
                for pod in self.bound.on_node(*node).collect::<Vec<_>>() {
                    self.bind(pod, None);
                }
                for pod in self.nominated.on_node(*node).collect::<Vec<_>>() {
                    self.nominated.set(pod, None);
                }
            }
            _ => {}
        }
    }

    /// Computes the load again of each node where something has changed.
    pub fn refresh(&mut self, mirror: &Mirror) {
        for node in std::mem::take(&mut self.stale) {
            let load = self.load_with(mirror, node, |_| true, &[]);
            let Ok(index) = usize::try_from(node) else { continue };
            if self.loads.len() <= index {
                self.loads.resize(index.saturating_add(1), RequestTotals::default());
            }
            if let Some(slot) = self.loads.get_mut(index) {
                *slot = load;
            }
            self.changes.add(node);
        }
    }

    /// Returns the pods held at permit.
    pub fn permit_holds(&self) -> &PermitHolds {
        &self.held
    }

    /// Returns a new place for the next pod to be held.
    pub fn new_hold(&mut self, node: NodeId, deadline: i64) -> PermitHold {
        self.held.new_hold(node, deadline)
    }

    /// Sets or removes (`None`) the place of a pod held at permit. Returns its former place.
    pub fn hold(&mut self, pod: PodId, place: Option<PermitHold>) -> Option<PermitHold> {
        let before = self.held.set(pod, place);
        self.stale.extend(before.map(|before| before.node));
        self.stale.extend(place.map(|place| place.node));
        before
    }

    /// Sets the pods that the policy has not received because it cannot count them.
    pub fn set_uncounted(&mut self, pods: impl Iterator<Item = PodId>) {
        self.uncounted = pods.collect();
    }

    /// Returns whether a pod can be tried: it is pending without a node, is not held at permit, has no scheduling gates and belongs to the own
    /// schedulers.
    pub fn is_pending(&self, pod: &Pod) -> bool {
        self.not_pending(pod).is_none()
    }

    /// Returns why a pod cannot be tried. `None`: it can.
    pub fn not_pending(&self, pod: &Pod) -> Option<&'static str> {
        let is_held = pod.node.is_none() && self.held.contains(pod.id);
        if is_held { Some("is held at permit") } else { self.not_pending_once_released(pod) }
    }

    /// Returns why a pod could not be tried if it were not held at permit. `None`: it could.
    pub fn not_pending_once_released(&self, pod: &Pod) -> Option<&'static str> {
        if pod.node.is_some() {
            Some("is bound already")
        } else if pod.terminating {
            Some("is being deleted")
        } else if pod.phase != Phase::Pending {
            Some("is not pending")
        } else if self.uncounted.contains(&pod.id) {
            Some("requests more than the policy can count")
        } else if pod.gated {
            Some("has scheduling gates")
        } else if pod.template.foreign {
            Some("is a pod of another scheduler")
        } else {
            None
        }
    }

    /// Returns the node on which the pod takes capacity. `None`: the pod is neither bound nor held.
    pub fn node_of(&self, pod: PodId) -> Option<NodeId> {
        self.bound.by_pod.get(&pod).copied().or_else(|| self.held.get(pod).map(|place| place.node))
    }

    /// Returns the pods that take capacity on a node.
    pub fn pods_on(&self, node: NodeId) -> impl Iterator<Item = PodId> + '_ {
        self.bound.on_node(node).chain(self.held.on_node(node))
    }

    /// Returns the pods nominated to a node that are not held at permit.
    pub fn nominated_to(&self, node: NodeId) -> impl Iterator<Item = PodId> + '_ {
        self.nominated.on_node(node).filter(|pod| !self.held.contains(*pod))
    }

    /// Returns the node that a pod is promised. `None`: the pod has no promise.
    pub fn nominated_node(&self, pod: PodId) -> Option<NodeId> {
        self.nominated.by_pod.get(&pod).copied()
    }

    /// Sets or removes (`None`) the promise of a pod.
    pub fn set_nominated_node(&mut self, pod: PodId, node: Option<NodeId>) {
        self.nominated.set(pod, node);
    }

    /// Returns the load of a node as of the last refresh. `None`: no load was computed yet, so it is empty.
    pub fn load(&self, node: NodeId) -> Option<&RequestTotals> {
        usize::try_from(node).ok().and_then(|index| self.loads.get(index))
    }

    /// Returns how often the free capacity of a node has changed, over all nodes.
    pub fn changes(&self) -> u64 {
        self.changes.count()
    }

    /// Returns the nodes whose free capacity has changed after this number of changes. `None`: the log does not reach back so far.
    pub fn changed_since(&self, changes: u64) -> Option<&[NodeId]> {
        self.changes.since(changes)
    }

    /// Computes the load of a node if only these pods stayed and the pods `comers` were added. The users of a placed object leave together with it.
    pub(super) fn load_with(
        &self,
        mirror: &Mirror,
        node: NodeId,
        stays: impl Fn(PodId) -> bool,
        comers: &[PodId],
    ) -> RequestTotals {
        let home = |pod: PodId| mirror.pod(pod).and_then(|pod| mirror.capacity_owner(pod));
        let keeps_home = |pod: PodId| home(pod).is_none_or(|home| self.node_of(home) != Some(node) || stays(home));
        let mut pods: BTreeSet<PodId> = self.pods_on(node).filter(|pod| stays(*pod) && keeps_home(*pod)).collect();
        pods.extend(comers);
        RequestTotals::of(mirror, &pods)
    }

    /// Returns the pods that use the room of a placed object.
    pub fn users<'a>(&'a self, mirror: &'a Mirror, placed: PodId) -> impl Iterator<Item = PodId> + 'a {
        let beside = self.node_of(placed).into_iter().flat_map(|node| self.pods_on(node));
        beside.filter(move |pod| mirror.pod(*pod).and_then(|pod| mirror.capacity_owner(pod)) == Some(placed))
    }

    /// Sets or removes (`None`) the node that the pod is bound to.
    fn bind(&mut self, pod: PodId, node: Option<NodeId>) {
        self.stale.extend(self.bound.set(pod, node));
        self.stale.extend(node);
    }

    /// Applies the status of a pod that is new or has changed.
    fn apply_status(&mut self, pod: &PodStatus) {
        let finished = matches!(pod.phase, Phase::Succeeded | Phase::Failed);
        self.bind(pod.id, pod.node.filter(|_| !finished));
        self.stale.extend(self.held.get(pod.id).map(|place| place.node));
        self.set_nominated_node(pod.id, pod.nominated.filter(|_| is_waiting(pod)));
    }
}

/// Returns whether a pod is pending without a node and is not being deleted. A pod held at permit counts as well.
pub fn is_waiting(pod: &PodStatus) -> bool {
    pod.phase == Phase::Pending && pod.node.is_none() && !pod.terminating
}
