//! The reasons for the states of pods.

use serde::Deserialize;

use super::record::{Attempt, Reason, Victim};

/// The answer about the pods of a name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// The name in the question.
    pub asked: String,
    /// The pods of that name.
    pub pods: Vec<Why>,
}

/// The state of a pod, with the reasons.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Why {
    /// The pod.
    pub pod: String,
    /// Its state now.
    pub state: String,
    /// Its node.
    pub node: Option<String>,
    /// The attempts for it.
    pub attempts: Vec<Attempt>,
    /// Why it was not tried.
    pub held_back: Option<Reason>,
    /// Why it was not placed in a cycle of the policy's own.
    pub explanation: Option<Explanation>,
    /// Whether it was safe before any decision.
    pub standing: Option<Standing>,
    /// The eviction of the pod, with its preemptor.
    pub evicted: Option<Evicted>,
    /// The results for it in the attempts for others.
    pub looked_at: Vec<LookedAt>,
}

/// The standing of a running pod: whether it is safe.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Standing {
    /// Whether no preemptor may evict it.
    pub safe: bool,
    /// The pods or queues that may evict it, or the laws that protect it.
    pub sentence: String,
}

/// The eviction of a pod, with its preemptor.
pub type Evicted = Victim;

/// Why an attempt ended in its result.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Explanation {
    /// The number of nodes.
    pub nodes: usize,
    /// The reasons, counted.
    pub counted: Vec<Counted>,
    /// The reasons, one by one.
    pub notes: Vec<Note>,
}

/// A reason that several pods, nodes or queues share.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Counted {
    /// The number of pods, nodes or queues.
    pub count: usize,
    /// What they are: `preemptor`, `pod`, `node` or `queue`.
    pub about: String,
    /// What happened to them.
    pub outcome: String,
    /// The reason.
    #[serde(flatten)]
    pub reason: Reason,
}

/// A reason for one pod, node or queue.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Note {
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
    pub reason: Reason,
}

/// The result for a pod in the attempt for another.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LookedAt {
    /// The pod of the attempt.
    pub by: String,
    /// The result.
    pub outcome: String,
    /// The reason.
    #[serde(flatten)]
    pub reason: Reason,
}
