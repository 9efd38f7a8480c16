//! The answer of the judge of kube-scheduler, as `judges/README.md` documents it.

use std::collections::BTreeMap;

use serde::Deserialize;

pub(crate) use crate::framework::{UpstreamPlan, UpstreamPreemption, UpstreamRefusal};

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
    /// The preemption for the pod.
    #[serde(flatten)]
    pub(crate) preemption: UpstreamPreemption,
    /// The nodes of the best plans, which are equal by upstream's criteria.
    pub(crate) best: Vec<String>,
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
