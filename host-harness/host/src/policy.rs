//! A policy as the host sees it, native or in the sandbox.

use lictor_contract::*;
use serde::{Deserialize, Serialize};

/// Why a policy did not answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// It answered with an error of the contract.
    #[error("the policy cannot answer `{call}`: {error:?}")]
    Refused {
        /// The function that was called.
        call: &'static str,
        /// What it said.
        error: PolicyError,
    },
    /// It broke: it trapped, ran out of time or memory, or answered with something that is no answer.
    #[error("the policy broke in `{call}`: {cause}")]
    Broke {
        /// The function that was called.
        call: &'static str,
        /// What happened.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It does not have the optional interface that the call belongs to.
    #[error("the policy does not export `{0}`")]
    Lacks(Interface),
}

impl CallError {
    /// The function that was called, or the interface that it belongs to.
    pub fn call(&self) -> &str {
        match self {
            CallError::Refused { call, .. } | CallError::Broke { call, .. } => call,
            CallError::Lacks(interface) => interface.name(),
        }
    }
}

/// What a policy has used so far, all of its instances together, as far as somebody measures it. Counts only grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Instances that were started.
    pub instances: u64,
    /// Calls, answered or not.
    pub calls: u64,
    /// Units of fuel; 0 where fuel is not counted.
    pub fuel: u64,
    /// Bytes of memory that the instance holds now; this one may fall.
    pub memory_bytes: u64,
    /// The most bytes of memory that an instance has held.
    pub memory_high_bytes: u64,
}

/// A policy. The functions are those of `wit/`; those of an interface that it [`has`](Policy::has) not answer
/// [`CallError::Lacks`].
pub trait Policy: Send {
    /// Replaces the instance by a new one, which is not configured and knows no cluster. After the policy broke, it answers nothing
    /// before that.
    fn restart(&mut self) -> Result<(), CallError>;

    /// What it has used so far; nothing where nobody measures it.
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// Where it holds more bytes of memory than this, a session starts a new instance between two decisions; none where it never does.
    fn recycle_bytes(&self) -> Option<u64> {
        None
    }

    /// Whether it has this optional interface. The answer is always the same.
    fn has(&self, interface: Interface) -> bool;

    /// `core.describe`.
    fn describe(&mut self) -> Result<Description, CallError>;
    /// `core.configure`; the inner result is the policy's own verdict on the configuration.
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError>;
    /// `core.apply`.
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError>;

    /// `queue.queue-keys`.
    fn queue_keys(&mut self, _pods: &[PodId]) -> Result<SortKeys, CallError> {
        Err(CallError::Lacks(Interface::Queue))
    }
    /// `placement.pre-filter`.
    fn pre_filter(&mut self, _pod: PodId) -> Result<PreFiltered, CallError> {
        Err(CallError::Lacks(Interface::Placement))
    }
    /// `placement.filter`.
    fn filter(&mut self, _pod: PodId) -> Result<NodeVerdicts, CallError> {
        Err(CallError::Lacks(Interface::Placement))
    }
    /// `placement.post-filter`.
    fn post_filter(&mut self, _pods: &[PodId], _refuted: &Refuted) -> Result<PostFiltered, CallError> {
        Err(CallError::Lacks(Interface::Placement))
    }
    /// `placement.reserve`.
    fn reserve(&mut self, _pod: PodId, _node: NodeId) -> Result<Effects, CallError> {
        Err(CallError::Lacks(Interface::Placement))
    }
    /// `placement.unreserve`.
    fn unreserve(&mut self, _pod: PodId, _cause: ReleaseCause) -> Result<Effects, CallError> {
        Err(CallError::Lacks(Interface::Placement))
    }
    /// `score.score`.
    fn score(&mut self, _pod: PodId, _nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        Err(CallError::Lacks(Interface::Score))
    }
    /// `permit.permit`.
    fn permit(&mut self, _pod: PodId) -> Result<Permitted, CallError> {
        Err(CallError::Lacks(Interface::Permit))
    }
    /// `cycle.act`.
    fn act(&mut self) -> Result<Actions, CallError> {
        Err(CallError::Lacks(Interface::Cycle))
    }
    /// `enforce.enforce`.
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        Err(CallError::Lacks(Interface::Enforce))
    }
    /// `account.queues`.
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        Err(CallError::Lacks(Interface::Account))
    }
    /// `account.memberships`.
    fn memberships(&mut self, _pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        Err(CallError::Lacks(Interface::Account))
    }
    /// `marks.marks`.
    fn marks(&mut self, _pod: PodId, _node: NodeId) -> Result<Vec<Mark>, CallError> {
        Err(CallError::Lacks(Interface::Marks))
    }
    /// `standing.standings`.
    fn standings(&mut self, _pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        Err(CallError::Lacks(Interface::Standing))
    }
    /// `explain.record-notes`.
    fn record_notes(&mut self, _on: bool) -> Result<(), CallError> {
        Err(CallError::Lacks(Interface::Explain))
    }
    /// `explain.notes`.
    fn notes(&mut self, _pod: PodId) -> Result<Vec<Note>, CallError> {
        Err(CallError::Lacks(Interface::Explain))
    }
    /// `state.save`.
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        Err(CallError::Lacks(Interface::State))
    }
    /// `state.restore`; the inner result is the policy's own verdict on the checkpoint.
    fn restore(&mut self, _checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        Err(CallError::Lacks(Interface::State))
    }
}
