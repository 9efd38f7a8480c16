//! The result of kube-scheduler's own preemption: the victims on every node, and the chosen node.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{free_for, spec_priority, waits_for_permit};
use crate::amounts::MilliAmounts;
use crate::constraints::selects;
use crate::world::{ModelCluster, ModelNode, ModelPod, at, text};

/// A preemption on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodePreemption {
    pub(super) node: String,
    pub(super) victims: BTreeSet<String>,
    pub(super) violations: usize,
}

/// A function that returns whether a pod is in the preemptor's group: a group neither preempts itself nor waits for itself.
pub(crate) type SameGroup<'a> = &'a dyn Fn(&ModelPod) -> bool;

/// The rules for the victims of a plan. `possible` returns the possible victims on a node, the most important first, and the pods that leave
/// already. `permits` returns whether some of them may be evicted together. `holds_without` returns whether the bounds of the plan hold without some
/// of them.
pub(crate) struct Eligible<'a, 'w> {
    pub(crate) possible: &'a dyn Fn(&'w ModelNode) -> (Vec<&'w ModelPod>, Vec<&'w ModelPod>),
    pub(crate) permits: &'a dyn Fn(&[&ModelPod]) -> bool,
    pub(crate) holds_without: &'a dyn Fn(&BTreeSet<&str>) -> bool,
}

/// Returns why a pod may not preempt.
pub(super) fn forbidden(world: &ModelCluster, pod: &ModelPod, same_group: SameGroup<'_>) -> Option<&'static str> {
    if pod.restrictions.never_preempts {
        return Some("preemptionPolicy Never");
    }
    if waits_for_victims(world, pod) {
        return Some("victims on the nominated node are leaving");
    }
    waits_for_permit(world, pod, same_group, spec_priority).then_some("its room is held at permit")
}

/// Returns the plans that kube-scheduler would find for a pod that fits no node, the best first; empty where no eviction frees enough room.
pub(super) fn plans<'w>(world: &'w ModelCluster, pod: &ModelPod, eligible: &Eligible<'_, 'w>) -> Vec<NodePreemption> {
    let mut plans: Vec<(Rank, NodePreemption)> = Vec::new();
    for node in world.nodes.values().filter(|node| is_candidate(world, pod, node)) {
        plans.extend(victims_on(world, pod, node, eligible).map(|plan| (rank(world, &plan), plan)));
    }
    let needs_no_eviction =
        |plan: &NodePreemption| plan.victims.iter().filter_map(|name| world.pods.get(name)).all(|pod| pod.leaving);
    if plans.iter().any(|(_, plan)| needs_no_eviction(plan)) {
        plans.retain(|(_, plan)| needs_no_eviction(plan) || is_allowed_before_others_leave(world, pod, plan));
    }
    plans.sort_by(|a, b| a.0.cmp(&b.0));
    plans.into_iter().map(|(_, plan)| plan).collect()
}

/// Returns whether constraints between pods allow a pod on the node of a plan while the pods that leave other nodes are still there. Otherwise
/// kube-scheduler has no such plan, and no pod is evicted for it where a node needs no eviction (ruling K10).
fn is_allowed_before_others_leave(world: &ModelCluster, pod: &ModelPod, plan: &NodePreemption) -> bool {
    let Some(node) = world.nodes.get(&plan.node) else { return false };
    let is_on_node = |other: &ModelPod| other.occupied_node() == Some(plan.node.as_str());
    let gone = |other: &ModelPod| plan.victims.contains(&other.name) || other.leaving && is_on_node(other);
    world.allows((pod, node), gone, gone, spec_priority)
}

/// Returns whether a pod waits for its victims: pods of lower priority are leaving its nominated node.
pub(crate) fn waits_for_victims(world: &ModelCluster, pod: &ModelPod) -> bool {
    let node =
        pod.nominated.as_ref().and_then(|node| world.nodes.get(node)).filter(|node| is_candidate(world, pod, node));
    node.is_some_and(|node| world.on(&node.name).any(|other| other.leaving && other.priority < pod.priority))
}

/// Returns whether preemption on the node can help: the pod may run there, and the node is large enough.
pub(super) fn is_candidate(world: &ModelCluster, pod: &ModelPod, node: &ModelNode) -> bool {
    world.may_run(pod, node) && pod.request.fits(&node.allocatable)
}

/// Returns the eligible victims of a pod on a node: pods of strictly lower priority, and not of its group. First come those that would stay
/// otherwise, then those that are leaving already.
pub(super) fn possible<'w>(
    world: &'w ModelCluster,
    pod: &ModelPod,
    node: &'w ModelNode,
    same_group: SameGroup<'_>,
) -> (Vec<&'w ModelPod>, Vec<&'w ModelPod>) {
    let priority = pod.priority;
    let lower = world.on(&node.name).filter(|other| other.priority < priority && !same_group(other));
    let mut possible: Vec<&ModelPod> = lower.collect();
    // The most important first: higher priority, then the earlier start; an absent start counts as now. Upstream does not order equal
    // pods. The policy treats the one whose job was evicted more often, then the older one, then the first by name, as more important.
    possible.sort_by_cached_key(|other| {
        let start = other.times.started.unwrap_or(i64::MAX);
        (Reverse(other.priority), start, Reverse(world.past_evictions(other)), other.times.created, other.name.clone())
    });
    possible.into_iter().partition(|other| !other.leaving)
}

