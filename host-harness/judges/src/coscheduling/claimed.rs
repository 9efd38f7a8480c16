//! The ruling on plans that a pod of another quota would undo at once.

use std::collections::BTreeMap;

use serde_json::Value;

use super::groups::namespace;
use super::play::UpstreamSimulation;
use super::view::{CoschedulingSituation, may_be_tried};
use crate::object::{is_nominated, name, pods, text};
use crate::trial::{JudgeClient, TrialError};

/// Returns whether upstream has a plan for a pod with a quota, and would then evict the pod for one of another quota that waits already.
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
        after.put(&BTreeMap::from([(it.question.pod.clone(), node.to_owned())]));
        for other in pods(&it.question.objects).filter(waits) {
            let answer = after.decide(&name(other), ask)?;
            if answer.all_plans().any(|(_, plan)| plan.victims.contains(&it.question.pod)) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
