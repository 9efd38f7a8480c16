//! The ruling on quotas that borrow a resource which does not concern both pods.

use serde_json::Value;

use super::answer::{Amounts, CoschedulingResponse};
use super::compare::compare;
use super::groups::namespace;
use super::quotas::all;
use super::view::CoschedulingSituation;

/// The resources by which every pod is judged.
const ALWAYS_COMPARED: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// Returns whether upstream decides as the policy does without the plans that evict a pod of another quota for a resource which does not concern both
/// pods.
pub(super) fn gives_what_concerns_both(it: &CoschedulingSituation<'_>) -> bool {
    let is_given = |victim: &String| it.find(victim).is_none_or(|victim| is_given(it, victim));
    let mut answer: CoschedulingResponse = it.answer.clone();
    let plans = |answer: &CoschedulingResponse| answer.all_plans().count();
    let preemption = &mut answer.preemption;
    for plan in preemption.plans.iter_mut().chain(&mut answer.other_plans) {
        plan.alternatives.retain(|plan| plan.victims.iter().all(is_given));
    }
    preemption.plans.retain(|plan| plan.victims.iter().all(is_given));
    answer.other_plans.retain(|plan| plan.victims.iter().all(is_given));
    if plans(&answer) == plans(it.answer) {
        return false;
    }
    let is_chosen = answer.possible_plans().next().is_some();
    // Upstream chose one of the others.
    for plan in answer.preemption.plans.iter_mut().filter(|_| !is_chosen) {
        plan.possible = true;
    }
    compare(&CoschedulingSituation { answer: &answer, ..*it }).is_ok()
}

/// Returns whether the quota of a pod gives it: the quota borrows a resource that concerns both pods, or of which all quotas together use more than all
/// minimums. Pods of the own quota, and without a quota, are judged by their priority.
fn is_given(it: &CoschedulingSituation<'_>, victim: &Value) -> bool {
    let quotas = &it.answer.quotas;
    let Some(theirs) = quotas.get(namespace(victim)).filter(|_| namespace(victim) != namespace(it.pod)) else {
        return true;
    };
    let amount = |of: &Amounts, resource: &str| of.get(resource).copied().unwrap_or(0);
    let used = all(quotas);
    let mins = |resource: &str| quotas.values().map(|quota| amount(&quota.min, resource)).fold(0, i64::saturating_add);
    let concerns = |pod: &Value, resource: &str| ALWAYS_COMPARED.contains(&resource) || requests(pod, resource);
    theirs.used.iter().filter(|(resource, used)| **used > amount(&theirs.min, resource)).any(|(resource, _)| {
        let is_lacking = concerns(it.pod, resource) || amount(&used, resource) > mins(resource);
        is_lacking && concerns(victim, resource)
    })
}

/// Returns whether a container of a pod requests a resource.
fn requests(pod: &Value, resource: &str) -> bool {
    let containers = pod.pointer("/spec/containers").and_then(Value::as_array);
    let amount =
        |container: &Value| container.pointer("/resources/requests")?.get(resource)?.as_str().map(str::to_owned);
    containers.into_iter().flatten().filter_map(amount).any(|amount| amount != "0")
}
