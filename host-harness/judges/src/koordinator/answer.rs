//! The answer of the judge of Koordinator, as `judges/koordinator/README.md` documents it.

use std::collections::BTreeMap;

use serde::Deserialize;

pub(super) use crate::framework::{UpstreamPlan, UpstreamPreemption, UpstreamRefusal};

/// Amounts by resource: thousandths of `cpu`, else whole units.
pub(super) type Amounts = BTreeMap<String, i64>;

/// The decision of upstream about a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase")]
pub(super) struct KoordinatorResponse {
    /// Why upstream makes no attempt for the pod.
    #[serde(default)]
    pub(super) untried: Option<String>,
    /// The pods at Permit that upstream does not have wait.
    #[serde(default)]
    pub(super) not_waiting: BTreeMap<String, String>,
    /// The nodes that the pod may be bound to.
    pub(super) feasible: Vec<String>,
    /// Whether the node that the pod is nominated to is among them: upstream then takes it.
    pub(super) nominated: bool,
    /// Why the pod is refused before any node is looked at.
    #[serde(default)]
    pub(super) pre_filter: Option<UpstreamRefusal>,
    /// Why the other nodes are refused.
    pub(super) refused: BTreeMap<String, UpstreamRefusal>,
    /// The error that ends the attempt, or the dry run on a node.
    #[serde(default)]
    pub(super) failed: Option<String>,
    /// The preemption for the pod.
    #[serde(flatten)]
    pub(super) preemption: UpstreamPreemption,
    /// By node without a plan: why there is none.
    #[serde(default)]
    pub(super) dry_run: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) post_filter: Option<KoordinatorPostFilter>,
    /// What becomes of a pod that has a node.
    #[serde(default)]
    pub(super) permit: Option<KoordinatorPermit>,
    /// The quotas before the attempt, by name.
    pub(super) quotas: BTreeMap<String, QuotaAccount>,
}

/// The effects on others of a pod without a node, apart from a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct KoordinatorPostFilter {
    /// Why there is no plan.
    pub(super) reason: String,
    /// The pods at Permit that are rejected, and why.
    pub(super) rejected: BTreeMap<String, String>,
}

/// The answer of Permit about a pod that has a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct KoordinatorPermit {
    /// `bind`, `wait` or `refused`.
    pub(super) result: String,
    /// The pods at Permit that are let go together with the pod.
    pub(super) released: Vec<String>,
}

/// The account of a quota.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(super) struct QuotaAccount {
    pub(super) parent: String,
    pub(super) used: Amounts,
    pub(super) non_preemptible_used: Amounts,
    pub(super) request: Amounts,
    pub(super) min: Amounts,
    pub(super) max: Amounts,
    pub(super) runtime: Amounts,
}
