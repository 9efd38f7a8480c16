//! The answer of the judge of Koordinator, as `judges/koordinator/README.md` documents it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Amounts by resource: thousandths of `cpu`, else whole units.
pub(super) type Amounts = BTreeMap<String, i64>;

/// The decision of upstream about a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Answer {
    /// Why upstream makes no attempt for the pod.
    pub(super) untried: Option<String>,
    /// The pods at Permit that upstream does not have wait.
    pub(super) not_waiting: BTreeMap<String, String>,
    /// The nodes that the pod may be bound to.
    pub(super) feasible: Vec<String>,
    /// Whether the node that the pod is nominated to is among them: upstream then takes it.
    pub(super) nominated: bool,
    /// Why the pod is refused before any node is looked at.
    pub(super) pre_filter: Option<Refusal>,
    /// Why the other nodes are refused.
    pub(super) refused: BTreeMap<String, Refusal>,
    /// The error that ends the attempt, or the dry run on a node.
    pub(super) failed: Option<String>,
    /// Why the pod may not preempt.
    pub(super) ineligible: Option<String>,
    /// A plan for each node on which preemption helps.
    pub(super) plans: Vec<Plan>,
    /// Whether the nomination of the pod stays where there is no plan.
    pub(super) keeps_nomination: bool,
    /// By node without a plan: why there is none.
    pub(super) dry_run: BTreeMap<String, String>,
    /// The pods that lose their nomination by the plan for a node.
    pub(super) clears: BTreeMap<String, Vec<String>>,
    pub(super) post_filter: Option<PostFilter>,
    /// What becomes of a pod that has a node.
    pub(super) permit: Option<Permit>,
    /// The quotas before the attempt, by name.
    pub(super) quotas: BTreeMap<String, Quota>,
}

/// Why a node, or every node, is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Refusal {
    /// The code of the status, such as `Unschedulable`.
    pub(super) code: String,
    /// The plugin that refuses.
    pub(super) plugin: String,
    /// Its message.
    pub(super) reason: String,
}

/// A plan of preemption on one node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Plan {
    /// The node; empty in an alternative, which is for the same node.
    pub(super) node: String,
    /// The pods that are evicted, `namespace/name`, sorted.
    pub(super) victims: Vec<String>,
    /// Whether upstream chooses this plan, under some order of equal pods.
    pub(super) possible: bool,
    /// The plans for this node where equal pods come in another order.
    pub(super) alternatives: Vec<Plan>,
}

/// What is done for a pod without a node, beside a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PostFilter {
    /// Why there is no plan.
    pub(super) reason: String,
    /// The pods at Permit that are rejected, and why.
    pub(super) rejected: BTreeMap<String, String>,
}

/// What becomes of a pod that has a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Permit {
    /// `bind`, `wait` or `refused`.
    pub(super) result: String,
    /// The pods at Permit that are let go together with the pod.
    pub(super) released: Vec<String>,
}

/// The account of a quota.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Quota {
    pub(super) parent: String,
    pub(super) used: Amounts,
    pub(super) non_preemptible_used: Amounts,
    pub(super) request: Amounts,
    pub(super) min: Amounts,
    pub(super) max: Amounts,
    pub(super) runtime: Amounts,
}
