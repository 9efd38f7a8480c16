//! The ruling on pods that stay within the min of their quota once pods of it are evicted.

use std::collections::BTreeSet;

use super::groups::namespace;
use super::play::UpstreamSimulation;
use super::quotas::{stays_within_min, without_all_promises};
use super::view::{CoschedulingSituation, priority};
use crate::object::name;
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError};

/// Returns whether upstream finds no room for a pod in addition to what pods of other quotas are promised, since the pod would borrow, and the policy evicts
/// less important pods of the quota, each of which has to go, so that the pod stays within the min of the quota, and fits its node.
pub(super) fn comes_within_its_min(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let is_single = it.policy.nominated.keys().eq(std::iter::once(&it.question.pod));
    let has_plan = it.policy.plans() && is_single && it.lacking().is_none();
    let upstream_decides = it.answer.places() || it.answer.all_plans().next().is_some();
    let Some(uncounted) = without_all_promises(it.question).filter(|_| has_plan && !upstream_decides) else {
        return Ok(false);
    };
    let (victims, own) = (&it.policy.victims, namespace(it.pod));
    let may_go = |victim: &String| {
        it.find(victim).is_some_and(|victim| namespace(victim) == own && priority(victim) < priority(it.pod))
    };
    if !victims.iter().all(may_go) || !comes_first(it, &uncounted, victims, ask)? {
        return Ok(false);
    }
    for victim in victims {
        let others: BTreeSet<String> = victims.iter().filter(|other| *other != victim).cloned().collect();
        if comes_first(it, &uncounted, &others, ask)? || fits(it, without(it.question, &others), ask)? {
            return Ok(false);
        }
    }
    Ok(!victims.is_empty())
}

/// Returns whether the pod stays within the min of its quota when these pods have left, and fits its node then, whatever is promised to pods of
/// other quotas.
fn comes_first(
    it: &CoschedulingSituation<'_>,
    uncounted: &JudgeRequest,
    gone: &BTreeSet<String>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let play = without(uncounted, gone);
    Ok(stays_within_min(play.question(), &[it.pod], ask)? && fits(it, play, ask)?)
}

/// Returns a cluster when these pods have left.
fn without(cluster: &JudgeRequest, gone: &BTreeSet<String>) -> UpstreamSimulation {
    let mut play = UpstreamSimulation::from(cluster.clone());
    play.evict(gone);
    play
}

/// Returns whether the pod fits the node of the plan in a cluster.
fn fits(
    it: &CoschedulingSituation<'_>,
    play: UpstreamSimulation,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    Ok(play.decide(&name(it.pod), ask)?.feasible.contains(&it.policy.node))
}
