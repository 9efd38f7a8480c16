//! What came of an attempt and of a step, in names.

mod nodes;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use lictor_contract::{Eviction, ReleaseCause};
use serde::{Deserialize, Serialize};

use super::{AttemptExplanation, CommandAction, RetryHint};
use crate::reason::NamedReason;

pub use nodes::NodeSummary;
pub use report::SessionReport;

/// The result of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum AttemptResult {
    /// The pod was bound.
    Scheduled,
    /// The pod has a node and is held at permit.
    Waiting,
    /// A preemption was planned for the pod.
    Nominated,
    /// No node takes the pod and nothing was planned, or permit rejected it.
    Unschedulable,
    /// The pod was refused before Filter and nothing was planned.
    Rejected,
}

impl fmt::Display for AttemptResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// An attempt for one pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Attempt {
    /// The pod.
    pub pod: String,
    /// The result.
    pub result: AttemptResult,
    /// The node that the pod was bound to, is held for, or was nominated to.
    pub node: Option<String>,
    /// The reason of PreFilter or Permit.
    pub reason: Option<NamedReason>,
    /// The obstacles of the nodes, where no node takes the pod.
    pub nodes: Option<NodeSummary>,
    /// The reason of PostFilter: why there is a plan, or why there is none.
    pub preemption: Option<NamedReason>,
    /// The time and the events after which another attempt is worthwhile.
    #[serde(flatten)]
    pub retry: RetryHint,
    /// The explanation, where explanations are on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub explanation: Option<AttemptExplanation>,
}

impl Attempt {
    /// Creates an attempt for this pod that ended in PreFilter.
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

    /// Returns the reasons of the attempt in their order, without those of the nodes.
    pub fn reasons(&self) -> Vec<NamedReason> {
        self.reason.iter().chain(&self.preemption).cloned().collect()
    }

    /// Returns the reason about the preemption. `None`: there is none, or its sentence repeats the reason why the pod was refused.
    pub fn preemption_reason(&self) -> Option<&NamedReason> {
        let is_new = |reason: &&NamedReason| self.reason.as_ref().is_none_or(|said| said.message != reason.message);
        self.preemption.as_ref().filter(is_new)
    }

    /// Returns the status message: all reasons, in their order.
    pub fn message(&self) -> String {
        let reason = self.reason.as_ref().map(|reason| reason.message.clone());
        let nodes = self.nodes.as_ref().map(ToString::to_string);
        let preemption = self.preemption_reason().map(|reason| format!("preemption: {}", reason.message));
        let parts = [reason, nodes, preemption];
        parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

/// The way in which a victim was evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "How"))]
pub enum EvictionMethod {
    /// The victim was marked, and another controller deletes it.
    Soft,
    /// The victim is being deleted.
    Delete,
    /// The victim was held at permit and is pending again.
    Unreserved,
}

impl EvictionMethod {
    /// Returns the word in metrics. The word stays the same from version to version.
    pub fn metric_label(self) -> &'static str {
        match self {
            EvictionMethod::Soft => "soft",
            EvictionMethod::Delete => "delete",
            EvictionMethod::Unreserved => "unreserved",
        }
    }
}

impl From<Eviction> for EvictionMethod {
    fn from(eviction: Eviction) -> EvictionMethod {
        match eviction {
            Eviction::Soft => EvictionMethod::Soft,
            Eviction::Delete => EvictionMethod::Delete,
        }
    }
}

/// The beneficiary of an eviction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "EvictedFor"))]
#[serde(rename_all = "camelCase")]
pub enum EvictionBeneficiary {
    /// A pod that gets the room of the victims.
    Preemptor(String),
    /// No pod: the queue holds more than it may, and gives it back.
    Queue(String),
}

impl EvictionBeneficiary {
    /// Returns the preemptor. `None`: a queue gives back.
    pub fn preemptor(&self) -> Option<&str> {
        match self {
            EvictionBeneficiary::Preemptor(pod) => Some(pod),
            EvictionBeneficiary::Queue(_) => None,
        }
    }
}

impl fmt::Display for EvictionBeneficiary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvictionBeneficiary::Preemptor(pod) => f.write_str(pod),
            EvictionBeneficiary::Queue(queue) => write!(f, "queue {queue}, which gives back"),
        }
    }
}

/// A victim's fate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Evicted"))]
pub struct EvictionRecord {
    /// How the victim was evicted.
    pub how: EvictionMethod,
    /// The node that the victim is evicted from.
    pub node: Option<String>,
    /// The plan.
    pub plan: u64,
    /// The beneficiary: `preemptor`, or `queue` where a queue gives back.
    #[serde(flatten)]
    pub for_whom: EvictionBeneficiary,
    /// The reason of the plan.
    pub reason: NamedReason,
}

/// A pod's place at permit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedHold {
    /// The node.
    pub node: String,
    /// The time at which the host releases the pod, in nanoseconds since 1970.
    pub deadline: i64,
}

/// A pod that lost the node it was held for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Released"))]
pub struct ReleasedPod {
    /// The pod.
    pub pod: String,
    /// The node that the pod was held for.
    pub node: String,
    /// The cause.
    pub cause: ReleaseCause,
}

/// A plan that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "CarriedOut"))]
pub struct AppliedPlan {
    /// The plan.
    pub plan: u64,
    /// The beneficiary: `preemptor`, or `queue` where a queue gives back.
    #[serde(flatten)]
    pub for_whom: EvictionBeneficiary,
    /// The nominated pods, and their nodes.
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
    /// The beneficiary: `preemptor`, or `queue` where a queue gives back.
    #[serde(flatten)]
    pub for_whom: EvictionBeneficiary,
    /// The invariant that the plan breaks.
    pub reason: NamedReason,
}

/// A command that was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FailedCommand {
    /// The pod of the command.
    pub pod: String,
    /// The action of the command.
    pub action: CommandAction,
    /// Why the command failed.
    pub reason: String,
}
