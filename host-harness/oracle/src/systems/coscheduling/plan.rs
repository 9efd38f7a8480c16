//! Preemption for a gang: either all missing members fit afterwards, or no pod is evicted.

use serde_json::json;

use super::legality::{forbidden, of_gang, unlike};
use super::promises::missing_members;
use super::quotas::NamespaceQuotas;
use super::{CoschedulingState, allocated, group, is_missing, members, minimum};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::systems::common::{is_plan_possible, problem};
use crate::systems::kubernetes::{self, SameGroup};
use crate::systems::rounds::{GangProgress, GangTurn, holds_no_node};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod};

/// Begins the turn of a pod in the round of its group; none where it has no group, or one that needs no other pod: such a pod never waits at
/// Permit, so it takes no turns with others. `passes`: the group may be tried; where it may not, no pod of it has failed.
pub(super) fn turn<'w>(
    world: &'w ModelCluster,
    memory: &mut CoschedulingState,
    pod: &ModelPod,
    (passes, outcome): (bool, &ReportedOutcome),
) -> Option<GangTurn<'w>> {
    group(pod).filter(|_| !is_missing(world, pod) && minimum(world, pod) > 1).map(|name| {
        let pods = world.pods.values().filter(|other| group(other) == Some(name)).collect();
        let gang = GangProgress::lacking(minimum(world, pod).saturating_sub(allocated(world, name)), pods);
        memory.rounds.turn((world, name, passes), pod, vec![gang], outcome, |pod| !pod.restrictions.never_preempts)
    })
}

/// Judges the attempt for a pod whose group may not be tried.
pub(super) fn refused(name: &str, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
    if outcome.ended != Some(AttemptStatus::Rejected) || outcome.changes() {
        let text = format!("the group of `{name}` may not be tried, and the attempt ended {:?}", outcome.ended);
        verdict.breach_expecting("gang-has-its-members", text, json!({"result": "Rejected", "victims": []}));
    }
}

/// Judges what the pods of a group hold after the turn of one that failed, whether or not that pod waits for what it was promised, and ends
/// the round where it was the last chance of the group. A pod that fits a node fails where it would hold the node in vain.
pub(super) fn end_turn(
    memory: &mut CoschedulingState,
    turn: GangTurn<'_>,
    (waits, is_in_vain): (bool, bool),
    (world, pod): (&ModelCluster, &ModelPod),
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    if is_in_vain {
        holds_no_node(pod, outcome, verdict);
    }
    if !matches!(outcome.ended, Some(AttemptStatus::Unschedulable | AttemptStatus::Rejected)) {
        return;
    }
    let turn = match (waits, is_in_vain) {
        (true, _) => turn.not_yet(),
        (false, true) => turn.at_last(),
        (false, false) => turn,
    };
    turn.has_no_other_nodes((world, pod), &|other| group(other) == group(pod), verdict);
    turn.after_failure(pod, outcome, verdict);
    memory.rounds.end(turn.ends());
}

/// Returns whether a pod waits for pods that leave its nominated node, of whatever priority and quota, and for whatever pod.
pub(super) fn waits_for_preempted(world: &ModelCluster, pod: &ModelPod) -> bool {
    let Some(node) = pod.nominated.as_ref().and_then(|node| world.nodes.get(node)) else { return false };
    let can_take = world.may_run(pod, node) && pod.request.fits(&node.allocatable);
    can_take && world.on(&node.name).any(|other| other.leaving)
}

/// Judges the attempt of a pod that finds no room and waits for pods that leave: it evicts no pod, and keeps its nomination.
pub(super) fn preempts_none(
    world: &ModelCluster,
    pod: &ModelPod,
    same_group: SameGroup<'_>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    kubernetes::nominations_while(true, (world, pod), same_group, outcome, verdict);
    if outcome.changes() {
        verdict.breach("may-preempt", format!("`{}` preempted while pods were leaving its node", pod.name));
    }
    verdict.excuse("pods are leaving its nominated node");
}

/// Returns whether a pod waits for pods that leave, or for the pods that are held at permit on its node.
pub(super) fn waits_for_capacity(world: &ModelCluster, pod: &ModelPod, gang: &str) -> bool {
    let same_group = |other: &ModelPod| group(other) == Some(gang);
    waits_for_preempted(world, pod) || kubernetes::waits_for_permit(world, pod, &same_group, kubernetes::spec_priority)
}

/// Returns whether a pod waits, or the plan that it is part of is in flight or stands.
pub(super) fn waits_or_planned(
    world: &ModelCluster,
    pod: &ModelPod,
    gang: &str,
    quotas: Option<&NamespaceQuotas>,
) -> bool {
    waits_for_capacity(world, pod, gang)
        || is_in_flight(world, pod, quotas)
        || gang_plan_holds(world, pod, gang, quotas)
}

/// Returns whether a plan for a pod is in flight (ruling C45 of Koordinator): the room that it is nominated to, and its quota, are free when the
/// pods that leave are gone, also where they leave for others.
pub(super) fn is_in_flight(world: &ModelCluster, pod: &ModelPod, quotas: Option<&NamespaceQuotas>) -> bool {
    let Some(node) = &pod.nominated else { return false };
    let mut later = world.clone();
    later.pods.retain(|_, other| !other.leaving);
    later.pods.len() < world.pods.len()
        && kubernetes::fitting_nodes(&later, pod).iter().any(|fitting| fitting.name == *node)
        && quotas.is_none_or(|quotas| !quotas.refuses(&later, pod))
}

