//! Plans for a group as a whole, which upstream makes pod by pod.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::compare::{compare, lost, rejected};
use super::groups::{group, minimum, namespace};
use super::play::UpstreamSimulation;
use super::quotas::{self, stays_within_min};
use super::search::{Within, completes};
use super::unlike;
use super::view::{CoschedulingSituation, priority};
use crate::object::{is_nominated, name, pods, text};
use crate::trial::{JudgeClient, TrialError};

/// Returns whether PreFilter refuses the group, also when the pods that leave have left, and the pod loses its nomination for it. The pods at Permit stay
/// there (ruling R10), or give up their nodes as upstream has it.
pub(super) fn ends_what_is_promised(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let given_up = lost(it);
    let is_permitted = given_up.is_empty() || given_up == rejected(it);
    if !it.is_refused_for_good() || !it.refuses() || !is_nominated(it.pod) || it.keeps() || !is_permitted {
        return Ok(false);
    }
    let mut left = UpstreamSimulation::of(it);
    left.end_evictions();
    Ok(left.decide(&it.question.pod, ask)?.pre_filter.is_some())
}

/// Returns whether upstream has the pod wait at Permit in vain, or has pods of its group give up nodes that may do without it.
pub(super) fn holds_while_completable(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    Ok(keeps_permit_holds(it) || unlike::others_may_plan(it) || holds_in_vain(it, ask)?)
}

/// Returns whether upstream has the pod wait, and its group is not complete afterwards, whichever nodes its pods take and whichever pods are evicted.
fn holds_in_vain(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let waits = it.answer.places() && it.answer.permit.as_ref().is_some_and(|permit| permit.result == "wait");
    Ok(it.refuses() && waits && it.lacking().is_some() && !completes(it, Within::All, ask)?)
}

/// Returns whether upstream evicts pods for the pod, and its group is not complete afterwards.
pub(super) fn evicts_in_vain(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let plans = !it.answer.places() && it.answer.surely_plans();
    Ok(it.refuses() && plans && it.lacking().is_some() && !completes(it, Within::All, ask)?)
}

/// Returns whether upstream makes no room for the pod, and the policy plans for as many pods of the group as it lacks. Where leaving pods count as gone,
/// their room is not free yet: to upstream the pod fits, and the policy plans without victims, or with those that the others of the group need.
pub(super) fn plans_for_the_group(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let is_coming = it.has_left && (it.policy.victims.is_empty() || !it.fits_now);
    Ok((is_coming || !it.answer.places()) && is_plan_for_the_group(it, &UpstreamSimulation::of(it), ask)?)
}

/// Returns whether pods of the group give up the nodes that they hold at Permit, no pod is evicted, and the pods that complete the group can take the
/// nodes that they are nominated to.
pub(super) fn gets_other_nodes(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let given_up = lost(it);
    let is_one = it.policy.plans() && it.policy.victims.is_empty() && !given_up.is_empty() && !it.answer.places();
    let Some(named) = group(it.pod).filter(|_| is_one) else { return Ok(false) };
    let is_own = |pod: &String| it.find(pod).and_then(group).as_ref() == Some(&named);
    let planned = &it.policy.nominated;
    if !given_up.iter().chain(planned.keys()).all(is_own)
        || planned.len() < it.lacks(&named).saturating_add(given_up.len())
    {
        return Ok(false);
    }
    let mut play = UpstreamSimulation::of(it);
    play.evict(&given_up);
    play.end_evictions();
    play.forget(|pod| planned.contains_key(&name(pod)));
    play.can_take(planned, ask)
}

/// Returns whether the policy evicts pods for as many pods of the group as it lacks, and these fit in a cluster then, but not when a victim stays.
pub(super) fn is_plan_for_the_group(
    it: &CoschedulingSituation<'_>,
    cluster: &UpstreamSimulation,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let Some(named) = it.lacking().filter(|_| it.policy.plans()) else { return Ok(false) };
    let is_own = |pod: &&String| it.find(pod).and_then(group).as_ref() == Some(&named);
    let planned = it.policy.nominated.keys().filter(is_own).count();
    let is_enough = planned == it.policy.nominated.len() && planned == it.lacks(&named);
    Ok(is_enough && is_tight(it, cluster, ask)?)
}

/// Returns the pods of a group that are promised nodes before and after the attempt, and the nodes before it.
fn promised(it: &CoschedulingSituation<'_>, named: &str) -> BTreeMap<String, String> {
    let stays = |pod: &&Value| is_nominated(pod) && it.is_still_nominated(&name(pod));
    let promised = it.pending(named).filter(stays);
    promised.map(|pod| (name(pod), text(pod, "/status/nominatedNodeName").to_owned())).collect()
}

