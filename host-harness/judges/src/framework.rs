//! What the judges share that run the framework of kube-scheduler, in whichever version.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The refusal of a node, or of all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct UpstreamRefusal {
    /// The code of the status, such as `Unschedulable`.
    pub(crate) code: String,
    /// The plugin that refuses.
    pub(crate) plugin: String,
    /// Its message.
    pub(crate) reason: String,
}

/// The preemption of upstream for a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpstreamPreemption {
    /// Why the pod may not preempt.
    #[serde(default)]
    pub(crate) ineligible: Option<String>,
    /// A plan for each node on which preemption helps.
    pub(crate) plans: Vec<UpstreamPlan>,
    /// Whether the nomination of the pod stays where there is no plan.
    pub(crate) keeps_nomination: bool,
    /// The pods that lose their nomination by the plan for a node.
    #[serde(default)]
    pub(crate) clears: BTreeMap<String, Vec<String>>,
}

impl UpstreamPreemption {
    /// Returns the pods that lose their nomination by the plan for the node.
    pub(crate) fn cleared(&self, node: &str) -> impl Iterator<Item = &String> {
        self.clears.get(node).into_iter().flatten()
    }
}

/// A plan of preemption on one node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct UpstreamPlan {
    /// The node; empty in an alternative, which is for the same node.
    pub(crate) node: String,
    /// The pods that are evicted, `namespace/name`, sorted.
    pub(crate) victims: Vec<String>,
    /// The number of victims that violate a disruption budget.
    pub(crate) violations: u64,
    /// Whether upstream chooses this plan, under some order of equal pods.
    pub(crate) possible: bool,
    /// Whether there is no plan on this node under some order of equal pods. Only scheduler-plugins knows this.
    pub(crate) uncertain: bool,
    /// The plans for this node where equal pods come in another order.
    pub(crate) alternatives: Vec<UpstreamPlan>,
}