/// Returns whether the plan that nominated a pod and the others that its gang lacks still stands: one of them may have to wait for another one, where
/// there are constraints between them (ruling R56).
pub(super) fn gang_plan_holds(
    world: &ModelCluster,
    pod: &ModelPod,
    gang: &str,
    quotas: Option<&NamespaceQuotas>,
) -> bool {
    let needed = missing_members(world, pod);
    is_plan_possible(world, pod, &needed, &|other| group(other) == Some(gang))
        && quotas.is_none_or(|quotas| quotas.allow(world, &needed))
}

/// Returns whether others of a gang are nominated that are enough for it and can take their nodes, while the pod that is tried is promised nothing: it
/// waits until they have started (ruling R82).
fn gang_completes_without(world: &ModelCluster, pod: &ModelPod, gang: &str, missing: usize) -> bool {
    let is_promised = |other: &&&ModelPod| other.nominated.is_some() && group(other) == Some(gang);
    let waiting = members(world, gang);
    let promised: Vec<&ModelPod> = waiting.iter().filter(|pod| pod.pending()).filter(is_promised).copied().collect();
    let stands = |set: &[&ModelPod]| {
        set.first().is_some_and(|first| is_plan_possible(world, first, set, &|other| group(other) == Some(gang)))
    };
    pod.nominated.is_none() && missing > 1 && some_of(&promised, missing, &mut Vec::new(), &stands)
}

/// Checks whether a condition holds for the pods that are chosen already together with `count` more of some pods, in any combination.
fn some_of<'w>(
    pods: &[&'w ModelPod],
    count: usize,
    chosen: &mut Vec<&'w ModelPod>,
    holds: &dyn Fn(&[&ModelPod]) -> bool,
) -> bool {
    if count == 0 {
        return holds(chosen);
    }
    pods.iter().enumerate().any(|(at, pod)| {
        chosen.push(pod);
        let rest = pods.get(at.saturating_add(1)..).unwrap_or_default();
        let found = some_of(rest, count.saturating_sub(1), chosen, holds);
        chosen.pop();
        found
    })
}

/// Returns how many members a plan is for. `None`: too few members are pending for the gang to start.
pub(super) fn may_plan(world: &ModelCluster, pod: &ModelPod, gang: &str) -> Option<usize> {
    let missing = minimum(world, pod).saturating_sub(allocated(world, gang)).max(1);
    (members(world, gang).iter().filter(|pod| pod.pending()).count() >= missing).then_some(missing)
}

/// Judges a member that fits no node. Pods are evicted only if the gang then reaches its minimum. If only this member is missing, this is
/// kube-scheduler's own preemption.
pub(super) fn check_not_fitting(
    world: &ModelCluster,
    pod: &ModelPod,
    gang: &str,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    if !matches!(outcome.ended, Some(AttemptStatus::Nominated | AttemptStatus::Unschedulable)) {
        return verdict.breach(
            "bound-where-there-is-room",
            format!("`{}` fits no node, and the attempt ended {:?}", pod.name, outcome.ended),
        );
    }
    let same_group = |other: &ModelPod| group(other) == Some(gang);
    let Some(missing) = may_plan(world, pod, gang) else {
        if !outcome.victims.is_empty() {
            let text = format!("{:?} were evicted, and too few members of the gang may be tried", outcome.victims);
            verdict.breach_expecting("gang-can-start", text, json!({"victims": []}));
        }
        return verdict.excuse("its gang cannot start");
    };
    let planned = outcome.ended == Some(AttemptStatus::Nominated);
    if missing == 1 && (planned || !gang_plan_holds(world, pod, gang, None)) {
        return kubernetes::check_not_fitting(world, pod, &same_group, outcome, verdict);
    }
    if let Some(why) = forbidden(world, pod, &same_group) {
        if planned {
            verdict.breach("may-preempt", format!("`{}` preempted although: {why}", pod.name));
        }
        return verdict.excuse(why);
    }
    if !planned && (is_in_flight(world, pod, None) || gang_plan_holds(world, pod, gang, None)) {
        return verdict.excuse("its plan is in flight");
    }
    if gang_completes_without(world, pod, gang, missing) {
        if planned {
            verdict.breach("may-preempt", format!("`{}` got a plan, and others complete its gang", pod.name));
        }
        return verdict.excuse("others are nominated that complete its gang");
    }
    let pending: Vec<&ModelPod> = members(world, gang).into_iter().filter(|pod| pod.pending()).collect();
    if planned {
        return of_gang(world, pod, (&pending, missing), outcome, verdict);
    }
    // The policy may choose any other members in addition to the pod. The smallest ones are the easiest to place.
    let mut others: Vec<&ModelPod> = pending.iter().copied().filter(|other| other.name != pod.name).collect();
    others.sort_by_key(|other| other.request.get("cpu"));
    others.truncate(missing - 1);
    others.insert(0, pod);
    if others.len() < missing {
        return;
    }
    let (problem, _) = problem(world, pod, &others, &same_group);
    if !problem.fits_without(problem.all()) {
        return;
    }
    if let Some(why) = pending.iter().find_map(|other| unlike(pod, other)) {
        return verdict.excuse(why);
    }
    let text = format!(
        "`{}` has no plan, but its gang fits after evicting {:?}",
        pod.name,
        problem.candidates.iter().map(|candidate| candidate.name).collect::<Vec<_>>()
    );
    verdict.breach_expecting("a-plan-is-found", text, json!({"result": "Nominated"}));
}
