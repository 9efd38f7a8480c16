//! Compares what policy and upstream decide about a pod.

use std::collections::BTreeSet;

use super::groups::group;
use super::view::CoschedulingSituation;
use crate::object::{is_nominated, name, pods};
use crate::trial::UpstreamDifference;

/// Compares the outcome of an attempt with what upstream decides.
pub(super) fn compare(it: &CoschedulingSituation<'_>) -> Result<(), UpstreamDifference> {
    match it.policy.result.as_str() {
        "Scheduled" | "Waiting" => placed(it),
        "Nominated" => planned(it),
        _ => refused(it),
    }
}

/// Compares a binding, or that a pod waits at Permit.
fn placed(it: &CoschedulingSituation<'_>) -> Result<(), UpstreamDifference> {
    let node = &it.policy.node;
    let is_nominated = it.pod.pointer("/status/nominatedNodeName").is_some_and(|nominated| nominated == node.as_str());
    if !it.answer.places() || !it.answer.feasible.contains(node) || it.answer.nominated && !is_nominated {
        return Err(difference("upstream/node", it));
    }
    let waits = it.answer.permit.as_ref().is_some_and(|permit| permit.result == "wait");
    let let_go: BTreeSet<&String> = it.answer.permit.iter().flat_map(|permit| &permit.allowed).collect();
    let bound: BTreeSet<&String> = it.policy.bound.keys().filter(|bound| **bound != it.question.pod).collect();
    match waits == (it.policy.result == "Waiting") && bound == let_go && lost(it).is_empty() {
        true => Ok(()),
        false => Err(difference("upstream/permit", it)),
    }
}

/// Compares a plan.
fn planned(it: &CoschedulingSituation<'_>) -> Result<(), UpstreamDifference> {
    let node = &it.policy.node;
    let is_free = it.has_left && it.lacking().is_none() && it.policy.victims.is_empty();
    if is_free && it.answer.feasible.contains(node) && it.answer.places() && lost(it).is_empty() {
        return Ok(());
    }
    let is_single = it.policy.nominated.keys().eq(std::iter::once(&it.question.pod));
    let wanted: Vec<&String> = it.policy.victims.iter().collect();
    let is_same = |(on, plan): &(&str, &super::answer::UpstreamPlan)| {
        *on == node && plan.victims.iter().eq(wanted.iter().copied())
    };
    let is_enough = !it.has_left || it.lacking().is_none();
    if it.answer.places() || !is_single || !is_enough || !it.answer.all_plans().any(|plan| is_same(&plan)) {
        return Err(difference("upstream/victims", it));
    }
    if !it.answer.possible_plans().any(|plan| is_same(&plan)) {
        return Err(difference("upstream/plan", it));
    }
    let displaced: BTreeSet<String> = it.policy.victims.iter().filter_map(|victim| group(it.find(victim)?)).collect();
    let is_displaced = |pod: &String| {
        it.policy.victims.contains(pod) || it.find(pod).and_then(group).is_some_and(|group| displaced.contains(&group))
    };
    let cleared: BTreeSet<&String> =
        it.answer.preemption.cleared(node).filter(|pod| !it.question.kept.contains_key(*pod)).collect();
    let withdrawn = withdrawn(it);
    let is_right = withdrawn.iter().all(|pod| cleared.contains(pod) || is_displaced(pod))
        && cleared.iter().all(|pod| withdrawn.contains(*pod))
        && lost(it).iter().all(is_displaced);
    match is_right {
        true => Ok(()),
        false => Err(difference("upstream/nominations", it)),
    }
}

