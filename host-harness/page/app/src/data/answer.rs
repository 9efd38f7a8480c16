//! The reasons for the states of pods.

use serde::Deserialize;

use super::record::{AttemptView, ReasonView, VictimView};

/// The answer about the pods of a name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExplanationView {
    /// The name in the question.
    pub asked: String,
    /// The pods of that name.
    pub pods: Vec<ExplainedPodView>,
}

/// The state of a pod, with the reasons.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExplainedPodView {
    /// The pod.
    pub pod: String,
    /// Its state now.
    pub state: String,
    /// Its node.
    pub node: Option<String>,
    /// The attempts for it.
    pub attempts: Vec<AttemptView>,
    /// Why it was not tried.
    pub held_back: Option<ReasonView>,
    /// Why it was not placed in a cycle of the policy's own.
    pub explanation: Option<AttemptExplanationView>,
    /// Whether it was safe before any decision.
    pub standing: Option<StandingView>,
    /// The eviction of the pod, with its preemptor.
    pub evicted: Option<EvictedView>,
    /// The results for it in the attempts for others.
    pub looked_at: Vec<ConsideredPodView>,
}

/// The standing of a running pod: whether it is safe.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct StandingView {
    /// Whether no preemptor may evict it.
    pub safe: bool,
    /// The pods or queues that may evict it, or the laws that protect it.
    pub sentence: String,
}

/// The eviction of a pod, with its preemptor.
pub type EvictedView = VictimView;

/// Why an attempt ended in its result.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct AttemptExplanationView {
    /// The number of nodes.
    pub nodes: usize,
    /// The reasons, counted.
    pub counted: Vec<ReasonCountView>,
    /// The reasons, one by one.
    pub notes: Vec<NoteView>,
}

/// A reason that several pods, nodes or queues share.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReasonCountView {
    /// The number of pods, nodes or queues.
    pub count: usize,
    /// What they are: `preemptor`, `pod`, `node` or `queue`.
    pub about: String,
    /// What happened to them.
    pub outcome: String,
    /// The reason.
    #[serde(flatten)]
    pub reason: ReasonView,
}

/// A reason for one pod, node or queue.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct NoteView {
    /// What it is about: `preemptor`, `pod`, `node` or `queue`.
    pub about: String,
    /// The name of that.
    pub name: Option<String>,
    /// The node that a pod holds.
    pub node: Option<String>,
    /// What happened to it.
    pub outcome: String,
    /// The reason.
    #[serde(flatten)]
    pub reason: ReasonView,
}

/// The result for a pod in the attempt for another.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ConsideredPodView {
    /// The pod of the attempt.
    pub by: String,
    /// The result.
    pub outcome: String,
    /// The reason.
    #[serde(flatten)]
    pub reason: ReasonView,
}
