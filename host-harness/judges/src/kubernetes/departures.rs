//! The rulings by which the system `kubernetes` departs from kube-scheduler, and their situations.

use serde_json::{Value, json};

use super::Situation;
use crate::departure::Departure;
use crate::object::{is_nominated, leaves, name, pods, text};

/// A ruling, and its situation.
pub(super) struct Rule {
    pub(super) departure: Departure,
    /// Whether the situation is the one of the ruling.
    pub(super) applies: fn(&Situation<'_>) -> bool,
}

/// The ruling about pods that are being deleted.
pub(super) const LEAVING: Departure = Departure {
    id: "K10",
    upstream: "a pod that is being deleted may stay, or be evicted again, like any other",
    policy: "a pod that is being deleted leaves, and is not evicted again",
};

/// The rulings, in the order in which they are tried.
pub(super) const RULES: &[Rule] = &[
    Rule { departure: LEAVING, applies: plans_where_a_pod_leaves },
    Rule {
        departure: Departure {
            id: "K30",
            upstream: "a budget with an empty selector covers no pod",
            policy: "a budget with an empty selector covers every pod of its namespace",
        },
        applies: has_budget_of_the_namespace,
    },
    Rule {
        departure: Departure {
            id: "K23",
            upstream: "a nominated pod with constraints between pods counts on its own node only",
            policy: "a nominated pod with constraints between pods counts in its whole domain, and stays allowed there",
        },
        applies: is_near_a_nomination,
    },
];

/// Returns whether upstream has a plan for a node that a pod is leaving.
fn plans_where_a_pod_leaves(it: &Situation<'_>) -> bool {
    let has_plan = |pod: &Value| it.answer.plans.iter().any(|plan| plan.node == text(pod, "/spec/nodeName"));
    pods(it.objects).any(|pod| leaves(pod) && has_plan(pod))
}

/// Returns whether a budget has an empty selector, and nodes differ by their victims.
fn has_budget_of_the_namespace(it: &Situation<'_>) -> bool {
    let mut budgets = it.objects.iter().filter(|object| text(object, "/kind") == "PodDisruptionBudget");
    !it.answer.plans.is_empty() && budgets.any(|budget| budget.pointer("/spec/selector") == Some(&json!({})))
}

/// Returns whether another pod is nominated, and it or the pod that is tried has constraints between pods.
fn is_near_a_nomination(it: &Situation<'_>) -> bool {
    let mut others = pods(it.objects).filter(|pod| is_nominated(pod)).filter(|other| name(other) != name(it.pod));
    others.any(|other| is_constrained(other) || is_constrained(it.pod))
}

/// Returns whether a pod has constraints between pods.
pub(super) fn is_constrained(pod: &Value) -> bool {
    let fields = ["/spec/affinity/podAffinity", "/spec/affinity/podAntiAffinity", "/spec/topologySpreadConstraints"];
    fields.iter().any(|field| pod.pointer(field).is_some())
}
