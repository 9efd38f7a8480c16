//! The checks for every system.

use std::collections::{BTreeMap, BTreeSet};

use crate::amounts::MilliAmounts;
use crate::constraints::NodeByPod;
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::placement::{EvictionCandidate, IncomingPod, PlacementProblem};
use crate::systems::kubernetes::SameGroup;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelNode, ModelPod};

/// Checks that the outcome is possible: bound pods fit, and victims were running.
pub(crate) fn sound(world: &ModelCluster, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
    for (name, place) in &outcome.bound {
        match (world.pods.get(name), world.nodes.get(place)) {
            (Some(pod), Some(node)) if pod.node.is_none() && world.may_run(pod, node) => {}
            _ => verdict.breach("bound-where-it-may-run", format!("`{name}` was bound to `{place}`")),
        }
    }
    for name in outcome.bound.keys().chain(outcome.nominated.keys()).chain(&outcome.waiting) {
        if world.pods.get(name).is_some_and(|pod| pod.restrictions.forbid_attempts()) {
            verdict.breach("held-back-pods-are-not-tried", format!("`{name}` has a gate or another scheduler"));
        }
    }
    if world.is_constrained() {
        between_pods(world, outcome, verdict);
    }
    for node in world.nodes.values() {
        let (gains, free) = after_step(world, node, outcome);
        if gains && free.0.values().any(|free| *free < 0) {
            verdict.breach(
                "no-node-is-overcommitted",
                format!("the pods on `{}` exceed its allocatable: {free:?}", node.name),
            );
        }
    }
    for name in &outcome.victims {
        match world.pods.get(name) {
            Some(pod) if pod.occupied_node().is_some() && !pod.leaving => {}
            _ => verdict.breach("victim-is-running", format!("victim `{name}` does not run, or is already leaving")),
        }
    }
    for (name, place) in &outcome.nominated {
        match (world.pods.get(name), world.nodes.get(place)) {
            (Some(pod), Some(node)) if pod.node.is_none() && world.may_run(pod, node) => {}
            _ => verdict.breach("nominated-where-it-may-run", format!("`{name}` was nominated to `{place}`")),
        }
    }
    if outcome.victims.is_empty() && !outcome.nominated.is_empty() && outcome.ended != Some(AttemptStatus::Nominated) {
        verdict.breach(
            "plan-is-reported-completely",
            "a pod is nominated, but the result of the attempt is not `Nominated`",
        );
    }
}

/// Returns whether a law says that a pod has a node, or that a plan is the smallest. The model of most systems checks only free capacity for such a
/// law, no constraints between pods.
pub(super) fn depends_on_other_pods(law: &str) -> bool {
    let laws = [
        "a-plan-is-found",
        "bound-where-there-is-room",
        "elastic-jobs-grow",
        "fewest-victims",
        "fewest-jobs-and-pods-first",
        "idle-room-is-used",
        "least-harm",
        "no-needless-victim",
        "nominated-node-first",
        "nomination-is-kept",
        "opted-out-and-originators-last",
    ];
    laws.contains(&law)
}

/// Checks that no constraint between pods is broken: not now for those that get a node, and not when the victims have left for those that are
/// nominated to one. Those of one step come one after the other, in some order.
fn between_pods(world: &ModelCluster, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
    let is_released = |pod: &ModelPod| pod.held.is_some() && !outcome.waiting.contains(&pod.name);
    let there = world.node_by_pod(|pod| !is_released(pod) || outcome.bound.contains_key(&pod.name));
    let held = outcome.waiting.iter().filter(|name| !there.contains_key(*name));
    let held = held.filter_map(|name| Some((name, outcome.node.as_ref()?)));
    let new: NodeByPod = outcome.bound.iter().chain(held).map(|(name, node)| (name.clone(), node.clone())).collect();
    let new: NodeByPod = new.into_iter().filter(|(name, _)| !there.contains_key(name)).collect();
    let is_left = |pod: &ModelPod| !is_released(pod) && !outcome.victims.contains(&pod.name);
    // The victims of an earlier plan may still be there, as in kube-scheduler's dry run.
    let before = world.node_by_pod(is_left);
    let after = world.node_by_pod(|pod| is_left(pod) && !world.is_leaving(pod));
    // A plan may be older than the bindings of the same step.
    let with: NodeByPod = after.clone().into_iter().chain(new.clone()).collect();
    let breach = |new: &NodeByPod| format!("{new:?} cannot come in any order");
    // A pod of a cycle may come before the victims of the cycle are terminating, or after that: spread constraints count no terminating pod
    // (kube-scheduler `podtopologyspread/common.go`, countPodsMatchSelector).
    let mut later = world.clone();
    later.terminate(&outcome.victims);
    if !can_arrive_during(&[world, &later], &there, &new, &mut BTreeSet::new()) {
        verdict.breach("constraints-between-pods-hold", breach(&new));
    }
    if ![with, after, before].iter().any(|there| can_arrive_in_order(world, there, &outcome.nominated)) {
        verdict.breach("constraints-between-pods-hold", breach(&outcome.nominated));
    }
}

