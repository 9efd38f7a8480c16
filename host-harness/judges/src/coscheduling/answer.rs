//! The answer of the judge of scheduler-plugins, as `judges/coscheduling/README.md` documents it.

use std::collections::BTreeMap;

use serde::Deserialize;

pub(super) use crate::framework::{UpstreamPlan, UpstreamPreemption, UpstreamRefusal};

/// The decision of upstream about a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase")]
pub(super) struct CoschedulingResponse {
    /// Why upstream makes no attempt for the pod.
    #[serde(default)]
    pub(super) untried: Option<String>,
    /// The nodes that the pod may be bound to.
    pub(super) feasible: Vec<String>,
    /// Whether the node that the pod is nominated to is among them: upstream then takes it.
    pub(super) nominated: bool,
    /// Why the pod is refused on all nodes.
    #[serde(default)]
    pub(super) pre_filter: Option<UpstreamRefusal>,
    /// Why the other nodes are refused.
    pub(super) refused: BTreeMap<String, UpstreamRefusal>,
    /// What is said of the pod when it has a node.
    #[serde(default)]
    pub(super) permit: Option<CoschedulingPermit>,
    /// The error that ends the attempt.
    #[serde(default)]
    pub(super) failed: Option<String>,
    /// The preemption for the pod.
    #[serde(flatten)]
    pub(super) preemption: UpstreamPreemption,
    /// Plans for nodes that have one in another order of equal pods only.
    #[serde(default)]
    pub(super) other_plans: Vec<UpstreamPlan>,
    /// What Coscheduling does where there is no plan.
    #[serde(default)]
    pub(super) post_filter: Option<CoschedulingPostFilter>,
    /// The quotas by namespace.
    pub(super) quotas: BTreeMap<String, NamespaceQuota>,
}

/// The answer of Permit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(default)]
pub(super) struct CoschedulingPermit {
    /// `bind`, `wait` or `refuse`.
    pub(super) result: String,
    /// The pods at Permit that are let go with the pod.
    pub(super) allowed: Vec<String>,
}

/// The effects of Coscheduling where there is no plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(default)]
pub(super) struct CoschedulingPostFilter {
    /// The pods at Permit that it rejects.
    pub(super) rejected: Vec<String>,
}

/// Amounts by resource: cpu in thousandths, others in units.
pub(super) type Amounts = BTreeMap<String, i64>;

/// A quota, as it is before the attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(default)]
pub(super) struct NamespaceQuota {
    pub(super) used: Amounts,
    pub(super) min: Amounts,
    pub(super) max: Amounts,
}

impl CoschedulingResponse {
    /// Returns the plans with their node: those of the order of the request, and those of other orders.
    pub(super) fn all_plans(&self) -> impl Iterator<Item = (&str, &UpstreamPlan)> {
        let plans = self.preemption.plans.iter().chain(&self.other_plans);
        plans.flat_map(|plan| std::iter::once(plan).chain(&plan.alternatives).map(|other| (plan.node.as_str(), other)))
    }

    /// Returns the plans that upstream chooses, under some order of equal pods.
    pub(super) fn possible_plans(&self) -> impl Iterator<Item = (&str, &UpstreamPlan)> {
        self.all_plans().filter(|(_, plan)| plan.possible)
    }

    /// Returns whether upstream has a plan under every order of equal pods.
    pub(super) fn surely_plans(&self) -> bool {
        self.preemption.plans.iter().any(|plan| !plan.uncertain)
    }

    /// Returns whether the pod gets a node.
    pub(super) fn places(&self) -> bool {
        !self.feasible.is_empty() && self.permit.as_ref().is_none_or(|permit| permit.result != "refuse")
    }
}
