//! Why pods are where they are.

use serde::Deserialize;

use super::record::{Attempt, Reason, Victim};

/// What is known of the pods that were asked about.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// What was asked about.
    pub asked: String,
    /// The pods that were meant.
    pub pods: Vec<Why>,
}

/// What became of a pod, and why.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Why {
    /// The pod.
    pub pod: String,
    /// Where it is now.
    pub state: String,
    /// Its node.
    pub node: Option<String>,
    /// The attempts for it.
    pub attempts: Vec<Attempt>,
    /// Why it was not tried.
    pub held_back: Option<Reason>,
    /// Why a cycle of the policy's own ended so for it.
    pub explanation: Option<Explanation>,
    /// Whether it was safe before anything was decided.
    pub standing: Option<Standing>,
    /// For whom it is evicted.
    pub evicted: Option<Evicted>,
    /// What was said of it in the attempts for others.
    pub looked_at: Vec<LookedAt>,
}

/// The standing of a running pod: whether it is safe.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Standing {
    /// No preemptor may evict it.
    pub safe: bool,
    /// Who may evict it, or the laws that protect it.
    pub sentence: String,
}

/// For whom a pod is evicted.
pub type Evicted = Victim;

/// Why an attempt ended as it did.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Explanation {
    /// How many nodes there are.
    pub nodes: usize,
    /// What was said, counted.
    pub counted: Vec<Counted>,
    /// What was said, one by one.
    pub notes: Vec<Note>,
}

/// The same, said of several.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Counted {
    /// Of how many.
    pub count: usize,
    /// What they are.
    pub about: String,
    /// What happened to them.
    pub outcome: String,
    /// Why.
    #[serde(flatten)]
    pub reason: Reason,
}

/// One thing that was said.
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
    /// Why.
    #[serde(flatten)]
    pub reason: Reason,
}

/// What was said of a pod in the attempt for another.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LookedAt {
    /// Whose attempt it was.
    pub by: String,
    /// What happened.
    pub outcome: String,
    /// Why.
    #[serde(flatten)]
    pub reason: Reason,
}
