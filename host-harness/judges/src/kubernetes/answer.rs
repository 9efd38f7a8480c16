//! The answer of the judge of kube-scheduler, as `judges/README.md` documents it.

use std::collections::BTreeMap;

use serde::Deserialize;

pub(crate) use crate::framework::{Plan, Refusal};

/// The decision of upstream about a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    /// Why upstream makes no attempt for the pod.
    #[serde(default)]
    pub(crate) untried: Option<String>,
    /// The nodes that the pod may be bound to.
    pub(crate) feasible: Vec<String>,
    /// Whether the node that the pod is nominated to is among them: upstream then takes it.
    pub(crate) nominated: bool,
    /// Why the other nodes are refused.
    pub(crate) refused: BTreeMap<String, Refusal>,
    /// The error that ends the attempt, or the dry run on a node.
    #[serde(default)]
    pub(crate) failed: Option<String>,
    /// Why the pod may not preempt.
    #[serde(default)]
    pub(crate) ineligible: Option<String>,
    /// A plan for each node on which preemption helps.
    pub(crate) plans: Vec<Plan>,
    /// The nodes of the best plans, which are equal by upstream's criteria.
    pub(crate) best: Vec<String>,
    /// Whether the nomination of the pod stays where there is no plan.
    pub(crate) keeps_nomination: bool,
    /// The pods that lose their nomination by the plan for a node.
    #[serde(default)]
    pub(crate) clears: BTreeMap<String, Vec<String>>,
}
