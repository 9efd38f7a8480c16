//! The state of the plugin in memory (`plugin.go`, `reserved.go`, `open.go`, `planning.go`, `fresh.go`).

use std::collections::{BTreeMap, BTreeSet};

use lictor_host::session::ObjectRef;

use super::hints::PodHints;
use super::keys::QueueKeyCache;
use super::victims::VictimBeneficiaries;
use super::world::Object;
use crate::message::{CommandMessage, MarkMessage};

/// The order for a pod as soon as it waits at Permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PermitSignal {
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
    pub(super) marks: Vec<MarkMessage>,
    pub(super) wake: Option<PermitSignal>,
}

/// A plan that is being requested: the node for the pod, and the victims by node.
#[derive(Debug, Clone, Default)]
pub(super) struct PlanRequest {
    pub(super) pod: String,
    pub(super) node: String,
    pub(super) evicted: BTreeMap<String, Vec<ObjectRef>>,
}

impl PlanRequest {
    /// Returns whether kube-scheduler writes the nomination of a pod.
    pub(super) fn assigns_node(&mut self, pod: &str, node: &str) -> bool {
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
pub(super) struct FeedState {
    /// The objects that there are, by what the protocol calls them.
    pub(super) objects: BTreeMap<String, Object>,
    /// The pods that are reported as bound, to these nodes, though the cluster does not show it yet.
    pub(super) reported_bound: BTreeMap<String, String>,
    /// The pods that have left these nodes, of which kube-scheduler may not know.
    pub(super) removed_pods: BTreeMap<String, String>,
    /// The nodes that are new to kube-scheduler.
    pub(super) new_nodes: BTreeSet<String>,
    /// Whether a conversation is open.
    pub(super) is_connected: bool,
    pub(super) listed: bool,
}

/// The plugin.
#[derive(Debug, Default)]
pub(super) struct PluginState {
    pub(super) feed: FeedState,
    pub(super) hints: PodHints,
    pub(super) keys: QueueKeyCache,
    pub(super) victims: VictimBeneficiaries,
    /// The number of the conversation in which questions are answered. `None`: no conversation is open.
    pub(super) connection: Option<u64>,
    /// The end of the time that released pods may take before the next conversation begins. `None`: no conversation is about to begin.
    pub(super) begins: Option<i64>,
    pub(super) numbers: BTreeMap<String, u32>,
    pub(super) plan_request: Option<PlanRequest>,
    pub(super) reserved: BTreeMap<String, Reservation>,
    /// The commands that the host may ask about, by the uid of the pod and by their action.
    pub(super) open: BTreeMap<String, BTreeMap<String, CommandMessage>>,
    pub(super) requests: u32,
}

impl PluginState {
    pub(super) fn open_command(&self, asked: &CommandMessage) -> Option<&CommandMessage> {
        self.open.get(&asked.object.uid)?.values().find(|order| order.id == asked.id)
    }

    /// Forgets a command that does this with a pod.
    pub(super) fn drop_command(&mut self, uid: &str, action: &str) {
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
