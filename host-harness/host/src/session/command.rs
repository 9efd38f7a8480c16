//! What the session asks to be done in the cluster, and what became of it.

use lictor_contract::Mark;
use serde::{Deserialize, Serialize};

use crate::cluster::Change;

/// Names a command. No number is used twice by a session, nor by one that was restored from its checkpoint.
pub type CommandId = u64;

/// Names an object that is placed on a node: a pod, or what is placed like one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectRef {
    /// `Pod`, or the kind of what is placed like one.
    pub kind: String,
    /// Its namespace; empty where the kind has none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid; empty where the cluster gave it none. An object of the same name and another uid is not meant.
    pub uid: String,
}

impl ObjectRef {
    /// What the mirror calls it: `namespace/name`, or the key of what is placed like a pod.
    pub fn pod_name(&self) -> String {
        if self.kind == "Pod" { format!("{}/{}", self.namespace, self.name) } else { self.key() }
    }

    /// What inputs call it: `Kind/namespace/name` or `Kind/name`.
    pub fn key(&self) -> String {
        if self.namespace.is_empty() {
            format!("{}/{}", self.kind, self.name)
        } else {
            format!("{}/{}/{}", self.kind, self.namespace, self.name)
        }
    }
}

/// Something to be done in the cluster.
///
/// It may fail, be late, or be answered after the cluster has changed. The commands of one object are carried out in their order; those
/// of different objects in any order. An object that is gone, or that another of the same name has replaced, is left alone: the command
/// has failed, but an eviction is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Its number.
    pub id: CommandId,
    /// The object that it is about.
    pub object: ObjectRef,
    /// What is to be done.
    pub action: Action,
}

/// What is to be done with an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// Write the marks on it and bind it to the node.
    Bind {
        /// The node.
        node: String,
        /// Labels and annotations.
        marks: Vec<Mark>,
    },
    /// Nominate it to the node, or to none any more.
    Nominate {
        /// The node.
        node: Option<String>,
    },
    /// Write the marks on it, and delete it unless that is left to another controller.
    Evict {
        /// Whether it is to be deleted.
        delete: bool,
        /// Labels and annotations.
        marks: Vec<Mark>,
        /// The plan that needs its room.
        plan: u64,
    },
    /// No outcome came for the command of this number: tell the object as it is now, and what became of the command. One that was not
    /// carried out must not be carried out later.
    Confirm,
}

impl Action {
    /// The command for a change.
    pub(super) fn of(change: &Change, plan: u64) -> Action {
        match change {
            Change::Bind { node, marks, .. } => Action::Bind { node: node.clone(), marks: marks.clone() },
            Change::Nominate(node) => Action::Nominate { node: node.clone() },
            Change::Evict { deleted, marks } => Action::Evict { delete: deleted.is_some(), marks: marks.clone(), plan },
            // Marks alone are part of a binding that is still to come.
            Change::Mark(_) => Action::Confirm,
        }
    }
}

/// What became of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CommandOutcome {
    /// The cluster took it. Objects that were written before may still come; it counts as done when the cluster shows it.
    Accepted,
    /// It is done, and every object that comes from now on shows it.
    Done,
    /// It was not carried out, and will not be.
    Failed(String),
    /// The API server refuses it, so that asking at once for the same again is of no use.
    Refused {
        /// What the API server says.
        reason: String,
        /// When the same may be asked for again, in nanoseconds since 1970. Nothing is decided about a pending pod before, and no plan
        /// names the pod as a victim.
        until: i64,
        /// Whether a PodDisruptionBudget refuses. Then a budget that changes ends the wait.
        budget: bool,
    },
}
