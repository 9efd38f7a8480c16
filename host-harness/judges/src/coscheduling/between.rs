//! Constraints between pods, towards nominated pods.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::answer::CoschedulingResponse;
use super::groups::group;
use super::play::UpstreamSimulation;
use super::quotas::might_evict;
use super::view::{CoschedulingSituation, priority};
use super::whole::{fits_without, is_plan_for_the_group};
use crate::object::{is_constrained, name, text};
use crate::trial::{JudgeClient, TrialError};

/// Returns the nominated pods that are no less important than the pod, and their nodes, where constraints may be at stake.
fn neighbours(it: &CoschedulingSituation<'_>) -> BTreeMap<String, String> {
    let others: Vec<&Value> = it.promised().filter(|other| priority(other) >= priority(it.pod)).collect();
    match is_constrained(it.pod) || others.iter().any(|other| is_constrained(other)) {
        true => others.iter().map(|pod| (name(pod), text(pod, "/status/nominatedNodeName").to_owned())).collect(),
        false => BTreeMap::new(),
    }
}

/// Returns whether the difference is that nominated pods count in their whole domain, and stay allowed there.
pub(super) fn keeps_domains(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let neighbours = neighbours(it);
    if neighbours.is_empty() {
        return Ok(false);
    }
    if it.refuses() {
        return would_be_broken(it, &neighbours, ask);
    }
    if it.policy.plans() && it.lacking().is_some() {
        let cluster = UpstreamSimulation::of(it);
        return Ok(is_plan_in_whole_domains(it, &neighbours, ask)?
            || is_plan_for_the_group(it, &cluster, ask)? && would_be_broken(it, &neighbours, ask)?);
    }
    let is_allowed = is_allowed(it, &it.policy.victims, &it.policy.node, &neighbours, ask)?;
    match it.policy.places() {
        true => Ok(is_allowed && is_permitted(it)),
        false => Ok(is_allowed && needs_its_victims(it, &neighbours, ask)?),
    }
}

/// Returns whether the plan for the group is one that holds both where the nominated pods run on their nodes and where they never come. To upstream, which
/// counts each on its own node only, other nodes may lack too many pods.
fn is_plan_in_whole_domains(
    it: &CoschedulingSituation<'_>,
    neighbours: &BTreeMap<String, String>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let mut without = UpstreamSimulation::of(it);
    without.forget(|pod| neighbours.contains_key(&name(pod)));
    let mut beside = without.clone();
    beside.put(neighbours);
    Ok(!it.answer.places()
        && is_plan_for_the_group(it, &beside, ask)?
        && fits_without(it, &without, &it.policy.victims, ask)?)
}

/// Returns whether a pod may be on a node, with the nominated pods on theirs and without them.
fn is_allowed(
    it: &CoschedulingSituation<'_>,
    gone: &BTreeSet<String>,
    node: &String,
    neighbours: &BTreeMap<String, String>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let mut with = UpstreamSimulation::of(it);
    with.evict(gone);
    if !it.policy.places() {
        with.end_evictions();
    }
    let mut without = with.clone();
    with.put(neighbours);
    without.forget(|pod| neighbours.contains_key(&name(pod)));
    let pod = &it.question.pod;
    Ok(with.decide(pod, ask)?.feasible.contains(node) && without.decide(pod, ask)?.feasible.contains(node))
}

/// Returns whether each victim of the policy's plan might be evicted, and is in the way.
fn needs_its_victims(
    it: &CoschedulingSituation<'_>,
    neighbours: &BTreeMap<String, String>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let victims = &it.policy.victims;
    for victim in victims.iter().filter_map(|victim| it.find(victim)) {
        let others = victims.iter().filter(|other| **other != name(victim)).cloned().collect();
        if !might_evict(it, &[it.pod], victim, ask)? || is_allowed(it, &others, &it.policy.node, neighbours, ask)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether the pod waits or is bound as Permit has it, whichever pods are nominated.
fn is_permitted(it: &CoschedulingSituation<'_>) -> bool {
    let named = group(it.pod);
    let waits = named.as_ref().is_some_and(|named| it.lacks(named) > 1);
    let bound: BTreeSet<&String> = it.policy.bound.keys().filter(|pod| **pod != it.question.pod).collect();
    let held: BTreeSet<String> = named.iter().filter(|_| !waits).flat_map(|named| it.waiting(named)).collect();
    waits == (it.policy.result == "Waiting") && bound.into_iter().eq(&held)
}

/// Returns whether each decision of upstream is one that the nominated pods do not allow, or leaves one of them without its node that could have it
/// otherwise.
fn would_be_broken(
    it: &CoschedulingSituation<'_>,
    neighbours: &BTreeMap<String, String>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let mut options: Vec<(String, BTreeSet<String>)> = Vec::new();
    if it.answer.places() {
        options.extend(it.answer.feasible.iter().map(|node| (node.clone(), BTreeSet::new())));
    } else {
        let plans = it.answer.possible_plans();
        options.extend(plans.map(|(node, plan)| (node.to_owned(), plan.victims.iter().cloned().collect())));
    }
    let mut kept = UpstreamSimulation::of(it);
    kept.end_evictions();
    let before = count_satisfied(&kept, neighbours, ask)?;
    for (node, victims) in &options {
        let mut play = kept.clone();
        play.evict(victims);
        play.place(&it.question.pod, node, &CoschedulingResponse::default());
        if is_allowed(it, victims, node, neighbours, ask)? && count_satisfied(&play, neighbours, ask)? >= before {
            return Ok(false);
        }
    }
    Ok(!options.is_empty())
}

/// Returns how many nominated pods can take their nodes, each alone.
fn count_satisfied(
    play: &UpstreamSimulation,
    neighbours: &BTreeMap<String, String>,
    ask: &mut JudgeClient<'_>,
) -> Result<usize, TrialError> {
    let mut count = 0usize;
    for (pod, node) in neighbours {
        let mut beside = play.clone();
        let others = neighbours.iter().filter(|(other, _)| *other != pod);
        beside.put(&others.map(|(other, node)| (other.clone(), node.clone())).collect());
        let can_take = beside.decide(pod, ask)?.feasible.contains(node);
        count = count.saturating_add(usize::from(can_take));
    }
    Ok(count)
}
