//! Tasks and their outcomes.

use std::sync::Arc;
use std::time::Duration;

use lictor_contract::Mark;
use lictor_host::session::{Command, CommandAction, CommandId, CommandOutcome, ObjectRef};
use serde_json::Value;

use super::placed::PlaceableObject;

/// A change to make in the cluster, or a question about one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecutorTask {
    /// A command of the session.
    Command(Command),
    /// A question of the session for the outcome of a command. `None`: the action of the command is not known any more.
    Confirm(CommandId, ObjectRef, Option<CommandAction>),
    /// A pod that we let go and that kube-scheduler refuses: its owner makes another.
    Delete(ObjectRef),
    /// A nomination whose plan was given up is taken back.
    Withdraw(ObjectRef),
    /// A victim that an earlier process only marked is evicted.
    Evict(ObjectRef),
    /// The marks of an eviction that was given up are taken off.
    Unmark(ObjectRef, Vec<Mark>),
}

impl ExecutorTask {
    /// Returns the object of the task.
    pub fn object(&self) -> &ObjectRef {
        match self {
            ExecutorTask::Command(Command { object, .. })
            | ExecutorTask::Confirm(_, object, _)
            | ExecutorTask::Delete(object)
            | ExecutorTask::Withdraw(object)
            | ExecutorTask::Evict(object)
            | ExecutorTask::Unmark(object, _) => object,
        }
    }

    /// Returns the command of the session that the task carries out. `None`: the task carries out no command.
    pub fn command(&self) -> Option<CommandId> {
        match self {
            ExecutorTask::Command(Command { id, .. }) | ExecutorTask::Confirm(id, ..) => Some(*id),
            ExecutorTask::Delete(_) | ExecutorTask::Withdraw(_) | ExecutorTask::Evict(_) | ExecutorTask::Unmark(..) => {
                None
            }
        }
    }

    /// Returns the word for the task in metrics and logs.
    pub fn word(&self) -> &'static str {
        match self {
            ExecutorTask::Command(command) => word(&command.action),
            ExecutorTask::Confirm(..) => "confirm",
            ExecutorTask::Delete(_) => "delete",
            ExecutorTask::Withdraw(_) => "withdraw",
            ExecutorTask::Evict(_) => "evict",
            ExecutorTask::Unmark(..) => "unmark",
        }
    }

    /// Returns whether the task makes the one right before it superfluous: both say where their pod is nominated, and nothing else.
    pub(super) fn supersedes(&self, before: &ExecutorTask) -> bool {
        self.nominates() && before.nominates()
    }

    /// Returns whether the task writes where its pod is nominated, or that the pod is not.
    fn nominates(&self) -> bool {
        match self {
            ExecutorTask::Command(Command { action, .. }) => matches!(action, CommandAction::Nominate { .. }),
            ExecutorTask::Withdraw(_) => true,
            ExecutorTask::Confirm(..) | ExecutorTask::Delete(_) | ExecutorTask::Evict(_) | ExecutorTask::Unmark(..) => {
                false
            }
        }
    }

    /// Returns whether the task nominates its pod to a node.
    pub(super) fn nominates_to_node(&self) -> bool {
        matches!(self, ExecutorTask::Command(Command { action: CommandAction::Nominate { node: Some(_) }, .. }))
    }

    /// Returns whether the task evicts, or finds out whether that was done.
    pub(crate) fn evicts(&self) -> bool {
        match self {
            ExecutorTask::Command(Command { action, .. }) | ExecutorTask::Confirm(_, _, Some(action)) => {
                matches!(action, CommandAction::Evict { .. })
            }
            ExecutorTask::Evict(_) => true,
            ExecutorTask::Confirm(_, _, None)
            | ExecutorTask::Delete(_)
            | ExecutorTask::Withdraw(_)
            | ExecutorTask::Unmark(..) => false,
        }
    }
}

/// Returns the word for an action in metrics and logs.
pub fn word(action: &CommandAction) -> &'static str {
    match action {
        CommandAction::Bind { .. } => "bind",
        CommandAction::Nominate { .. } => "nominate",
        CommandAction::Evict { .. } => "evict",
        CommandAction::Confirm => "confirm",
    }
}

/// Knowledge of the object of a task before the task is carried out.
#[derive(Debug, Clone, Default)]
pub struct TaskContext {
    /// The object, where it is a pod that this process holds by its gate or has let go.
    pub raw: Option<Arc<Value>>,
    /// The kind and the requests of the object, where the object is no pod, but placed like one.
    pub placed: Option<Arc<PlaceableObject>>,
    /// The marks by which pods of the system count as leaving. Where an eviction is given up, they are taken off with those of the command: a
    /// process that has lost the lead may have written them meanwhile, and nothing else would remove them.
    pub leaving_marks: Vec<Mark>,
}

/// The end of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskOutcome {
    /// The outcome of the task.
    pub outcome: CommandOutcome,
    /// The object after the task, where the API server has shown it.
    pub object: Option<Value>,
    /// Whether the API server has no object of that uid any more.
    pub is_deleted: bool,
}

impl TaskOutcome {
    /// Makes an end of which the API server has not shown the object.
    pub(super) fn without(outcome: CommandOutcome) -> TaskOutcome {
        TaskOutcome { outcome, object: None, is_deleted: false }
    }

    /// Makes the end of a task whose object is gone.
    pub(super) fn deleted(outcome: CommandOutcome) -> TaskOutcome {
        TaskOutcome { outcome, object: None, is_deleted: true }
    }

    /// Makes the end of a task whose object is as the API server says.
    pub(super) fn with(object: Value) -> TaskOutcome {
        TaskOutcome { outcome: CommandOutcome::Done, object: Some(object), is_deleted: false }
    }
}

/// The pauses before a task is tried again, from the first to the longest; each is twice the one before.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    /// The first pause.
    pub first: Duration,
    /// The longest pause.
    pub last: Duration,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff { first: Duration::from_millis(50), last: Duration::from_secs(2) }
    }
}
