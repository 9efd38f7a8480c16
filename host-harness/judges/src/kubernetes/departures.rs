//! The rulings by which the system `kubernetes` departs from kube-scheduler, and how each is recognised.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::answer::KubernetesResponse;
use super::whole::{leaves_whole, stops_less};
use super::{Situation, group_of};
use crate::departure::UpstreamDeparture;
use crate::object::{is_constrained, is_nominated, is_terminating, list, name, pods, text};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError};

/// The ruling about pods that are being deleted.
pub(super) const LEAVING: UpstreamDeparture = UpstreamDeparture {
    id: "K10",
    upstream: "a pod that is being deleted may stay, or be evicted again, like any other",
    policy: "a pod that is being deleted leaves, and is not evicted again",
};

/// The ruling about the priority of the pods of a group.
pub(super) const PRIORITY: UpstreamDeparture = UpstreamDeparture {
    id: "K18",
    upstream: "a group whose pods have another priority than it is in error, and none is tried",
    policy: "the priority of the group is used",
};

/// A ruling that reads the cluster in another way: upstream is asked about the cluster as the ruling reads it.
pub(super) struct KubernetesReading {
    pub(super) departure: UpstreamDeparture,
    /// Changes the cluster.
    pub(super) read: fn(&mut JudgeRequest),
}

/// The rulings that read the cluster in another way.
pub(super) const READINGS: &[KubernetesReading] = &[
    KubernetesReading { departure: PRIORITY, read: |question| with_priorities_of_groups(question, |_| true) },
    KubernetesReading {
        departure: UpstreamDeparture {
            id: "K75",
            upstream: "a pod of a group that leaves one by one is more important than a pod alone",
            policy: "these are equally important",
        },
        read: without_groups_of_pods_alone,
    },
    KubernetesReading {
        departure: UpstreamDeparture {
            id: "K30",
            upstream: "a budget with an empty selector covers no pod",
            policy: "a budget with an empty selector covers every pod of its namespace",
        },
        read: with_budgets_of_namespaces,
    },
    KubernetesReading { departure: LEAVING, read: |question| without_leaving_pods(question, |_| true) },
];

/// A ruling, and what it explains.
pub(super) struct KubernetesRuling {
    pub(super) departure: UpstreamDeparture,
    /// Returns whether it explains the difference.
    pub(super) explains: fn(&Situation<'_>, &mut JudgeClient<'_>) -> Result<bool, TrialError>,
}

/// The rulings, in the order in which they are tried.
pub(super) const RULES: &[KubernetesRuling] = &[
    KubernetesRuling {
        departure: UpstreamDeparture {
            id: "K22",
            upstream: "a group that is placed in part holds no room",
            policy: "a nominated pod keeps its nomination, and evicts nobody, while its room is held at Permit",
        },
        explains: waits_for_permit_holder,
    },
    KubernetesRuling {
        departure: UpstreamDeparture {
            id: "K43",
            upstream: "counts each pod of a group that leaves whole",
            policy: "counts a group that leaves whole once, and then the smaller part of the cluster",
        },
        explains: stops_less,
    },
    KubernetesRuling {
        departure: UpstreamDeparture {
            id: "K23",
            upstream: "a nominated pod with constraints between pods counts on its own node only",
            policy: "a nominated pod with constraints between pods counts in its whole domain, and stays allowed there",
        },
        explains: |it, _| Ok(is_near_a_nomination(it)),
    },
    KubernetesRuling { departure: LEAVING, explains: evicts_except_leaving },
];

/// Gives the pods of some groups the priority of their group.
pub(super) fn with_priorities_of_groups(question: &mut JudgeRequest, which: impl Fn(&str) -> bool) {
    let is_group = |object: &&Value| text(object, "/kind") == "PodGroup";
    let priority = |group: &Value| group.pointer("/spec/priority").cloned().unwrap_or_else(|| json!(0));
    let groups = question.objects.iter().filter(is_group).map(|group| (name(group), priority(group)));
    let priorities: BTreeMap<String, Value> = groups.collect();
    for pod in question.objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
        let of_these = group_of(pod).filter(|group| which(group));
        let Some(priority) = of_these.and_then(|group| priorities.get(&group)) else { continue };
        insert(pod, "/spec", "priority", priority.clone());
    }
}