/// Returns whether the constraints between pods let these onto the nodes that they are promised, in some order, when those that leave already
/// have left: without and with the other pods that are nominated and no less important, as if these were on their nodes. Those of them that
/// are allowed there must still be.
pub(super) fn constraints_allow_nominations(world: &ModelCluster, pods: &[&ModelPod]) -> bool {
    let place = |pod: &ModelPod| Some((pod.name.clone(), pod.nominated.clone()?));
    let promised: NodeByPod = pods.iter().filter_map(|pod| place(pod)).collect();
    let least = pods.iter().map(|pod| pod.priority).min();
    let comes = |other: &&ModelPod| {
        other.pending() && Some(other.priority) >= least && !pods.iter().any(|pod| pod.name == other.name)
    };
    let others: NodeByPod = world.pods.values().filter(comes).filter_map(place).collect();
    let there = world.node_by_pod(|other| !other.leaving);
    let with: NodeByPod = there.clone().into_iter().chain(others.clone()).collect();
    let beside: NodeByPod = with.clone().into_iter().chain(promised.clone()).collect();
    let allows = |name: &String, on: &String, places: &NodeByPod| {
        let Some((pod, node)) = world.pods.get(name).zip(world.nodes.get(on)) else { return true };
        let others = places.clone().into_iter().filter(|(other, _)| other != name);
        world.broken_constraints(pod, node, others.collect()).is_empty()
    };
    can_arrive_in_order(world, &there, &promised)
        && can_arrive_in_order(world, &with, &promised)
        && others.iter().all(|(name, on)| !allows(name, on, &with) || allows(name, on, &beside))
}

/// Returns whether the plan that nominated some pods of a gang still stands, the pod that is tried among them: when those that leave already have
/// left, each has the room of its node and the constraints between pods agree, in some order. The last pod that a gang lacks counts on all that
/// leave, as the plan for several did that promised it its node.
pub(super) fn is_plan_possible(
    world: &ModelCluster,
    pod: &ModelPod,
    pods: &[&ModelPod],
    same_group: SameGroup<'_>,
) -> bool {
    let least = ModelPod { priority: pods.iter().map(|pod| pod.priority).min().unwrap_or(pod.priority), ..pod.clone() };
    let pods: Vec<&ModelPod> = pods.iter().filter_map(|pod| world.pods.get(&pod.name)).collect();
    let (problem, nodes) = problem(world, &least, &pods, same_group);
    let place = |pod: &&ModelPod| nodes.iter().position(|node| Some(*node) == pod.nominated.as_deref());
    let places: Vec<usize> = pods.iter().filter_map(place).collect();
    let may_run = |pod: &&ModelPod| {
        let node = pod.nominated.as_ref().and_then(|node| world.nodes.get(node));
        node.is_some_and(|node| world.may_run(pod, node))
    };
    places.len() == pods.len()
        && pods.iter().any(|other| other.name == pod.name)
        && pods.iter().all(may_run)
        && problem.fits_on(0, &places)
        && constraints_allow_nominations(world, &pods)
}

/// Returns whether pods can arrive one after the other, in some order, so that the constraints between pods hold for each.
fn can_arrive_in_order(world: &ModelCluster, there: &NodeByPod, new: &NodeByPod) -> bool {
    can_arrive_during(&[world], there, new, &mut BTreeSet::new())
}

/// Checks whether pods can come one after the other while the cluster changes from one state to the next at any moment, where some sets of them
/// are known not to come after all others.
fn can_arrive_during(
    worlds: &[&ModelCluster],
    there: &NodeByPod,
    new: &NodeByPod,
    known: &mut BTreeSet<Vec<String>>,
) -> bool {
    let names: Vec<String> = new.keys().cloned().collect();
    let Some((world, later)) = worlds.split_first().filter(|_| !new.is_empty() && !known.contains(&names)) else {
        return new.is_empty();
    };
    let comes = new.iter().any(|(name, on)| {
        let Some((pod, node)) = world.pods.get(name).zip(world.nodes.get(on)) else { return true };
        let mut rest = new.clone();
        rest.remove(name);
        let with: NodeByPod = there.clone().into_iter().chain([(name.clone(), on.clone())]).collect();
        world.broken_constraints(pod, node, there.clone()).is_empty() && can_arrive_during(worlds, &with, &rest, known)
    });
    let comes = comes || can_arrive_during(later, there, new, &mut BTreeSet::new());
    if !comes {
        known.insert(names);
    }
    comes
}

