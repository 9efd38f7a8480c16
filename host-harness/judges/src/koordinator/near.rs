//! Plans for a pod that has to be near one that might be evicted for it. The dry run of upstream removes all of these first.

use serde_json::Value;

use super::answer::KoordinatorResponse;
use super::questions::{INTER_POD_PLUGINS, objects_without};
use super::view::{KoordinatorResult, KoordinatorSituation};
use crate::object::{is_constrained, is_terminating, name, text};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError};

/// Returns whether each plan of upstream is on a node where the pod has to be near one that the policy may evict, as all of these are gone in its dry
/// run; and the plan of the policy is one that upstream could make.
pub(super) fn is_near_evictable_pod(
    it: &KoordinatorSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    if it.policy.result != KoordinatorResult::Plans || !is_constrained(it.pod) || !it.agrees(it.answer) {
        return Ok(false);
    }
    for (node, plan) in it.possible() {
        let goes = |pod: &Value| text(pod, "/spec/nodeName") == node && (it.may_be_evicted(pod) || is_terminating(pod));
        let answer = decide_without(it, goes, ask)?;
        let refusal = answer.refused.get(node);
        let is_kept_out = refusal.is_some_and(|refusal| INTER_POD_PLUGINS.contains(&refusal.plugin.as_str()));
        if !is_kept_out || plan.victims == it.policy.victims {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether upstream has no plan on the node of the policy, where the pod has to be near one that might be evicted for it, and the policy
/// evicts other pods: the pod fits there when these have left, and not when one of them stays.
pub(super) fn spares_the_needed_pod(
    it: &KoordinatorSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let is_alone = it.policy.result == KoordinatorResult::Plans && it.policy.nominated.len() == 1;
    let node = it.policy.nominated.get(&it.question.pod).filter(|_| is_alone && it.possible().is_empty());
    let Some(node) = node.filter(|_| is_constrained(it.pod)) else { return Ok(false) };
    let victims = it.all(&it.policy.victims);
    if victims.is_empty() || !victims.iter().all(|victim| it.may_be_evicted(victim)) {
        return Ok(false);
    }
    let goes = |pod: &Value| it.policy.victims.contains(&name(pod)) || is_terminating(pod);
    if !decide_without(it, goes, ask)?.feasible.contains(node) {
        return Ok(false);
    }
    for victim in &it.policy.victims {
        let answer = decide_without(it, |pod| goes(pod) && name(pod) != *victim, ask)?;
        if answer.feasible.contains(node) {
            return Ok(false);
        }
    }
    let might_go = |pod: &Value| goes(pod) || text(pod, "/spec/nodeName") == node && it.may_be_evicted(pod);
    let answer = decide_without(it, might_go, ask)?;
    Ok(answer.refused.get(node).is_some_and(|refusal| INTER_POD_PLUGINS.contains(&refusal.plugin.as_str())))
}

/// Returns what upstream decides about the pod when some pods have left.
fn decide_without(
    it: &KoordinatorSituation<'_>,
    goes: impl Fn(&Value) -> bool,
    ask: &mut JudgeClient<'_>,
) -> Result<KoordinatorResponse, TrialError> {
    ask.request(&JudgeRequest { objects: objects_without(it, goes), ..it.question.clone() })
}