/// Takes running pods out of their group, unless it leaves whole.
fn without_groups_of_pods_alone(question: &mut JudgeRequest) {
    let all = question.objects.clone();
    let runs = |object: &&mut Value| text(object, "/kind") == "Pod" && !text(object, "/spec/nodeName").is_empty();
    for pod in question.objects.iter_mut().filter(runs).filter(|pod| !leaves_whole(&all, pod)) {
        if let Some(spec) = pod.pointer_mut("/spec").and_then(Value::as_object_mut) {
            spec.remove("schedulingGroup");
        }
    }
}

/// Takes away those of some pods that are leaving, and what they spend of the budgets that cover them.
fn without_leaving_pods(question: &mut JudgeRequest, which: impl Fn(&Value) -> bool) {
    let is_gone = |it: &Value| text(it, "/kind") == "Pod" && is_terminating(it) && which(it);
    let (gone, mut left): (Vec<Value>, Vec<Value>) =
        std::mem::take(&mut question.objects).into_iter().partition(is_gone);
    for budget in left.iter_mut().filter(|object| text(object, "/kind") == "PodDisruptionBudget") {
        let spent = gone.iter().filter(|pod| is_covered(pod, budget)).count();
        let allowed = budget.pointer("/status/disruptionsAllowed").and_then(Value::as_i64).unwrap_or(0);
        let allowed = allowed.saturating_sub(i64::try_from(spent).unwrap_or(i64::MAX));
        insert(budget, "/status", "disruptionsAllowed", json!(allowed.max(0)));
    }
    question.objects = left;
}

/// Returns whether a budget covers a pod by the labels that it selects, and does not count it as disrupted already. No budget covers a pod without
/// labels, and an empty selector selects none.
pub(super) fn is_covered(pod: &Value, budget: &Value) -> bool {
    let labels = pod.pointer("/metadata/labels").and_then(Value::as_object).filter(|labels| !labels.is_empty());
    let disrupted = budget.pointer("/status/disruptedPods").and_then(|pods| pods.get(text(pod, "/metadata/name")));
    let selector = budget.pointer("/spec/selector");
    namespace(pod) == namespace(budget)
        && disrupted.is_none()
        && labels.zip(selector).is_some_and(|(labels, selector)| selects(selector, labels))
}

/// Returns whether a selector that is not empty selects labels.
fn selects(selector: &Value, labels: &Map<String, Value>) -> bool {
    let equal = selector.pointer("/matchLabels").and_then(Value::as_object).into_iter().flatten();
    let expressions = selector.pointer("/matchExpressions").and_then(Value::as_array).into_iter().flatten();
    let (mut equal, mut expressions) = (equal.peekable(), expressions.peekable());
    let holds = |expression: &Value| {
        let label = labels.get(text(expression, "/key"));
        let mut values = expression.pointer("/values").and_then(Value::as_array).into_iter().flatten();
        match text(expression, "/operator") {
            "In" => values.any(|value| label == Some(value)),
            "NotIn" => values.all(|value| label != Some(value)),
            "Exists" => label.is_some(),
            "DoesNotExist" => label.is_none(),
            _ => false,
        }
    };
    let is_empty = equal.peek().is_none() && expressions.peek().is_none();
    !is_empty && equal.all(|(key, value)| labels.get(key) == Some(value)) && expressions.all(holds)
}

/// Returns the namespace of an object.
fn namespace(object: &Value) -> &str {
    object.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or("default")
}

