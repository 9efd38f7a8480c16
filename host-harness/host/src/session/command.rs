//! What the session asks to be done in the cluster, and what became of it.

use lictor_contract::Mark;
use serde::{Deserialize, Serialize};

use crate::cluster::PodChange;

/// The number of a command. No number is used twice by a session, nor by a session that was restored from its checkpoint.
pub type CommandId = u64;

/// The name of an object that is placed on a node: a pod, or an object that is placed like a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectRef {
    /// The kind: `Pod`, or that of an object that is placed like a pod.
    pub kind: String,
    /// The namespace; empty where the kind has none.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The uid; empty where the cluster gave none. An object of the same name and another uid is another object.
    pub uid: String,
}

impl ObjectRef {
    /// Returns the name in the mirror: `namespace/name` for a pod, else the key.
    pub fn pod_name(&self) -> String {
        if self.kind == "Pod" { format!("{}/{}", self.namespace, self.name) } else { self.key() }
    }

    /// Returns the key in inputs: `Kind/namespace/name` or `Kind/name`.
    pub fn key(&self) -> String {
        if self.namespace.is_empty() {
            format!("{}/{}", self.kind, self.name)
        } else {
            format!("{}/{}/{}", self.kind, self.namespace, self.name)
        }
    }
}

/// A command of the session to its driver.
///
/// A command may fail, be late, or have an outcome after the cluster has changed. The commands of one object are carried out in their order; those of
/// different objects in any order. An object that is gone, or that another of the same name has replaced, is left alone: the command has failed, but
/// an eviction is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The number.
    pub id: CommandId,
    /// The object of the command.
    pub object: ObjectRef,
    /// The action.
    pub action: CommandAction,
}

/// An action on an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Action"))]
#[serde(rename_all = "camelCase")]
pub enum CommandAction {
    /// Write the marks on the object and bind it to the node.
    Bind {
        /// The node.
        node: String,
        /// Labels and annotations.
        marks: Vec<Mark>,
    },
    /// Nominate the object to the node, or clear its nomination.
    Nominate {
        /// The node. `None`: the nomination is cleared.
        node: Option<String>,
    },
    /// Write the marks on the object, and delete it unless another controller deletes it.
    Evict {
        /// Whether the driver must delete the object.
        delete: bool,
        /// Labels and annotations.
        marks: Vec<Mark>,
        /// The plan that needs the room of the object.
        plan: u64,
    },
    /// Report the current object and the outcome of the command with this number, for which no outcome was received. A command that was not carried
    /// out must not be carried out later.
    Confirm,
}

impl CommandAction {
    /// Returns the action of a change.
    pub(super) fn of(change: &PodChange, plan: u64) -> CommandAction {
        match change {
            PodChange::Bind { node, marks, .. } => CommandAction::Bind { node: node.clone(), marks: marks.clone() },
            PodChange::Nominate(node) => CommandAction::Nominate { node: node.clone() },
            PodChange::Evict { deleted, marks } => {
                CommandAction::Evict { delete: deleted.is_some(), marks: marks.clone(), plan }
            }
            // Marks alone belong to a binding that is still to come.
            PodChange::Mark(_) => CommandAction::Confirm,
        }
    }
}

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CommandOutcome {
    /// The API server has accepted the command. Older versions of objects may still arrive. The command counts as done when the cluster shows its
    /// result.
    Accepted,
    /// The command is done, and every object that arrives from now on shows its result.
    Done,
    /// The command was not carried out, and will not be.
    Failed(String),
    /// The API server has refused the command. An immediate retry is of no use.
    Refused {
        /// The message of the API server.
        reason: String,
        /// The time of the next attempt, in nanoseconds since 1970. Before it, nothing is decided about a pending pod, and no plan names the pod as a
        /// victim.
        until: i64,
        /// Whether a PodDisruptionBudget caused the refusal. Then a change of a budget ends the wait.
        budget: bool,
    },
}
