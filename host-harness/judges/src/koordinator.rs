//! Koordinator: compares an attempt, and names the rulings by which the system `koordinator` departs from it.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "the amounts of a case are small, and a formula must look as in the manual"
)]

mod answer;
mod books;
mod demands;
mod departures;
mod explain;
mod gangs;
mod near;
mod plans;
mod questions;
mod requests;
mod situations;
mod stops;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::departure::{AttemptComparison, PolicyAttempt, UpstreamDeparture};
use crate::object::{is_nominated, list, name, text, texts};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError, UpstreamDifference};
use answer::KoordinatorResponse;
use departures::RULES;
use view::{KoordinatorDecision, KoordinatorResult, KoordinatorSituation};

/// The laws by which the policy refuses a pod for its gang, or for what it demands itself.
const GATES: [&str; 5] = [
    "gang-has-its-members",
    "gang-demands-are-known",
    "gang-group-is-served-first",
    "pod-demands-are-known",
    "gang-has-not-failed",
];

/// The laws by which the policy refuses a pod for its quota.
const BOUNDS: [&str; 3] =
    ["non-preemptible-job-fits-min", "non-preemptible-job-fits-max", "preemptible-job-leaves-min"];

/// The step of an attempt at which policy and upstream differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttemptStep {
    Gang,
    Quota,
    Usage,
    Node,
    Permit,
    Plan,
    Held,
    Nomination,
}

/// The ruling on nodes that are kept. The cluster is read with it where upstream decides otherwise without.
const KEEPS: UpstreamDeparture = UpstreamDeparture {
    id: "C74",
    upstream: "rejects a gang whose time at Permit runs out, and its room is anybody's",
    policy: "keeps its nodes for it while its plan is under way",
};

/// Returns the rulings by which the system `koordinator` departs from Koordinator.
pub(crate) fn departures() -> impl Iterator<Item = UpstreamDeparture> {
    RULES.iter().map(|rule| rule.departure).chain([KEEPS])
}

/// Compares an attempt.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(attempt: &PolicyAttempt<'_>, ask: &mut JudgeClient<'_>) -> Result<AttemptComparison, TrialError> {
    if let Some(reason) = not_compared(&attempt.question.objects) {
        return Ok(AttemptComparison::NotCompared(reason));
    }
    let question = translated(attempt.question.clone());
    let seen = compared(attempt, &question, ask)?;
    let Some(shown) = question.with_retained_nominated().filter(|_| !matches!(seen, AttemptComparison::Same)) else {
        return Ok(seen);
    };
    Ok(match (compared(attempt, &shown, ask)?, seen) {
        (AttemptComparison::Same, _) => AttemptComparison::Ruled(vec![KEEPS.id]),
        (AttemptComparison::Ruled(rulings), AttemptComparison::Ruled(same)) if rulings == same => {
            AttemptComparison::Ruled(same)
        }
        (AttemptComparison::Ruled(rulings), _) => {
            AttemptComparison::Ruled(rulings.into_iter().chain([KEEPS.id]).collect())
        }
        (_, seen) => seen,
    })
}

/// Compares an attempt in a cluster.
fn compared(
    attempt: &PolicyAttempt<'_>,
    question: &JudgeRequest,
    ask: &mut JudgeClient<'_>,
) -> Result<AttemptComparison, TrialError> {
    let answer: KoordinatorResponse = ask.request(question)?;
    let policy = KoordinatorDecision::of(attempt.outcome);
    let pod = question.tried().unwrap_or(attempt.pod);
    let view = KoordinatorSituation { question, pod, outcome: attempt.outcome, policy, answer: &answer };
    let Err((stage, told)) = compare(&view) else {
        return Ok(AttemptComparison::Same);
    };
    let rulings = explain::explain(&view, stage, ask)?;
    Ok(match rulings.is_empty() {
        true => AttemptComparison::Differs(difference(&view, stage, &told)),
        false => AttemptComparison::Ruled(rulings),
    })
}

/// Returns why the attempts in a cluster are not compared.
fn not_compared(objects: &[Value]) -> Option<&'static str> {
    let is_reserved = |object: &Value| {
        let places = ["/status/nodeName", "/spec/nodeName", "/status/nominatedNodeName"];
        text(object, "/kind") == "Reservation" && places.iter().any(|place| !text(object, place).is_empty())
    };
    if objects.iter().any(is_reserved) {
        return Some("reservations hold room");
    }
    let above = |quota: &Value| text(quota, "/metadata/labels/quota.scheduling.koordinator.sh~1parent").to_owned();
    let mut parents = objects.iter().filter(|object| text(object, "/kind") == "ElasticQuota").map(above);
    let is_there = |of: &str| {
        objects.iter().any(|object| text(object, "/kind") == "ElasticQuota" && text(object, "/metadata/name") == of)
    };
    let is_lost = parents.any(|of| !of.is_empty() && of != "koordinator-root-quota" && !is_there(&of));
    is_lost.then_some("a quota names a parent that is missing")
}

