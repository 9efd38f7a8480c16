//! Groups whose pods differ in priority, or in whether they may preempt.

use serde_json::Value;

use super::compare::{compare, lost};
use super::groups::group;
use super::play::UpstreamSimulation;
use super::view::{CoschedulingSituation, priority};
use crate::object::{name, text};
use crate::trial::{JudgeClient, TrialError};

/// Why attempts are not compared where a nominated pod is less important than the pod, and no less important than another waiting pod of the group: the
/// policy keeps the room of the nominated pod from the group until it plans for the pod alone, upstream gives the room to the pod.
pub(super) const RANKS_BETWEEN: &str = "a nominated pod ranks between the pods of the group";

/// Returns whether a nominated pod ranks between the pod and another waiting pod of its group.
pub(super) fn ranks_between(it: &CoschedulingSituation<'_>) -> bool {
    let Some(named) = group(it.pod) else { return false };
    let least = it.pending(&named).map(priority).min().unwrap_or_else(|| priority(it.pod));
    let between = |pod: &Value| least <= priority(pod) && priority(pod) < priority(it.pod);
    it.promised().any(|pod| group(pod).as_ref() != Some(&named) && between(pod))
}

/// Returns whether the pod may not preempt, and another waiting pod of its group may: the group keeps what it holds at Permit, for that pod may find a
/// plan.
pub(super) fn others_may_plan(it: &CoschedulingSituation<'_>) -> bool {
    let may_preempt = |pod: &Value| text(pod, "/spec/preemptionPolicy") != "Never";
    let Some(named) = group(it.pod).filter(|_| !may_preempt(it.pod)) else { return false };
    let keeps_its_nodes = it.refuses() && !it.answer.places() && lost(it).is_empty() && it.has_waiters();
    keeps_its_nodes && it.pending(&named).any(|other| name(other) != it.question.pod && may_preempt(other))
}

/// Returns whether upstream evicts a pod of the same group. Where the policy evicts no pod, each plan of upstream does so; where the policy evicts
/// others, upstream has that plan, too, once the pods of the group on nodes are as important as the pod.
pub(super) fn evicts_its_own(it: &CoschedulingSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let Some(named) = group(it.pod).filter(|_| !it.policy.places() && !it.answer.places()) else { return Ok(false) };
    let is_own = |victim: &String| it.find(victim).and_then(group).as_ref() == Some(&named);
    let mut plans = it.answer.all_plans().map(|(_, plan)| plan.victims.iter().any(is_own)).peekable();
    if it.refuses() {
        return Ok(plans.peek().is_some() && plans.all(|is_own| is_own));
    }
    if !plans.any(|is_own| is_own) {
        return Ok(false);
    }
    let own = it.members(&named).filter(|member| it.place(member).is_some()).map(name);
    let play =
        own.fold(UpstreamSimulation::of(it), |play, member| play.with_entitlement(&member, priority(it.pod), false));
    let answer = play.decide(&it.question.pod, ask)?;
    Ok(compare(&CoschedulingSituation { question: play.question(), answer: &answer, ..*it }).is_ok())
}
