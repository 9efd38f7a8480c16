//! `wit/explain.wit` and `wit/state.wit`: the optional abilities.

use serde::Serialize;

use super::{NodeId, PodId, Reason};

/// The pods about which notes are recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotedPods {
    /// None. It costs nothing then.
    #[default]
    None,
    /// All: every attempt is explained.
    All,
    /// These: their attempts, with those of the pod that stands for their job, and what is found about them in the attempts of other pods, where
    /// they use a node now.
    These(Vec<PodId>),
}

/// The subject of a note.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// The pod that was asked about, or its job.
    Preemptor,
    /// A pod that could have been evicted, or was spared.
    Pod(PodId),
    /// A node.
    Node(NodeId),
    /// A queue or quota, by name.
    Queue(String),
}

/// The outcome of a decision for the subject of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It stood in the way, or was refused.
    Barred,
    /// The law spares it: it was no candidate.
    Spared,
    /// It was a candidate that need not be evicted, or a node that need not be looked at.
    Unneeded,
    /// It was taken away in the trial and reprieved.
    Reprieved,
    /// It was taken away in the trial and could not be reprieved: it is evicted.
    Needed,
    /// It would have been enough, but was not to be had, or another was chosen.
    Enough,
    /// It was chosen.
    Chosen,
}

/// One thing that was found while the policy decided.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Note {
    /// What it is about.
    pub subject: Subject,
    /// What happened to it.
    pub outcome: Outcome,
    /// Why.
    pub reason: Reason,
}

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checkpoint {
    /// The layout of the bytes; each policy numbers its own.
    pub format: u32,
    /// The state.
    pub bytes: Vec<u8>,
}

/// Why a checkpoint is refused. Nothing was restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateError {
    /// The layout is not known here; this one is.
    UnknownFormat(u32),
    /// The bytes are not what the layout says.
    Malformed(String),
}
