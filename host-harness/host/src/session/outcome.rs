//! What came of an attempt and of a step, in names.

mod nodes;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use lictor_contract::{Eviction, ReleaseCause};
use serde::{Deserialize, Serialize};

use super::{Action, Explanation, RetryHint};
use crate::reason::NamedReason;

pub use nodes::NodeSummary;

/// How an attempt for one pod ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum AttemptResult {
    /// It was bound.
    Scheduled,
    /// It was given a node and is held at permit.
    Waiting,
    /// A preemption was planned for it.
    Nominated,
    /// No node takes it and nothing was planned; or permit said no.
    Unschedulable,
    /// It was refused before Filter and nothing was planned.
    Rejected,
}

impl fmt::Display for AttemptResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// One attempt for one pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Attempt {
    /// The pod.
    pub pod: String,
    /// How it ended.
    pub result: AttemptResult,
    /// The node it was bound to, is held for, or was nominated to.
    pub node: Option<String>,
    /// What PreFilter or Permit said.
    pub reason: Option<NamedReason>,
    /// What the nodes said, where none takes it.
    pub nodes: Option<NodeSummary>,
    /// What PostFilter said: why there is a plan, or why there is none.
    pub preemption: Option<NamedReason>,
    /// When it is worth trying again, where it was refused.
    #[serde(flatten)]
    pub retry: RetryHint,
    /// Why it ended so, where somebody wants to be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub explanation: Option<Explanation>,
}

impl Attempt {
    /// An attempt for this pod that has not come further than PreFilter.
    pub(super) fn rejected(pod: String) -> Attempt {
        Attempt {
            pod,
            result: AttemptResult::Rejected,
            node: None,
            reason: None,
            nodes: None,
            preemption: None,
            retry: RetryHint::default(),
            explanation: None,
        }
    }

    /// What was said, as data, in the order in which it was said; what the nodes said apart.
    pub fn reasons(&self) -> Vec<NamedReason> {
        self.reason.iter().chain(&self.preemption).cloned().collect()
    }

    /// Returns what was said of its preemption, unless the same sentence says why the pod was refused: it is said once.
    pub fn said_of_preemption(&self) -> Option<&NamedReason> {
        let is_new = |reason: &&NamedReason| self.reason.as_ref().is_none_or(|said| said.message != reason.message);
        self.preemption.as_ref().filter(is_new)
    }

    /// Returns the status message: everything that was said, in the order in which it was said.
    pub fn message(&self) -> String {
        let reason = self.reason.as_ref().map(|reason| reason.message.clone());
        let nodes = self.nodes.as_ref().map(ToString::to_string);
        let preemption = self.said_of_preemption().map(|reason| format!("preemption: {}", reason.message));
        let parts = [reason, nodes, preemption];
        parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

/// How a victim was evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum How {
    /// It was marked, for somebody else to delete.
    Soft,
    /// It is being deleted.
    Delete,
    /// It was held at permit and is pending again.
    Unreserved,
}

impl How {
    /// Returns the word for it in metrics. It stays the same from version to version.
    pub fn word(self) -> &'static str {
        match self {
            How::Soft => "soft",
            How::Delete => "delete",
            How::Unreserved => "unreserved",
        }
    }
}

impl From<Eviction> for How {
    fn from(eviction: Eviction) -> How {
        match eviction {
            Eviction::Soft => How::Soft,
            Eviction::Delete => How::Delete,
        }
    }
}

/// For whom pods are evicted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum EvictedFor {
    /// For a pod that gets their room.
    Preemptor(String),
    /// For nobody: their queue holds more than it may.
    Queue(String),
}

impl EvictedFor {
    /// The preemptor, where there is one.
    pub fn preemptor(&self) -> Option<&str> {
        match self {
            EvictedFor::Preemptor(pod) => Some(pod),
            EvictedFor::Queue(_) => None,
        }
    }
}

