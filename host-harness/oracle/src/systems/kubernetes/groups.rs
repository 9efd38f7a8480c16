//! PodGroups of Kubernetes 1.37: minCount, one priority for a group, preemption by a group, disruptionMode.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::whole::{least_jobs, least_jobs_of_group};
use super::{
    SameGroup, fitting_nodes, free_when_left, nominations, spec_priority, waits_for_permit, waits_for_victims,
};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::systems::common::{is_plan_possible, problem};
use crate::systems::rounds::{GangProgress, GroupRounds, check_rejected, holds_no_node};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod, at, text};

/// Returns the name of the group of a pod. `None`: the pod is in no group.
pub(super) fn group(pod: &ModelPod) -> Option<&str> {
    at(&pod.object, "/spec/schedulingGroup/podGroupName")?.as_str()
}

/// Returns the PodGroup of a pod. `None`: the pod is in no group, or the cluster has no such PodGroup.
fn spec<'w>(world: &'w ModelCluster, pod: &ModelPod) -> Option<&'w Value> {
    world.others.get(&("PodGroup".to_owned(), group(pod)?.to_owned()))
}

/// Returns whether the pods of the group of a pod are evicted together.
pub(super) fn is_evicted_whole(world: &ModelCluster, pod: &ModelPod) -> bool {
    spec(world, pod).is_some_and(|spec| at(spec, "/spec/disruptionMode/all").is_some())
}

/// Returns whether the pods of some group are evicted together.
pub(super) fn any_evicted_whole(world: &ModelCluster) -> bool {
    world.all("PodGroup").any(|spec| at(spec, "/spec/disruptionMode/all").is_some())
}

/// Returns the same cluster, where every pod has the priority of its group.
pub(super) fn with_priorities(world: &ModelCluster) -> ModelCluster {
    let mut after = world.clone();
    for pod in after.pods.values_mut() {
        if let Some(spec) = spec(world, pod) {
            pod.priority = at(spec, "/spec/priority").and_then(Value::as_i64).unwrap_or(0);
        }
    }
    after
}

/// Returns the sort key of a pod in the queue. A group stands where the first of its pods stands.
pub(super) fn queue_key(world: &ModelCluster, pod: &ModelPod) -> impl Ord {
    let members = || world.pods.values().filter(|other| group(other) == group(pod));
    let is_grouped = spec(world, pod).is_some();
    let (entered, created) = match is_grouped {
        true => (members().map(|pod| pod.times.entered).min(), members().map(|pod| pod.times.created).min()),
        false => (Some(pod.times.entered), Some(pod.times.created)),
    };
    let name = if is_grouped { group(pod).map(str::to_owned) } else { None };
    let own = (pod.times.entered, pod.times.created, pod.name.clone());
    (Reverse(pod.priority), entered, created, is_grouped, name, own)
}

