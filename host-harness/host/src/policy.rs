//! A policy as the host sees it, native or in the sandbox.

use lictor_contract::*;
use serde::{Deserialize, Serialize};

/// The reason why a call of a policy failed.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The policy answered with an error of the contract.
    #[error("the policy cannot answer `{call}`: {error:?}")]
    Refused {
        /// The function that was called.
        call: &'static str,
        /// The error of the policy.
        error: PolicyError,
    },
    /// The policy broke: it trapped, ran out of time or memory, or its answer is invalid.
    #[error("the policy broke in `{call}`: {cause}")]
    Broke {
        /// The function that was called.
        call: &'static str,
        /// The cause.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The policy does not have the optional interface of the call.
    #[error("the policy does not export `{0}`")]
    MissingInterface(Interface),
}

impl CallError {
    /// Returns the name of the function that was called, or of the interface that the function belongs to.
    pub fn call(&self) -> &str {
        match self {
            CallError::Refused { call, .. } | CallError::Broke { call, .. } => call,
            CallError::MissingInterface(interface) => interface.name(),
        }
    }
}

/// The resources that all instances of a policy have used so far, as far as they are measured. Counts only grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyUsage {
    /// Instances that were started.
    pub instances: u64,
    /// Calls, successful or not.
    pub calls: u64,
    /// Units of fuel; 0 where fuel is not counted.
    pub fuel: u64,
    /// Bytes of memory that the current instance holds. This number may fall.
    pub memory_bytes: u64,
    /// The most bytes of memory that an instance has held.
    pub memory_high_bytes: u64,
}

/// A policy. The functions are those of `wit/`. Functions of an interface that the policy does not export ([`has`](Policy::has)) return
/// [`CallError::MissingInterface`].
pub trait Policy: Send {
    /// Replaces the instance by a new one, without configuration or cluster. A policy that broke fails every other call until it is restarted.
    fn restart(&mut self) -> Result<(), CallError>;

    /// Returns what the policy has used so far; all zero where nothing is measured.
    fn usage(&self) -> PolicyUsage {
        PolicyUsage::default()
    }

    /// Returns the bytes of memory above which a session starts a new instance between two decisions. `None`: never.
    fn recycle_bytes(&self) -> Option<u64> {
        None
    }

    /// Returns whether the policy has this optional interface. The answer never changes.
    fn has(&self, interface: Interface) -> bool;

    /// Calls `core.describe`.
    fn describe(&mut self) -> Result<Description, CallError>;
    /// Calls `core.configure`. The inner result is the policy's own verdict on the configuration.
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError>;
    /// Calls `core.apply`.
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError>;

    /// Calls `queue.queue-keys`.
    fn queue_keys(&mut self, _pods: &[PodId]) -> Result<SortKeys, CallError> {
        Err(CallError::MissingInterface(Interface::Queue))
    }
    /// Calls `placement.pre-filter`.
    fn pre_filter(&mut self, _pod: PodId) -> Result<PreFiltered, CallError> {
        Err(CallError::MissingInterface(Interface::Placement))
    }
    /// Calls `placement.filter`.
    fn filter(&mut self, _pod: PodId) -> Result<NodeVerdicts, CallError> {
        Err(CallError::MissingInterface(Interface::Placement))
    }
    /// Calls `placement.post-filter`.
    fn post_filter(&mut self, _pods: &[PodId], _refuted: &Refuted) -> Result<PostFiltered, CallError> {
        Err(CallError::MissingInterface(Interface::Placement))
    }
    /// Calls `placement.reserve`.
    fn reserve(&mut self, _pod: PodId, _node: NodeId) -> Result<Effects, CallError> {
        Err(CallError::MissingInterface(Interface::Placement))
    }
    /// Calls `placement.unreserve`.
    fn unreserve(&mut self, _pod: PodId, _cause: ReleaseCause) -> Result<Effects, CallError> {
        Err(CallError::MissingInterface(Interface::Placement))
    }
    /// Calls `score.score`.
    fn score(&mut self, _pod: PodId, _nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        Err(CallError::MissingInterface(Interface::Score))
    }
    /// Calls `permit.permit`.
    fn permit(&mut self, _pod: PodId) -> Result<Permitted, CallError> {
        Err(CallError::MissingInterface(Interface::Permit))
    }
    /// Calls `cycle.act`.
    fn act(&mut self) -> Result<Actions, CallError> {
        Err(CallError::MissingInterface(Interface::Cycle))
    }
    /// Calls `enforce.enforce`.
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        Err(CallError::MissingInterface(Interface::Enforce))
    }
    /// Calls `account.queues`.
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        Err(CallError::MissingInterface(Interface::Account))
    }
    /// Calls `account.memberships`.
    fn memberships(&mut self, _pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        Err(CallError::MissingInterface(Interface::Account))
    }
    /// Calls `marks.marks`.
    fn marks(&mut self, _pod: PodId, _node: NodeId) -> Result<Vec<Mark>, CallError> {
        Err(CallError::MissingInterface(Interface::Marks))
    }
    /// Calls `standing.standings`.
    fn standings(&mut self, _pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        Err(CallError::MissingInterface(Interface::Standing))
    }
    /// Calls `explain.record-notes`.
    fn record_notes(&mut self, _pods: &NotedPods) -> Result<(), CallError> {
        Err(CallError::MissingInterface(Interface::Explain))
    }
    /// Calls `explain.notes`.
    fn notes(&mut self, _pod: PodId) -> Result<Vec<Note>, CallError> {
        Err(CallError::MissingInterface(Interface::Explain))
    }
    /// Calls `state.save`.
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        Err(CallError::MissingInterface(Interface::State))
    }
    /// Calls `state.restore`. The inner result is the policy's own verdict on the checkpoint.
    fn restore(&mut self, _checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        Err(CallError::MissingInterface(Interface::State))
    }
}