/// Lets budgets with an empty selector cover the pods of their namespace: these get a label that the budget selects. A pod that had no labels is
/// covered by no other budget, as before.
fn with_budgets_of_namespaces(question: &mut JudgeRequest) {
    const ALL: &str = "lictor.dev/pod-of-the-namespace";
    const UNLABELLED: &str = "lictor.dev/pod-without-labels";
    let is_of_all = |object: &Value| {
        text(object, "/kind") == "PodDisruptionBudget" && object.pointer("/spec/selector") == Some(&json!({}))
    };
    if !question.objects.iter().any(is_of_all) {
        return;
    }
    for object in &mut question.objects {
        let is_of_all = is_of_all(object);
        match text(object, "/kind") {
            "PodDisruptionBudget" if is_of_all => {
                insert(object, "/spec", "selector", json!({"matchLabels": {ALL: ""}}));
            }
            "PodDisruptionBudget" => {
                let expressions = object.pointer("/spec/selector/matchExpressions").and_then(Value::as_array);
                let labelled = json!({"key": UNLABELLED, "operator": "DoesNotExist"});
                let expressions = expressions.into_iter().flatten().cloned().chain([labelled]).collect();
                insert(object, "/spec/selector", "matchExpressions", Value::Array(expressions));
            }
            "Pod" => {
                let labels = object.pointer("/metadata/labels").and_then(Value::as_object).filter(|it| !it.is_empty());
                let unlabelled = labels.is_none().then(|| (UNLABELLED.to_owned(), json!("")));
                let labels =
                    labels.cloned().into_iter().flatten().chain(unlabelled).chain([(ALL.to_owned(), json!(""))]);
                let labels = Value::Object(labels.collect());
                insert(object, "/metadata", "labels", labels);
            }
            _ => {}
        }
    }
}

/// Sets a field of the object at a JSON pointer, where there is one.
fn insert(object: &mut Value, pointer: &str, key: &str, value: Value) {
    if let Some(fields) = object.pointer_mut(pointer).and_then(Value::as_object_mut) {
        fields.insert(key.to_owned(), value);
    }
}

/// Returns whether the pod keeps its nomination while pods at Permit hold its room: it could have its node, or would wait for it, without them.
fn waits_for_permit_holder(it: &Situation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let node = text(it.pod, "/status/nominatedNodeName");
    let stands = it.outcome.pointer("/standing").and_then(|standing| standing.get(name(it.pod))).is_some();
    let is_kept = text(it.outcome, "/result") == "Unschedulable" && stands && !node.is_empty();
    if !is_kept || it.waiting_at_permit.waiting.values().all(|held| held != node) {
        return Ok(false);
    }
    let mut question = it.waiting_at_permit.clone();
    question.waiting.retain(|_, held| held != node);
    let answer: KubernetesResponse = ask.request(&question.with_waiting_bound())?;
    Ok(answer.preemption.keeps_nomination || answer.feasible.iter().any(|feasible| feasible == node))
}

/// Returns whether the plan of the policy is the one that upstream has on its node when the pods that are leaving this node have left. The pods that
/// leave other nodes stay: each node is searched alone, and only its own leaving pods are gone there, and have spent their budgets.
fn evicts_except_leaving(it: &Situation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let node = text(it.outcome, "/node");
    if text(it.outcome, "/result") != "Nominated" {
        return Ok(false);
    }
    let mut question = it.question.clone();
    without_leaving_pods(&mut question, |pod| text(pod, "/spec/nodeName") == node);
    if question == *it.question {
        return Ok(false);
    }
    let victims = list(it.outcome, "victims");
    let answer: KubernetesResponse = ask.request(&question)?;
    Ok(answer.feasible.is_empty()
        && answer.preemption.plans.iter().any(|plan| plan.node == node && plan.victims == victims))
}

/// Returns whether another pod is nominated, and it or the pod that is tried has constraints between pods.
fn is_near_a_nomination(it: &Situation<'_>) -> bool {
    let others = pods(&it.question.objects).filter(|pod| is_nominated(pod));
    let mut others = others.filter(|other| name(other) != name(it.pod));
    others.any(|other| is_constrained(other) || is_constrained(it.pod))
}
