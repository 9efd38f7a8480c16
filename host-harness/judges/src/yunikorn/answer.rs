//! The answer of the judge of YuniKorn, as `judges/yunikorn/README.md` documents it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Amounts by the core's name of the resource: `vcore` in thousandths, others in units.
pub(super) type Amounts = BTreeMap<String, i64>;

/// The reply of the judge.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(untagged)]
pub(super) enum YunikornResponse {
    /// The pod or the cluster asks for something that the judge does not look at.
    NotJudged {
        /// What it asks for.
        #[serde(rename = "notJudged")]
        not_judged: String,
    },
    /// The decision.
    Judged(Box<JudgedAttempt>),
}

/// The decision of upstream about a pod, and what it was made from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct JudgedAttempt {
    #[serde(flatten)]
    pub(super) decision: YunikornDecision,
    /// What the core logged for the pod.
    pub(super) why: String,
    /// The nodes on which the core may bind the pod, where it binds it.
    pub(super) legal_nodes: Vec<String>,
    /// Other decisions, in another order of equals.
    pub(super) alternatives: Vec<YunikornDecision>,
    /// The pods that the core evicts for the pod where nothing but that pod is in question.
    pub(super) candidates: Vec<String>,
    /// The nominated pods that the core keeps no node for.
    pub(super) unreserved: Vec<String>,
    /// What nodes have left.
    pub(super) free: BTreeMap<String, Amounts>,
    /// The maximum of each queue, with those of the queues above it; of the root, what the nodes have.
    pub(super) max: BTreeMap<String, Amounts>,
    /// What queues use before the attempt, with what is leaving, by path.
    pub(super) usage: BTreeMap<String, Amounts>,
    /// What queues guarantee.
    pub(super) guaranteed: BTreeMap<String, Amounts>,
    /// What may be taken of queues, by upstream's reading.
    pub(super) preemptable: BTreeMap<String, Amounts>,
    /// The pods of the core.
    pub(super) pods: BTreeMap<String, CorePod>,
}

/// A decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(super) struct YunikornDecision {
    pub(super) result: YunikornResult,
    /// Where the pod is bound, or the node that is reserved for it.
    #[serde(default)]
    pub(super) node: String,
    /// The pods that are evicted, sorted.
    #[serde(default)]
    pub(super) victims: Vec<String>,
}

/// The ending of an attempt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "lowercase")]
pub(super) enum YunikornResult {
    Bound,
    Preempts,
    /// A node is reserved, and no pod is evicted.
    Reserves,
    #[default]
    Nothing,
    /// The application has no queue.
    Refused,
}

/// A pod as the core knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct CorePod {
    pub(super) app: String,
    /// The path of its queue.
    pub(super) queue: String,
    pub(super) uses: Amounts,
    pub(super) priority: i64,
    pub(super) opted_out: bool,
    pub(super) originator: bool,
    /// The node of a DaemonSet pod; empty for other pods.
    pub(super) required: String,
}
