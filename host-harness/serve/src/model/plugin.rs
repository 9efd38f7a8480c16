//! The state of the plugin in memory (`plugin.go`, `reserved.go`, `open.go`, `planning.go`, `fresh.go`).

use std::collections::{BTreeMap, BTreeSet};

use lictor_host::session::ObjectRef;

use super::hints::Hints;
use super::keys::Keys;
use super::victims::Victims;
use super::world::Object;
use crate::message::{Order, Written};

/// The order for a pod as soon as it waits at Permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wake {
    Allow,
    Reject,
    Preempt,
}

/// A pod that holds a node.
#[derive(Debug, Clone)]
pub(super) struct Reservation {
    pub(super) uid: String,
    pub(super) node: String,
    pub(super) waiting: bool,
    /// The command by which the pod may be bound; 0: it may not yet.
    pub(super) bind: u64,
    pub(super) marks: Vec<Written>,
    pub(super) wake: Option<Wake>,
}

/// A plan that is being requested: the node for the pod, and the victims by node.
#[derive(Debug, Clone, Default)]
pub(super) struct Planning {
    pub(super) pod: String,
    pub(super) node: String,
    pub(super) evicted: BTreeMap<String, Vec<ObjectRef>>,
}

impl Planning {
    /// Returns whether kube-scheduler writes the nomination of a pod.
    pub(super) fn takes(&mut self, pod: &str, node: &str) -> bool {
        let takes = self.pod == pod && !node.is_empty();
        if takes {
            node.clone_into(&mut self.node);
        }
        takes
    }

    pub(super) fn all(&self) -> Vec<ObjectRef> {
        self.evicted.values().flatten().cloned().collect()
    }

    pub(super) fn on_its_node(&self) -> Vec<ObjectRef> {
        self.evicted.get(&self.node).cloned().unwrap_or_default()
    }
}

/// The state of the feed (`feed.go`).
#[derive(Debug, Default)]
pub(super) struct Feed {
    /// The objects that there are, by what the protocol calls them.
    pub(super) objects: BTreeMap<String, Object>,
    /// The pods that are reported as bound, to these nodes, though the cluster does not show it yet.
    pub(super) shown: BTreeMap<String, String>,
    /// The pods that have left these nodes, of which kube-scheduler may not know.
    pub(super) left: BTreeMap<String, String>,
    /// The nodes that are new to kube-scheduler.
    pub(super) came: BTreeSet<String>,
    /// Whether a conversation is open.
    pub(super) is_told: bool,
    pub(super) listed: bool,
}

/// The plugin.
#[derive(Debug, Default)]
pub(super) struct Plugin {
    pub(super) feed: Feed,
    pub(super) hints: Hints,
    pub(super) keys: Keys,
    pub(super) victims: Victims,
    /// The number of the conversation in which questions are answered. `None`: no conversation is open.
    pub(super) talk: Option<u64>,
    /// The end of the time that released pods may take before the next conversation begins. `None`: no conversation is about to begin.
    pub(super) begins: Option<i64>,
    pub(super) numbers: BTreeMap<String, u32>,
    pub(super) planning: Option<Planning>,
    pub(super) reserved: BTreeMap<String, Reservation>,
    /// The commands that the host may ask about, by the uid of the pod and by their action.
    pub(super) open: BTreeMap<String, BTreeMap<String, Order>>,
    pub(super) asked: u32,
}

impl Plugin {
    pub(super) fn open_order(&self, asked: &Order) -> Option<&Order> {
        self.open.get(&asked.object.uid)?.values().find(|order| order.id == asked.id)
    }

    /// Forgets a command that does this with a pod.
    pub(super) fn drop_order(&mut self, uid: &str, action: &str) {
        if let Some(orders) = self.open.get_mut(uid) {
            orders.remove(action);
            if orders.is_empty() {
                self.open.remove(uid);
            }
        }
    }

    /// Returns whether a pod holds a node that may not be bound.
    pub(super) fn is_holding(&self) -> bool {
        self.reserved.values().any(|held| held.bind == 0)
    }
}
