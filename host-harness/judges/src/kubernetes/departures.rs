//! The rulings by which the system `kubernetes` departs from kube-scheduler, and their situations.

use serde_json::{Value, json};

use crate::cluster::{leaves, name, text};
use crate::departure::{Departure, Situation};

/// The departures, in the order in which they are tried.
pub(crate) const DEPARTURES: &[Departure] = &[
    Departure {
        id: "K10",
        upstream: "a victim that is being deleted is evicted again, and counts between nodes",
        policy: "a victim that is being deleted is not evicted again, and counts for nothing between nodes",
        applies: evicts_who_leaves,
    },
    Departure {
        id: "K30",
        upstream: "a budget with an empty selector covers no pod",
        policy: "a budget with an empty selector covers every pod of its namespace",
        applies: has_budget_of_the_namespace,
    },
    Departure {
        id: "K23",
        upstream: "a nominated pod with constraints between pods counts on its own node only",
        policy: "a nominated pod with constraints between pods counts in its whole domain, and stays allowed there",
        applies: is_near_a_nomination,
    },
];

/// Returns whether upstream evicts a pod that is being deleted already.
fn evicts_who_leaves(it: &Situation<'_>) -> bool {
    let mut victims = it.answer.plans.iter().flat_map(|plan| &plan.victims);
    victims.any(|victim| it.cluster.pod(victim).is_some_and(leaves))
}

/// Returns whether a budget has an empty selector, and nodes differ by their victims.
fn has_budget_of_the_namespace(it: &Situation<'_>) -> bool {
    let mut budgets = it.cluster.all("PodDisruptionBudget");
    !it.answer.plans.is_empty() && budgets.any(|budget| budget.pointer("/spec/selector") == Some(&json!({})))
}

/// Returns whether another pod is nominated, and it or the pod that is tried has constraints between pods.
fn is_near_a_nomination(it: &Situation<'_>) -> bool {
    let nominated =
        |pod: &&Value| text(pod, "/spec/nodeName").is_empty() && !text(pod, "/status/nominatedNodeName").is_empty();
    let mut others = it.cluster.all("Pod").filter(nominated).filter(|other| name(other) != name(it.pod));
    others.any(|other| is_constrained(other) || is_constrained(it.pod))
}

/// Returns whether a pod has constraints between pods.
fn is_constrained(pod: &Value) -> bool {
    let fields = ["/spec/affinity/podAffinity", "/spec/affinity/podAntiAffinity", "/spec/topologySpreadConstraints"];
    fields.iter().any(|field| pod.pointer(field).is_some())
}