/// Returns whether upstream might evict each victim of the policy's plan, and the planned pods can take their nodes in a cluster when the victims have
/// left, and not when one of them stays.
fn is_tight(
    it: &CoschedulingSituation<'_>,
    cluster: &UpstreamSimulation,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let planned: Vec<&Value> = it.policy.nominated.keys().filter_map(|pod| it.find(pod)).collect();
    for victim in it.policy.victims.iter().filter_map(|victim| it.find(victim)) {
        if !quotas::might_evict(it, &planned, victim, ask)? {
            return Ok(false);
        }
    }
    let victims = &it.policy.victims;
    if !fits_without(it, cluster, victims, ask)? {
        return Ok(false);
    }
    for victim in victims {
        let others = victims.iter().filter(|other| *other != victim).cloned().collect();
        if fits_without(it, cluster, &others, ask)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether the planned pods can take their nodes in a cluster when these victims have left, and the pods that leave already.
pub(super) fn fits_without(
    it: &CoschedulingSituation<'_>,
    cluster: &UpstreamSimulation,
    victims: &BTreeSet<String>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let wanted = &it.policy.nominated;
    let mut play = cluster.clone();
    play.evict(victims);
    play.end_evictions();
    play.forget(|pod| wanted.contains_key(&name(pod)));
    play.can_take(wanted, ask)
}

/// Returns whether the pods that the group lacks are promised nodes, and can take them when those that are leaving have left.
pub(super) fn is_in_flight(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let Some(named) = group(it.pod).filter(|_| it.refuses() && !it.answer.places()) else { return Ok(false) };
    let promised = promised(it, &named);
    if promised.is_empty() || promised.len() < it.lacks(&named) {
        return Ok(false);
    }
    let mut play = UpstreamSimulation::of(it);
    play.end_evictions();
    // Each of them leaves those before it allowed, and not those that come later.
    play.forget(|pod| promised.contains_key(&name(pod)));
    play.can_take(&promised, ask)
}

/// Returns whether upstream rejects pods of the group at Permit that stay, as there are enough pods of the group without this one.
fn keeps_permit_holds(it: &CoschedulingSituation<'_>) -> bool {
    let Some(named) = group(it.pod) else { return false };
    let needed = minimum(&it.question.objects, &named).unwrap_or(usize::MAX);
    let others = it.members(&named).filter(|pod| name(pod) != it.question.pod);
    let count = others.filter(|pod| it.place(pod).is_some() || super::view::may_be_tried(pod)).count();
    let stays = lost(it).is_empty() && it.waiting(&named).next().is_some();
    it.refuses() && !it.answer.places() && !it.answer.surely_plans() && stays && count >= needed
}

/// Returns whether upstream has the group complete with other members only than those that the policy plans for: the pod, and the first others.
pub(super) fn needs_other_members(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let is_short = it.refuses() && !it.answer.places() && it.answer.surely_plans() && it.lacking().is_some();
    Ok(is_short && !completes(it, Within::FirstMembers, ask)?)
}

/// Returns whether upstream has the group complete only by what it takes back from other quotas for some of its pods, while the group would borrow.
pub(super) fn borrows_as_a_group(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let plans = it.refuses() && !it.answer.places() && it.answer.surely_plans() && it.lacking().is_some();
    Ok(plans
        && it.answer.quotas.contains_key(namespace(it.pod))
        && !stays_within_min(it.question, &quotas::lacking(it), ask)?
        && !completes(it, Within::OwnNamespace, ask)?)
}

/// Returns whether the search of upstream ends in an error because it takes a pod off the node twice: once as the node has no room with it, and once as
/// the quotas do not hold with the nominated pods, with it or without it. The group of the pod may give up its nodes at Permit, as without a plan.
fn takes_a_pod_twice(it: &CoschedulingSituation<'_>) -> bool {
    let failed = it.answer.failed.as_deref().unwrap_or_default();
    let (given_up, own) = (lost(it), group(it.pod));
    let gives_up = own.is_some_and(|named| it.waiting(&named).collect::<BTreeSet<_>>() == given_up);
    it.refuses() && (given_up.is_empty() || gives_up) && failed.contains("no corresponding pod")
}

/// Returns whether each plan of upstream leaves the pod refused by the quotas, as it has looked at the nominated pods too late, or its search for one
/// ends in an error for the same reason.
pub(super) fn is_refused_afterwards(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    if takes_a_pod_twice(it) {
        return Ok(true);
    }
    let differs = it.refuses() || it.policy.plans() && is_tight(it, &UpstreamSimulation::of(it), ask)?;
    if it.answer.places() || !it.answer.surely_plans() || !differs {
        return Ok(false);
    }
    for (_, plan) in it.answer.possible_plans() {
        let mut play = UpstreamSimulation::of(it);
        play.evict(&plan.victims.iter().cloned().collect());
        play.end_evictions();
        let refusal = play.decide(&it.question.pod, ask)?.pre_filter;
        if refusal.is_none_or(|refusal| refusal.plugin != "CapacityScheduling") {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether the policy has a plan for the pod of which each victim is needed, and none of upstream stops less: neither by the most important
/// pod, nor by the number of gangs.
pub(super) fn stops_less(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let is_single = it.policy.nominated.keys().eq(std::iter::once(&it.question.pod));
    let is_bounded = it.answer.quotas.contains_key(namespace(it.pod));
    let is_plan = it.policy.plans() && !it.policy.victims.is_empty();
    if !is_plan || !is_single || !is_bounded || it.answer.places() || it.lacking().is_some() {
        return Ok(false);
    }
    let own = harm(it, &mut it.policy.victims.iter());
    let is_least = it.answer.possible_plans().all(|(_, plan)| own <= harm(it, &mut plan.victims.iter()));
    Ok(is_least && is_tight(it, &UpstreamSimulation::of(it), ask)?)
}

/// Returns the priority of the most important victim that would go on otherwise, and how many gangs are complete before and not afterwards.
fn harm(it: &CoschedulingSituation<'_>, victims: &mut dyn Iterator<Item = &String>) -> (Option<i64>, usize) {
    let victims: Vec<&Value> = victims.filter_map(|victim| it.find(victim)).collect();
    let groups: BTreeSet<String> = victims.iter().filter_map(|victim| group(victim)).collect();
    let placed = |named: &str| it.members(named).filter(|pod| it.place(pod).is_some()).count();
    let needed = |named: &str| minimum(&it.question.objects, named).filter(|minimum| *minimum > 1).unwrap_or(0);
    let is_too_small = |pod: &Value| group(pod).is_some_and(|named| placed(&named) < needed(&named));
    let breaks = |named: &&String| {
        let gone = victims.iter().filter(|victim| group(victim).as_ref() == Some(*named)).count();
        needed(named) > 0 && placed(named) >= needed(named) && placed(named).saturating_sub(gone) < needed(named)
    };
    let highest = victims.iter().filter(|victim| !is_too_small(victim)).map(|victim| priority(victim)).max();
    (highest, groups.iter().filter(breaks).count())
}

/// Returns whether the policy keeps a nomination to a node where a more important pod waits at Permit, or where the pod would be placed without the
/// pods of no lower priority there that wait at Permit.
pub(super) fn outlives_waiting_pod(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    if !it.refuses() || !it.keeps() {
        return Ok(false);
    }
    let (node, own) = (text(it.pod, "/status/nominatedNodeName"), group(it.pod));
    let waits = |pod: &&Value| it.question.waiting.get(&name(pod)).is_some_and(|on| on == node);
    let held: Vec<&Value> = pods(&it.question.objects).filter(waits).collect();
    if held.iter().any(|pod| priority(pod) > priority(it.pod)) {
        return Ok(true);
    }
    let others: Vec<String> = held
        .into_iter()
        .filter(|pod| priority(pod) == priority(it.pod) && (own.is_none() || group(pod) != own))
        .map(name)
        .collect();
    if others.is_empty() || it.answer.places() {
        return Ok(false);
    }
    let mut play = UpstreamSimulation::of(it);
    play.release(|pod| others.contains(&name(pod)));
    Ok(play.decide(&it.question.pod, ask)?.feasible.iter().any(|feasible| feasible == node))
}

/// Returns whether upstream decides as the policy once the pod is as entitled as the least entitled of its group that waits, but for the pods at
/// Permit of a group that may do without the pod (ruling R25).
pub(super) fn is_less_entitled(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let Some(named) = it.lacking() else { return Ok(false) };
    let least = it.pending(&named).map(priority).min().unwrap_or_else(|| priority(it.pod));
    let never = |pod: &Value| text(pod, "/spec/preemptionPolicy") == "Never";
    let any_never = it.pending(&named).any(never);
    if it.policy.places() || least == priority(it.pod) && any_never == never(it.pod) {
        return Ok(false);
    }
    let play = UpstreamSimulation::of(it).with_entitlement(&it.question.pod, least, any_never);
    let answer = play.decide(&it.question.pod, ask)?;
    let pod = play.question().tried().unwrap_or(it.pod);
    let entitled = CoschedulingSituation { question: play.question(), pod, answer: &answer, ..*it };
    Ok(compare(&entitled).is_ok() || keeps_permit_holds(&entitled))
}