/// Returns whether this outcome adds a pod to a node, and what is free on the node afterwards.
fn after_step(world: &ModelCluster, node: &ModelNode, outcome: &ReportedOutcome) -> (bool, MilliAmounts) {
    let (mut gains, mut free) = (false, node.allocatable.clone());
    for pod in world.pods.values().filter(|pod| !pod.finished && !world.inside(pod)) {
        let held = pod.held.as_ref().filter(|_| outcome.waiting.contains(&pod.name));
        let held = held
            .or(outcome.node.as_ref().filter(|_| pod.occupied_node().is_none() && outcome.waiting.contains(&pod.name)));
        let place = outcome.bound.get(&pod.name).or(pod.node.as_ref()).or(held);
        if place == Some(&node.name) {
            free.take(&pod.request);
            gains |= pod.occupied_node() != Some(&node.name);
        }
    }
    (gains, free)
}

/// Checks that the fields of an attempt's outcome agree with each other.
pub(crate) fn attempt_is_consistent(outcome: &ReportedOutcome, pod: &str, verdict: &mut StepFindings) {
    let consistent = match outcome.ended {
        Some(AttemptStatus::Scheduled) => outcome.bound.get(pod) == outcome.node.as_ref() && outcome.node.is_some(),
        Some(AttemptStatus::Waiting) => outcome.waiting.contains(pod) && outcome.node.is_some(),
        Some(AttemptStatus::Nominated) => outcome.nominated.get(pod) == outcome.node.as_ref() && outcome.node.is_some(),
        Some(AttemptStatus::Unschedulable | AttemptStatus::Rejected) => {
            outcome.node.is_none() && outcome.victims.is_empty()
        }
        None => false,
    };
    if !consistent {
        verdict.breach("attempt-is-reported-completely", format!("`{pod}`: {outcome:?}"));
    }
    verdict.decided(match outcome.ended {
        Some(AttemptStatus::Scheduled) => "scheduled",
        Some(AttemptStatus::Waiting) => "waiting",
        Some(AttemptStatus::Nominated) => "nominated",
        Some(AttemptStatus::Unschedulable) => "unschedulable",
        Some(AttemptStatus::Rejected) => "rejected",
        None => "without result",
    });
}

/// Checks that the reported usage is the sum of the pods.
pub(crate) fn usage(expected: &BTreeMap<String, MilliAmounts>, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
    for (name, reported) in &outcome.usage {
        let used = expected.get(name).cloned().unwrap_or_default();
        // Resources without a limit may or may not be reported.
        if used.0.keys().any(|resource| used.get(resource) != reported.get(resource)) {
            verdict.breach(
                "usage-is-the-sum-of-the-pods",
                format!("the pods of `{name}` use {used:?}, but {reported:?} is reported"),
            );
        }
    }
}

/// Builds the problem of placing these pods of a gang, with all eligible victims: pods of lower priority, and not of the same group.
pub(crate) fn problem<'w>(
    world: &'w ModelCluster,
    pod: &ModelPod,
    incoming: &[&'w ModelPod],
    same_group: SameGroup<'_>,
) -> (PlacementProblem<'w>, Vec<&'w str>) {
    problem_with(world, pod, incoming, &|other| other.priority < pod.priority && !same_group(other))
}

/// Returns the same with other eligible victims.
pub(crate) fn problem_with<'w>(
    world: &'w ModelCluster,
    pod: &ModelPod,
    incoming: &[&'w ModelPod],
    may_go: &dyn Fn(&ModelPod) -> bool,
) -> (PlacementProblem<'w>, Vec<&'w str>) {
    let nodes: Vec<_> = world.nodes.values().collect();
    let places = || nodes.iter().enumerate();
    let mut candidates = Vec::new();
    for (place, node) in places() {
        let lower = world.on(&node.name).filter(|other| !other.leaving && may_go(other));
        candidates.extend(lower.map(|other| EvictionCandidate {
            name: &other.name,
            node: place,
            request: &other.request,
        }));
    }
    let ours: BTreeSet<&str> = incoming.iter().map(|pod| pod.name.as_str()).collect();
    let free = nodes.iter().map(|node| {
        let mut free = world.free(node);
        world.on(&node.name).filter(|other| other.leaving).for_each(|other| free.add(&other.request));
        let kept = world.pods.values().filter(|other| {
            other.pending() && other.nominated.as_deref() == Some(&node.name) && other.priority >= pod.priority
        });
        kept.filter(|other| !ours.contains(other.name.as_str())).for_each(|other| free.take(&other.request));
        free
    });
    let incoming_pod = |pod: &&'w ModelPod| {
        let nodes = places().filter(|(_, node)| world.may_run(pod, node)).map(|(place, _)| place).collect();
        IncomingPod { request: &pod.request, nodes }
    };
    let problem =
        PlacementProblem { free: free.collect(), candidates, incoming: incoming.iter().map(incoming_pod).collect() };
    (problem, nodes.iter().map(|node| node.name.as_str()).collect())
}
