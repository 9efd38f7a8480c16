//! The engine: one file per extension point.

use crate::contract::*;

/// A policy: holds one cluster, answers at the extension points.
#[derive(Debug, Default)]
pub struct Engine {}

impl Engine {
    /// See `decision.describe`.
    pub fn describe() -> Description {
        Description {
            name: "lictor".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            law_sets: Vec::new(),
        }
    }
    /// See `decision.configure`.
    pub fn configure(&mut self, _laws: &str, _arguments: &str) -> Result<(), ConfigError> {
        Err(ConfigError::UnknownLaws(Vec::new()))
    }
    /// See `decision.apply`.
    pub fn apply(&mut self, _events: Vec<Event>) -> Result<Applied, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `decision.queue-order`.
    pub fn queue_order(&mut self, _pods: Vec<PodId>) -> Result<Vec<PodId>, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `decision.pre-filter`.
    pub fn pre_filter(&mut self, _pod: PodId) -> Result<PreFiltered, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `decision.filter`.
    pub fn filter(&mut self, _pod: PodId) -> Result<NodeVerdicts, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `decision.post-filter`.
    pub fn post_filter(&mut self, _pod: PodId, _refuted: &[Placement]) -> Result<PostFiltered, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `decision.reserve`.
    pub fn reserve(&mut self, _pod: PodId, _node: NodeId) -> Result<Effects, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `decision.unreserve`.
    pub fn unreserve(&mut self, _pod: PodId, _cause: ReleaseCause) -> Result<Effects, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `decision.permit`.
    pub fn permit(&mut self, _pod: PodId) -> Result<Permitted, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `decision.act`.
    pub fn act(&mut self) -> Result<Actions, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `account.queues`.
    pub fn queues(&self) -> Result<Vec<QueueAccount>, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `explain.record-notes`.
    pub fn record_notes(&mut self, _on: bool) {}
    /// See `explain.notes`.
    pub fn notes(&self, _pod: PodId) -> Result<Vec<Note>, PolicyError> {
        Err(PolicyError::NotConfigured)
    }
    /// See `state.save`.
    pub fn save(&self) -> Checkpoint {
        Checkpoint {
            format: 1,
            revision: 0,
            bytes: Vec::new(),
        }
    }
    /// See `state.restore`.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), StateError> {
        Err(StateError::UnknownFormat(checkpoint.format))
    }
}