/// Judges an attempt for a pod of a group; false where the pod has none.
pub(super) fn attempt(
    world: &ModelCluster,
    rounds: &mut GroupRounds,
    pod: &ModelPod,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> bool {
    let Some(name) = group(pod) else { return false };
    let same_group = |other: &ModelPod| group(other) == Some(name);
    let members: Vec<&ModelPod> =
        world.pods.values().filter(|pod| same_group(pod) && !pod.leaving && !pod.finished).collect();
    let minimum = spec(world, pod).map(|spec| at(spec, "/spec/schedulingPolicy/gang/minCount").and_then(Value::as_u64));
    let minimum = minimum.map(|count| count.and_then(|count| usize::try_from(count).ok()).unwrap_or(1));
    let allocated = members.iter().filter(|pod| pod.occupied_node().is_some()).count();
    let all = world.pods.values().filter(|pod| same_group(pod)).collect();
    let turn = minimum.map(|minimum| {
        let gang = GangProgress::lacking(minimum.saturating_sub(allocated), all);
        rounds.turn((world, name, true), pod, vec![gang], outcome, |pod| !pod.restrictions.never_preempts)
    });
    let Some(minimum) = minimum.filter(|minimum| members.len() >= *minimum && is_schedulable_group(world, pod)) else {
        if outcome.ended != Some(AttemptStatus::Rejected) || outcome.changes() {
            let text = format!("the group of `{}` may not be tried, and it ended {:?}", pod.name, outcome.ended);
            verdict.breach_expecting("gang-has-its-members", text, json!({"result": "Rejected", "victims": []}));
        }
        return true;
    };
    let Some(turn) = turn.filter(|turn| !turn.is_over) else {
        check_rejected(pod, outcome, verdict);
        return true;
    };
    nominations(world, pod, &same_group, outcome, verdict);
    let missing = minimum.saturating_sub(allocated).max(1);
    if fitting_nodes(world, pod).is_empty() {
        if turn.gets_other_nodes((world, pod), &same_group, outcome, verdict) {
            return true;
        }
        check_not_fitting(world, pod, (&members, missing), outcome, verdict);
        let waits = waits_for_victims(world, pod) || waits_for_permit(world, pod, &same_group, spec_priority);
        let promised: Vec<&ModelPod> =
            members.iter().copied().filter(|pod| pod.pending() && pod.nominated.is_some()).collect();
        let stands = promised.len() >= missing && is_plan_possible(world, pod, &promised, &same_group);
        if stands && outcome.ended == Some(AttemptStatus::Unschedulable) {
            turn.not_yet().after_failure(pod, outcome, verdict);
        } else if !waits && outcome.ended == Some(AttemptStatus::Unschedulable) {
            turn.has_no_other_nodes((world, pod), &same_group, verdict);
            turn.after_failure(pod, outcome, verdict);
            rounds.end(turn.ends());
        }
    } else if turn.is_in_vain {
        holds_no_node(pod, outcome, verdict);
        let turn = turn.at_last();
        turn.after_failure(pod, outcome, verdict);
        rounds.end(turn.ends());
    } else {
        check_fitting(world, pod, (&members, missing), outcome, verdict);
    }
    true
}

/// Returns whether pods that are leaving, or coming to other nodes for a group, make the room that a pod is nominated to. A plan without victims nominated it there, and
/// the same plan is not made twice. Whether constraints between pods hold then is not sought.
pub(super) fn capacity_will_be_free(world: &ModelCluster, pod: &ModelPod) -> bool {
    let node = pod.nominated.as_ref().and_then(|node| world.nodes.get(node));
    node.is_some_and(|node| {
        let free = free_when_left(world, pod, node);
        // With constraints, a pod that leaves another node of the domain counts as well, and so does a member that will come to another one: it
        // may be that the spread holds only then.
        let is_of_group =
            |other: &ModelPod| group(pod).is_some() && group(other) == group(pod) && other.name != pod.name;
        let comes = |other: &ModelPod| is_of_group(other) && other.nominated.is_some();
        let changes = world.is_constrained() && world.pods.values().any(|other| other.leaving || comes(other));
        (changes || world.on(&node.name).any(|other| other.leaving)) && pod.request.fits(&free)
    })
}

/// Returns whether a scheduler can place the group of a pod: its pods name one scheduler, and it demands no topology (rulings K21 and K34).
fn is_schedulable_group(world: &ModelCluster, pod: &ModelPod) -> bool {
    let name = |pod: &ModelPod| text(&pod.object, "/spec/schedulerName").to_owned();
    let demands = spec(world, pod).is_some_and(|spec| at(spec, "/spec/schedulingConstraints").is_some());
    !demands && !world.pods.values().any(|other| group(other) == group(pod) && name(other) != name(pod))
}

/// Checks an attempt of a member that fits a node: the member waits, or is bound with all members that waited for it.
fn check_fitting(
    world: &ModelCluster,
    pod: &ModelPod,
    (members, missing): (&[&ModelPod], usize),
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let nodes: Vec<&str> = fitting_nodes(world, pod).iter().map(|node| node.name.as_str()).collect();
    let node = outcome.node.as_deref().unwrap_or_default();
    let is_last = missing == 1;
    let expected = if is_last { AttemptStatus::Scheduled } else { AttemptStatus::Waiting };
    if outcome.ended != Some(expected) || !nodes.contains(&node) {
        let text = format!("`{}` lacks {missing}, fits {nodes:?}, and ended {:?} {node}", pod.name, outcome.ended);
        return verdict.breach("gang-is-complete-or-waits", text);
    }
    let held = members.iter().filter_map(|pod| Some((&*pod.name, pod.held.as_deref()?))).filter(|_| is_last);
    let bound: BTreeMap<&str, &str> = held.chain(is_last.then_some((&*pod.name, node))).collect();
    if !outcome.bound.iter().map(|(pod, node)| (&**pod, &**node)).eq(bound.iter().map(|(pod, node)| (*pod, *node))) {
        let text = format!("the step bound {:?}, not {bound:?}", outcome.bound);
        verdict.breach_expecting("gang-is-complete-or-waits", text, json!({"bound": bound}));
    }
}

/// Checks an attempt of a member that fits no node. Its group preempts if enough of its pods fit then; otherwise it gives up the capacity that it
/// holds.
fn check_not_fitting(
    world: &ModelCluster,
    pod: &ModelPod,
    (members, missing): (&[&ModelPod], usize),
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let same_group = |other: &ModelPod| group(other) == group(pod);
    let planned = outcome.ended == Some(AttemptStatus::Nominated);
    if !planned && outcome.ended != Some(AttemptStatus::Unschedulable) {
        let text = format!("`{}` fits no node, and the attempt ended {:?}", pod.name, outcome.ended);
        return verdict.breach("bound-where-there-is-room", text);
    }
    let waits = waits_for_victims(world, pod) || waits_for_permit(world, pod, &same_group, spec_priority);
    let pending: Vec<&ModelPod> = members.iter().copied().filter(|pod| pod.pending()).collect();
    if pod.restrictions.never_preempts || waits || pending.len() < missing {
        if planned || !outcome.victims.is_empty() {
            let text = format!("`{}` preempted although it may not, or its group cannot start", pod.name);
            verdict.breach_expecting("gang-can-start", text, json!({"victims": []}));
        }
        return verdict.excuse("it may not preempt, or its group cannot start");
    }
    if planned {
        let nominated: Vec<&ModelPod> =
            pending.iter().copied().filter(|pod| outcome.nominated.contains_key(&pod.name)).collect();
        if nominated.len() < missing || !outcome.nominated.contains_key(&pod.name) {
            let text = format!("{:?} are nominated, and {missing} are missing", outcome.nominated);
            verdict.breach("gang-is-complete", text);
        }
        return legal(world, pod, &nominated, &same_group, outcome, verdict);
    }
    let alike = pending.iter().all(|other| other.request == pod.request && other.nominated.is_none());
    let others = pending.iter().copied().filter(|other| other.name != pod.name);
    let first: Vec<&ModelPod> = std::iter::once(pod).chain(others).take(missing).collect();
    let (problem, _) = problem(world, pod, &first, &same_group);
    if alike && !world.pods.values().any(|pod| pod.leaving) && problem.fits_without(problem.all()) {
        let text = format!("`{}` has no plan, and its group fits after evicting all of lower priority", pod.name);
        verdict.breach_expecting("a-plan-is-found", text, json!({"result": "Nominated"}));
    }
}

/// Judges a plan for a pod of no group in a cluster where pods may leave together.
pub(super) fn legal_for_one(
    world: &ModelCluster,
    pod: &ModelPod,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    if outcome.ended == Some(AttemptStatus::Scheduled) {
        let text = format!("`{}` was bound to {:?}, where it does not fit", pod.name, outcome.node);
        verdict.breach("bound-where-there-is-room", text);
    }
    if outcome.ended == Some(AttemptStatus::Nominated) {
        legal(world, pod, &[pod], &|_| false, outcome, verdict);
        least_jobs(world, pod, outcome, verdict);
    }
}

/// Checks that the victims are eligible and leave together where they must, that the nominated pods then fit, and that no victim is
/// needless.
fn legal(
    world: &ModelCluster,
    pod: &ModelPod,
    nominated: &[&ModelPod],
    same_group: SameGroup<'_>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let (problem, nodes) = problem(world, pod, nominated, same_group);
    let victims = problem.set(|name| outcome.victims.contains(name));
    let mut units: BTreeSet<BTreeSet<&str>> = BTreeSet::new();
    for victim in &outcome.victims {
        let unit = evicted_with(world, victim);
        if problem.set(|name| name == victim) == 0 {
            let text = format!("victim `{victim}` does not have a lower priority than `{}`", pod.name);
            verdict.breach("victim-ranks-lower", text);
        }
        if let Some(left) = unit.iter().find(|name| !outcome.victims.contains(**name)) {
            verdict.breach("group-leaves-whole", format!("`{victim}` is evicted, and `{left}` of its group is not"));
        }
        units.insert(unit);
    }
    let place =
        |pod: &&ModelPod| nodes.iter().position(|name| Some(*name) == outcome.nominated.get(&pod.name).map(|n| &**n));
    let places: Vec<usize> = nominated.iter().filter_map(place).collect();
    if !problem.fits_on(victims, &places) {
        let text = format!("{:?} do not fit after evicting {:?}", outcome.nominated, outcome.victims);
        verdict.breach("evictions-make-room", text);
    }
    if world.pods.values().any(|pod| pod.leaving) {
        return;
    }
    if any_evicted_whole(world) && nominated.len() > 1 {
        least_jobs_of_group(world, &problem, same_group, outcome, verdict);
    }
    for unit in &units {
        if problem.fits_on(victims & !problem.set(|name| unit.contains(name)), &places) {
            verdict.breach("no-needless-victim", format!("{unit:?} are not needed for {:?}", outcome.nominated));
        }
    }
}

/// Returns the pods that leave with one, itself included.
pub(super) fn evicted_with<'w>(world: &'w ModelCluster, victim: &'w str) -> BTreeSet<&'w str> {
    let whole = world.pods.get(victim).filter(|pod| is_evicted_whole(world, pod));
    let holds = |other: &&ModelPod| other.occupied_node().is_some() && !other.leaving;
    let members =
        world.pods.values().filter(|other| whole.is_some_and(|pod| group(other) == group(pod)) && holds(other));
    members.map(|pod| &*pod.name).chain([victim]).collect()
}