/// Compares that there is neither a node nor a plan. Where leaving pods count as gone, a nominated pod that keeps its node waits for them.
fn refused(it: &CoschedulingSituation<'_>) -> Result<(), UpstreamDifference> {
    let is_free = it.has_left && it.lacking().is_none() && it.keeps();
    if is_free && it.answer.nominated && it.answer.places() && lost(it).is_empty() {
        return Ok(());
    }
    if it.answer.places() {
        return Err(difference("upstream/node", it));
    }
    if it.answer.surely_plans() {
        return Err(difference("upstream/plan", it));
    }
    if lost(it) != rejected(it) {
        return Err(difference("upstream/permit", it));
    }
    let keeps = it.policy.nominations_after.contains_key(&it.question.pod);
    match !is_promised(it) || keeps == it.answer.preemption.keeps_nomination {
        true => Ok(()),
        false => Err(difference("upstream/nominations", it)),
    }
}

/// Returns the pods that have waited at Permit, and neither wait any more nor are bound.
pub(super) fn lost(it: &CoschedulingSituation<'_>) -> BTreeSet<String> {
    let stays = |pod: &&String| it.policy.waiting.contains(*pod) || it.policy.bound.contains_key(*pod);
    it.question.waiting.keys().filter(|pod| !stays(pod)).cloned().collect()
}

/// Returns the pods at Permit that upstream rejects where it has no plan.
pub(super) fn rejected(it: &CoschedulingSituation<'_>) -> BTreeSet<String> {
    it.answer.post_filter.iter().flat_map(|rejection| &rejection.rejected).cloned().collect()
}

/// Returns the other pods whose nomination ends. Whether a node is still kept for a pod, no outcome says.
fn withdrawn(it: &CoschedulingSituation<'_>) -> BTreeSet<String> {
    let others = pods(&it.question.objects).filter(|pod| is_nominated(pod)).map(name);
    others.filter(|pod| *pod != it.question.pod && !it.is_still_nominated(pod)).collect()
}

/// Returns whether the pod is nominated by the host, so that the outcome says whether it stays nominated.
fn is_promised(it: &CoschedulingSituation<'_>) -> bool {
    is_nominated(it.pod) && !it.question.kept.contains_key(&it.question.pod)
}

/// Returns a difference, with what both decide.
fn difference(kind: &'static str, it: &CoschedulingSituation<'_>) -> UpstreamDifference {
    let pod = &it.question.pod;
    UpstreamDifference { kind, text: format!("`{pod}`: the policy {}; upstream {}", policy(it), upstream(it)) }
}

/// Returns what the policy does.
fn policy(it: &CoschedulingSituation<'_>) -> String {
    let policy = it.policy;
    let verb = match policy.result.as_str() {
        "Scheduled" => format!("binds {:?}", policy.bound),
        "Waiting" => format!("has it wait on `{}`", policy.node),
        "Nominated" => format!("evicts {:?} for {:?}", policy.victims, policy.nominated),
        _ => format!("finds neither a node nor a plan, {:?} standing", policy.nominations_after),
    };
    format!("{verb}, {:?} lose their nodes at Permit ({})", lost(it), policy.reason)
}

/// Returns what upstream does.
fn upstream(it: &CoschedulingSituation<'_>) -> String {
    let answer = it.answer;
    let why = answer.untried.as_ref().or(answer.failed.as_ref()).or(answer.preemption.ineligible.as_ref());
    let refused = answer.pre_filter.as_ref().map(|refusal| &refusal.reason);
    match (answer.places(), answer.possible_plans().next()) {
        (true, _) => format!("has {:?}, of {:?} (nominated: {})", answer.permit, answer.feasible, answer.nominated),
        (false, Some(_)) => {
            let plans: Vec<String> =
                answer.possible_plans().map(|(node, plan)| format!("{:?} on `{node}`", plan.victims)).collect();
            format!("evicts {}, clears {:?}", plans.join(" or "), answer.preemption.clears)
        }
        (false, None) => format!(
            "finds neither a node nor a plan ({refused:?}, {why:?}), rejects {:?}, keeps its nomination: {}",
            answer.post_filter, answer.preemption.keeps_nomination
        ),
    }
}