impl fmt::Display for EvictedFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvictedFor::Preemptor(pod) => f.write_str(pod),
            EvictedFor::Queue(queue) => write!(f, "queue {queue}, which gives back"),
        }
    }
}

/// A victim's fate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Evicted {
    /// How it was evicted.
    pub how: How,
    /// The node it is evicted from.
    pub node: Option<String>,
    /// The plan.
    pub plan: u64,
    /// For whom: `preemptor`, or `queue` where it gives back.
    #[serde(flatten)]
    pub for_whom: EvictedFor,
    /// Why the plan was made.
    pub reason: NamedReason,
}

/// Where a pod is held at permit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The node.
    pub node: String,
    /// When the host gives up, nanoseconds since 1970.
    pub deadline: i64,
}

/// A pod that lost the room it was held for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Released {
    /// The pod.
    pub pod: String,
    /// The node it was held for.
    pub node: String,
    /// Why.
    pub cause: ReleaseCause,
}

/// A plan that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CarriedOut {
    /// The plan.
    pub plan: u64,
    /// For whom: `preemptor`, or `queue` where it gives back.
    #[serde(flatten)]
    pub for_whom: EvictedFor,
    /// Who was nominated, and to which nodes.
    pub nominated: BTreeMap<String, String>,
    /// The victims.
    pub victims: BTreeSet<String>,
}

/// A plan that the host did not carry out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RefusedPlan {
    /// The plan.
    pub plan: u64,
    /// For whom: `preemptor`, or `queue` where it gives back.
    #[serde(flatten)]
    pub for_whom: EvictedFor,
    /// The invariant that it breaks.
    pub reason: NamedReason,
}

/// A command that was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FailedCommand {
    /// The pod that it was about.
    pub pod: String,
    /// What was to be done.
    pub action: Action,
    /// Why it was not.
    pub reason: String,
}

/// Everything that happened since it was last asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Happened {
    /// The attempts, in order.
    pub attempts: Vec<Attempt>,
    /// Pods that were bound, and their nodes.
    pub bound: BTreeMap<String, String>,
    /// Pods that were nominated, and their nodes.
    pub nominated: BTreeMap<String, String>,
    /// Pods that lost their nomination.
    pub withdrawn: Vec<String>,
    /// Victims.
    pub victims: BTreeMap<String, Evicted>,
    /// Pods that lost the room they were held for.
    pub released: Vec<Released>,
    /// The plans that were carried out, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub plans: Vec<CarriedOut>,
    /// Plans that were not carried out.
    pub refused: Vec<RefusedPlan>,
    /// Commands that were not carried out, as the driver says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub failed: Vec<FailedCommand>,
    /// When a cycle of the policy's own is worth running again, as the last one says.
    #[serde(flatten)]
    pub retry: RetryHint,
    /// Why a cycle of the policy's own ended so for each pod that waited, where somebody wants to be told.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub explanations: BTreeMap<String, Explanation>,
}

impl Happened {
    /// Adds what happened later.
    pub fn add(&mut self, later: Happened) {
        self.attempts.extend(later.attempts);
        self.bound.extend(later.bound);
        self.nominated.extend(later.nominated);
        self.withdrawn.extend(later.withdrawn);
        self.victims.extend(later.victims);
        self.released.extend(later.released);
        self.plans.extend(later.plans);
        self.refused.extend(later.refused);
        self.failed.extend(later.failed);
        if !later.retry.is_empty() {
            self.retry = later.retry;
        }
        self.explanations.extend(later.explanations);
    }

    /// Every explanation and what it is about: of each attempt, in order, and of a cycle of the policy's own.
    pub fn explained(&self) -> impl Iterator<Item = (&str, &Explanation)> {
        let attempts = self.attempts.iter().filter_map(|attempt| Some((&*attempt.pod, attempt.explanation.as_ref()?)));
        attempts.chain(self.explanations.iter().map(|(pod, explanation)| (pod.as_str(), explanation)))
    }
}
