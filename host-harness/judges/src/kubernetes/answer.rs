//! The answer of the judge of kube-scheduler, as `judges/README.md` documents it.

use std::collections::BTreeMap;

use serde::Deserialize;

pub(crate) use crate::framework::{UpstreamPlan, UpstreamRefusal};

/// The decision of upstream about a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase")]
pub(crate) struct KubernetesResponse {
    /// Why upstream makes no attempt for the pod.
    #[serde(default)]
    pub(crate) untried: Option<String>,
    /// The nodes that the pod may be bound to.
    pub(crate) feasible: Vec<String>,
    /// Whether the node that the pod is nominated to is among them: upstream then takes it.
    pub(crate) nominated: bool,
    /// Why the other nodes are refused.
    pub(crate) refused: BTreeMap<String, UpstreamRefusal>,
    /// The error that ends the attempt, or the dry run on a node.
    #[serde(default)]
    pub(crate) failed: Option<String>,
    /// Why the pod may not preempt.
    #[serde(default)]
    pub(crate) ineligible: Option<String>,
    /// A plan for each node on which preemption helps.
    pub(crate) plans: Vec<UpstreamPlan>,
    /// The nodes of the best plans, which are equal by upstream's criteria.
    pub(crate) best: Vec<String>,
    /// Whether the nomination of the pod stays where there is no plan.
    pub(crate) keeps_nomination: bool,
    /// The pods that lose their nomination by the plan for a node.
    #[serde(default)]
    pub(crate) clears: BTreeMap<String, Vec<String>>,
}

/// The decision of upstream about a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(super) struct PodGroupDecision {
    /// What comes of the cycle, under several orders of the nodes.
    pub(super) outcomes: Vec<PodGroupOutcome>,
}

/// The result of the cycle of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(default)]
pub(super) struct PodGroupOutcome {
    /// The nodes of the pods that are bound.
    pub(super) placed: BTreeMap<String, String>,
    /// The nominations of the other pods.
    pub(super) nominated: BTreeMap<String, String>,
    /// The pods that are evicted.
    pub(super) victims: Vec<String>,
}

impl PodGroupOutcome {
    /// Returns whether pods of the group are bound.
    pub(super) fn starts(&self) -> bool {
        !self.placed.is_empty()
    }
}

/// The answer of the judge about a pod of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(default)]
pub(super) struct PodGroupResponse {
    pub(super) group: Option<PodGroupDecision>,
}
