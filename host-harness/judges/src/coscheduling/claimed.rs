//! The ruling on plans that a pod of another quota would undo at once.

use std::collections::BTreeMap;

use serde_json::Value;

use super::groups::{group, namespace};
use super::play::UpstreamSimulation;
use super::quotas::lacking;
use super::view::{CoschedulingSituation, may_be_tried};
use crate::object::{is_nominated, name, pods, text};
use crate::trial::{JudgeClient, TrialError};

/// Returns whether upstream has a plan for a pod with a quota, and would then evict the pod, or one of those that complete its group with it, for a pod
/// of another quota that waits already.
pub(super) fn is_undone_at_once(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let (quotas, own) = (&it.answer.quotas, namespace(it.pod));
    if !it.refuses() || it.answer.places() || !quotas.contains_key(own) {
        return Ok(false);
    }
    let waits = |pod: &&Value| {
        let is_placed = !text(pod, "/spec/nodeName").is_empty() || it.question.waiting.contains_key(&name(pod));
        namespace(pod) != own
            && quotas.contains_key(namespace(pod))
            && !is_placed
            && may_be_tried(pod)
            && !is_nominated(pod)
    };
    for (node, plan) in it.answer.all_plans() {
        let mut after = UpstreamSimulation::of(it);
        after.evict(&plan.victims.iter().cloned().collect());
        let placed = put_with_group(it, &mut after, node, ask)?;
        for other in pods(&it.question.objects).filter(waits) {
            let answer = after.decide(&name(other), ask)?;
            if answer.all_plans().any(|(_, plan)| plan.victims.iter().any(|victim| placed.contains_key(victim))) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Puts the pod on this node, and each other pod that its group lacks on a node that takes it, where one does, or else where upstream evicts pods outside
/// of the group for it. Returns what was put.
fn put_with_group(
    it: &CoschedulingSituation<'_>,
    after: &mut UpstreamSimulation,
    node: &str,
    ask: &mut JudgeClient<'_>,
) -> Result<BTreeMap<String, String>, TrialError> {
    let mut placed = BTreeMap::from([(it.question.pod.clone(), node.to_owned())]);
    after.put(&placed);
    let is_outside = |victim: &String| it.find(victim).is_none_or(|victim| group(victim) != group(it.pod));
    for other in lacking(it).into_iter().map(name).filter(|other| *other != it.question.pod) {
        let answer = after.decide(&other, ask)?;
        let free = answer.feasible.iter().find(|candidate| *candidate == node).or(answer.feasible.first());
        let mut plans = answer.possible_plans().filter(|(_, plan)| plan.victims.iter().all(is_outside));
        let taken = match (free, plans.next()) {
            (Some(free), _) => free.clone(),
            (None, Some((on, plan))) => {
                after.evict(&plan.victims.iter().cloned().collect());
                on.to_owned()
            }
            (None, None) => continue,
        };
        placed.insert(other, taken);
        after.put(&placed);
    }
    Ok(placed)
}