/// Returns a question with the arguments in force.
pub(crate) fn translated(question: JudgeRequest) -> JudgeRequest {
    JudgeRequest { arguments: in_force(&question.arguments), ..question }
}

/// Returns the arguments with the defaults of the policy, where those of upstream are others.
fn in_force(arguments: &Value) -> Value {
    let mut all = json!({"enableRuntimeQuota": false, "disableDefaultQuotaPreemption": false});
    if let (Some(all), Some(set)) = (all.as_object_mut(), arguments.as_object()) {
        all.extend(set.clone());
    }
    all
}

/// Compares the steps of an attempt in their order. Returns the first at which they differ, with what the policy does there.
fn compare(it: &KoordinatorSituation<'_>) -> Result<(), (AttemptStep, String)> {
    let policy = &it.policy;
    let is_refused = policy.result == KoordinatorResult::Refused;
    let by_gang = is_refused && GATES.contains(&policy.first());
    // Where one side refuses the pod for its gang and the other finds nothing, nothing comes of it either way.
    let finds = if by_gang {
        !it.answer.feasible.is_empty() || !it.answer.preemption.plans.is_empty()
    } else {
        !matches!(policy.result, KoordinatorResult::Nothing | KoordinatorResult::Refused)
    };
    if by_gang != it.is_refused_by_gang() && finds {
        let what = if by_gang { "refuses it for its gang" } else { "tries it" };
        return Err((AttemptStep::Gang, what.to_owned()));
    }
    if by_gang || it.is_refused_by_gang() {
        return Ok(());
    }
    let by_quota = (is_refused || policy.result == KoordinatorResult::Plans) && BOUNDS.contains(&policy.first());
    // Upstream asks about devices before it asks about quotas: where it refuses the pod for these, nothing comes of it either.
    let is_nothing = by_quota && policy.result == KoordinatorResult::Refused && it.is_refused_by_devices();
    if by_quota != it.is_refused_by_quota() && !is_nothing {
        let what = if by_quota { "refuses it for its quota" } else { "has its quota admit it" };
        return Err((AttemptStep::Quota, what.to_owned()));
    }
    if by_quota && !is_nothing && !it.agree_on_usage() {
        return Err((
            AttemptStep::Usage,
            format!(
                "has another account of its quota: {}",
                it.outcome.pointer("/reasons/0/facts").unwrap_or(&Value::Null)
            ),
        ));
    }
    if policy.is_placed() {
        return placed(it);
    }
    if !it.answer.feasible.is_empty() {
        let stage = if policy.cites("gang-is-complete") { AttemptStep::Permit } else { AttemptStep::Node };
        return Err((stage, "finds no node".to_owned()));
    }
    planned(it)?;
    compare_permit(it)
}

/// Compares a node, and what Permit says.
fn placed(it: &KoordinatorSituation<'_>) -> Result<(), (AttemptStep, String)> {
    let (policy, answer) = (&it.policy, it.answer);
    let nominated = text(it.pod, "/status/nominatedNodeName");
    let is_right = answer.feasible.contains(&policy.node) && (!answer.nominated || policy.node == nominated);
    if !is_right {
        return Err((AttemptStep::Node, format!("places it on `{}`", policy.node)));
    }
    let bound: BTreeSet<String> = texts(it.outcome, "bound").into_keys().collect();
    let permit = answer.permit.clone().unwrap_or_default();
    let mut wanted: BTreeSet<String> = permit.released.iter().cloned().collect();
    if permit.result == "bind" {
        wanted.insert(it.question.pod.clone());
    }
    let waits = if policy.result == KoordinatorResult::Waits { "has it wait" } else { "binds it" };
    match bound == wanted && (policy.result == KoordinatorResult::Bound) == (permit.result == "bind") {
        true => Ok(()),
        false => Err((AttemptStep::Permit, format!("{waits}, and binds {bound:?}"))),
    }
}