/// Selects the victims on a node as SelectVictimsOnNode does: remove all eligible victims, check that the pod fits, then reprieve the pods that can
/// stay. Pods that leave anyway count as victims as long as their capacity is needed; other pods do not see them any more. `None`: the pod does not
/// fit.
pub(super) fn victims_on<'w>(
    world: &'w ModelCluster,
    pod: &ModelPod,
    node: &'w ModelNode,
    eligible: &Eligible<'_, 'w>,
) -> Option<NodePreemption> {
    let (staying, leaving) = (eligible.possible)(node);
    // Only a pod that is leaving, on whichever node, may keep the pod from a node with room, by a constraint between pods.
    let has_room = world.is_constrained() && pod.request.fits(&free_for(world, pod, node, spec_priority));
    if staying.is_empty() && leaving.is_empty() && !has_room {
        return None;
    }
    let mut free = free_when_left(world, pod, node);
    staying.iter().for_each(|victim| free.add(&victim.request));
    let mut gone: BTreeSet<&str> = staying.iter().chain(&leaving).map(|victim| victim.name.as_str()).collect();
    let agrees = |gone: &BTreeSet<&str>| {
        let has_left = |other: &ModelPod| other.leaving || gone.contains(other.name.as_str());
        world.allows((pod, node), has_left, has_left, spec_priority) && (eligible.holds_without)(gone)
    };
    if !pod.request.fits(&free) || !agrees(&gone) {
        return None;
    }
    // Terminating pods are reprieved last, so that no other pod is evicted in their place. They have used budgets up already.
    let all_leaving: Vec<&ModelPod> = world.on(&node.name).filter(|other| other.leaving).collect();
    let violating = violating(world, &all_leaving, &staying);
    let (first, then): (Vec<&ModelPod>, Vec<&ModelPod>) =
        staying.iter().partition(|victim| violating.contains(&victim.name));
    let mut victims = BTreeSet::new();
    let mut violations = 0;
    for victim in first.into_iter().chain(then).chain(leaving) {
        free.take(&victim.request);
        gone.remove(victim.name.as_str());
        if !pod.request.fits(&free) || !agrees(&gone) {
            gone.insert(victim.name.as_str());
            free.add(&victim.request);
            violations += usize::from(violating.contains(&victim.name));
            victims.insert(victim.name.clone());
        }
    }
    Some(NodePreemption { node: node.name.clone(), victims, violations })
}

/// Returns what is free on a node for a pod when the pods that leave it have left.
pub(crate) fn free_when_left(world: &ModelCluster, pod: &ModelPod, node: &ModelNode) -> MilliAmounts {
    let mut free = free_for(world, pod, node, spec_priority);
    world.on(&node.name).filter(|other| other.leaving).for_each(|other| free.add(&other.request));
    free
}

/// Returns the pods whose eviction violates a budget, if pods that leave the node use up the allowed disruptions, then the most important ones.
pub(crate) fn violating(world: &ModelCluster, leaving: &[&ModelPod], possible: &[&ModelPod]) -> BTreeSet<String> {
    let mut left: BTreeMap<&str, i64> = BTreeMap::new();
    let budgets: Vec<&Value> = world.all("PodDisruptionBudget").collect();
    for budget in &budgets {
        let allowed = at(budget, "/status/disruptionsAllowed").and_then(Value::as_i64).unwrap_or(0);
        left.insert(text(budget, "/metadata/name"), allowed);
    }
    let mut violating = BTreeSet::new();
    for pod in leaving {
        for budget in budgets.iter().filter(|budget| covers(budget, pod)) {
            *left.entry(text(budget, "/metadata/name")).or_insert(0) -= 1;
        }
    }
    for pod in possible {
        for budget in budgets.iter().filter(|budget| covers(budget, pod)) {
            let left = left.entry(text(budget, "/metadata/name")).or_insert(0);
            *left -= 1;
            if *left < 0 {
                violating.insert(pod.name.clone());
            }
        }
    }
    violating
}

/// Returns whether a budget covers a pod: same namespace, not disrupted already, and selected. `selector: {}` selects every pod of the
/// namespace; without a selector, no pod is. Any other selector is only for pods that have labels.
fn covers(budget: &Value, pod: &ModelPod) -> bool {
    let selector = at(budget, "/spec/selector").unwrap_or(&Value::Null);
    let part = |key: &str| match selector.get(key) {
        Some(Value::Array(list)) => !list.is_empty(),
        Some(Value::Object(labels)) => !labels.is_empty(),
        _ => false,
    };
    let selects_some = part("matchLabels") || part("matchExpressions");
    let labels = at(&pod.object, "/metadata/labels").and_then(Value::as_object);
    let has_labels = labels.is_some_and(|labels| !labels.is_empty());
    let selected = selects(selector, &pod.object) && (has_labels || !selects_some);
    let name = text(&pod.object, "/metadata/name");
    let disrupted = at(budget, "/status/disruptedPods").is_some_and(|pods| pods.get(name).is_some());
    selected && !disrupted && text(budget, "/metadata/namespace") == pod.namespace
}

/// The criteria of pickOneNodeForPreemption; the smallest wins.
type Rank = (usize, Option<i64>, i64, usize, Reverse<i64>, i64, String);

fn rank(world: &ModelCluster, plan: &NodePreemption) -> Rank {
    let victims: Vec<&ModelPod> = plan.victims.iter().filter_map(|name| world.pods.get(name)).collect();
    let highest = victims.iter().map(|victim| victim.priority).max();
    let sum = victims.iter().map(|victim| victim.priority + (1 << 31)).sum();
    let of_highest = victims.iter().filter(|victim| Some(victim.priority) == highest);
    let earliest = of_highest.map(|victim| victim.times.started.unwrap_or(i64::MAX)).min().unwrap_or(i64::MAX);
    let evictions = victims.iter().map(|victim| world.past_evictions(victim)).max().unwrap_or(0);
    (plan.violations, highest, sum, victims.len(), Reverse(earliest), evictions, plan.node.clone())
}
