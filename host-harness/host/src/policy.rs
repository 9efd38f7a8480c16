//! A policy as the host sees it, native or in the sandbox.

use lictor_contract::*;

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
    Lacks(&'static str),
}

/// A policy. The functions are those of `wit/`, but the first.
pub trait Policy: Send {
    /// Replaces the instance by a new one, which is not configured and knows no cluster. There is no other way on after it broke.
    fn restart(&mut self) -> Result<(), CallError>;
    /// `decision.describe`.
    fn describe(&mut self) -> Result<Description, CallError>;
    /// `decision.configure`; the inner result is the policy's own verdict on the configuration.
    fn configure(&mut self, laws: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError>;
    /// `decision.apply`.
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError>;
    /// `decision.queue-order`.
    fn queue_order(&mut self, pods: Vec<PodId>) -> Result<Vec<PodId>, CallError>;
    /// `decision.pre-filter`.
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError>;
    /// `decision.filter`.
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError>;
    /// `decision.post-filter`.
    fn post_filter(&mut self, pod: PodId, refuted: &[Placement]) -> Result<PostFiltered, CallError>;
    /// `decision.reserve`.
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError>;
    /// `decision.unreserve`.
    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError>;
    /// `decision.permit`.
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError>;
    /// `decision.act`.
    fn act(&mut self) -> Result<Actions, CallError>;
    /// `account.queues`.
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError>;
    /// `binding.marks`.
    fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError>;
    /// `explain.record-notes`.
    fn record_notes(&mut self, on: bool) -> Result<(), CallError>;
    /// `explain.notes`.
    fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError>;
    /// `state.save`.
    fn save(&mut self) -> Result<Checkpoint, CallError>;
    /// `state.restore`; the inner result is the policy's own verdict on the checkpoint.
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError>;
}