/// Compares plans.
fn planned(it: &KoordinatorSituation<'_>) -> Result<(), (AttemptStep, String)> {
    let policy = &it.policy;
    let is_alike = match policy.result {
        KoordinatorResult::Plans => {
            let is_alone = policy.nominated.keys().eq([&it.question.pod]);
            is_alone && it.possible().iter().any(|(node, plan)| *node == policy.node && plan.victims == policy.victims)
        }
        _ => it.answer.preemption.plans.is_empty(),
    };
    match (is_alike, policy.result) {
        (true, _) => Ok(()),
        (false, KoordinatorResult::Plans) => {
            Err((AttemptStep::Plan, format!("evicts {:?} for {:?}", policy.victims, policy.nominated)))
        }
        (false, _) => Err((AttemptStep::Plan, "makes no plan".to_owned())),
    }
}

/// Compares which pods stay at Permit, and which nominations end. Whether a node is still kept for a pod, no outcome says.
fn compare_permit(it: &KoordinatorSituation<'_>) -> Result<(), (AttemptStep, String)> {
    let (policy, answer) = (&it.policy, it.answer);
    let Some(after) = &answer.post_filter else { return Ok(()) };
    let waiting = list(it.outcome, "waiting");
    let given_up: BTreeSet<&String> = it.question.waiting.keys().filter(|pod| !waiting.contains(pod)).collect();
    if given_up != after.rejected.keys().collect() {
        return Err((AttemptStep::Held, format!("has {given_up:?} give up their nodes")));
    }
    let standing = texts(it.outcome, "standing");
    let is_kept = |pod: &String| it.question.kept.contains_key(pod);
    let others = it.promised().map(name).filter(|pod| !is_kept(pod));
    let lost: BTreeSet<String> = others.filter(|pod| !standing.contains_key(pod)).collect();
    let cleared = answer.preemption.clears.get(&policy.node).filter(|_| policy.result == KoordinatorResult::Plans);
    if lost != cleared.into_iter().flatten().filter(|pod| !is_kept(pod)).cloned().collect() {
        return Err((AttemptStep::Nomination, format!("withdraws the nominations of {lost:?}")));
    }
    let keeps = standing.contains_key(&it.question.pod);
    let is_told = is_nominated(it.pod) && !is_kept(&it.question.pod) && policy.result != KoordinatorResult::Plans;
    match !is_told || keeps == answer.preemption.keeps_nomination {
        true => Ok(()),
        false => {
            Err((AttemptStep::Nomination, format!("{} its nomination", if keeps { "keeps" } else { "withdraws" })))
        }
    }
}

/// Returns a difference, with what both decide.
fn difference(it: &KoordinatorSituation<'_>, stage: AttemptStep, policy: &str) -> UpstreamDifference {
    let kind = match stage {
        AttemptStep::Gang => "upstream/gang",
        AttemptStep::Quota => "upstream/quota",
        AttemptStep::Usage => "upstream/usage",
        AttemptStep::Node => "upstream/node",
        AttemptStep::Permit => "upstream/permit",
        AttemptStep::Plan => "upstream/plan",
        AttemptStep::Held => "upstream/held",
        AttemptStep::Nomination => "upstream/nominations",
    };
    let answer = it.answer;
    let (pod, reason) = (&it.question.pod, text(it.outcome, "/reason"));
    let laws = it.policy.laws.join(", ");
    let upstream = match (&answer.untried, &answer.pre_filter, answer.preemption.plans.is_empty()) {
        (Some(why), ..) => format!("does not try it ({why})"),
        (None, _, false) => {
            let plans = answer.preemption.plans.iter();
            let plans: Vec<String> = plans.map(|plan| format!("{:?} on `{}`", plan.victims, plan.node)).collect();
            format!("evicts {}, clears {:?}", plans.join(" or "), answer.preemption.clears)
        }
        (None, Some(refusal), true) => format!("refuses it: {}", refusal.reason),
        (None, None, true) if answer.feasible.is_empty() => {
            let no_plan = answer.failed.as_ref().or(answer.preemption.ineligible.as_ref());
            format!("finds neither a node nor a plan ({no_plan:?}, {:?}, {:?})", answer.refused, answer.dry_run)
        }
        (None, None, true) => format!("places it on one of {:?}: {:?}", answer.feasible, answer.permit),
    };
    let after = answer.post_filter.as_ref().map(|after| &after.rejected);
    let kept = if answer.preemption.keeps_nomination { ", and keeps its nomination" } else { "" };
    UpstreamDifference {
        kind,
        text: format!("`{pod}`: the policy {policy} ({reason}) [{laws}]; upstream {upstream}{kept}; rejects {after:?}"),
    }
}
