//! yunikorn-core: compares an attempt, and names the rulings by which the system `yunikorn` departs from it.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "the amounts of a case are small, and a formula must look as in the manual"
)]

mod answer;
pub(crate) mod applications;
mod departures;
mod devices;
mod plan;
pub(crate) mod queue;
mod situations;
pub(crate) mod surplus;
#[cfg(test)]
mod tests;
mod view;

use serde_json::json;

use crate::departure::{AttemptComparison, PolicyAttempt, UpstreamDeparture};
use crate::object::{is_constrained, is_nominated, list, pods, text};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError, UpstreamDifference};
use answer::{JudgedAttempt, YunikornDecision, YunikornResponse, YunikornResult};
use applications::ApplicationOriginators;
use departures::RULES;
use plan::is_sound;
use view::{YunikornSituation, evicts};

/// In how many orders of equals upstream decides again before a decision counts as another one.
const ORDERS: u64 = 12;

/// Returns the rulings by which the system `yunikorn` departs from yunikorn-core.
pub(crate) fn departures() -> impl Iterator<Item = UpstreamDeparture> {
    RULES.iter().map(|rule| rule.departure)
}

/// Compares an attempt. All rulings that apply explain a difference together.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(
    attempt: &PolicyAttempt<'_>,
    applications: &mut ApplicationOriginators,
    ask: &mut JudgeClient<'_>,
) -> Result<AttemptComparison, TrialError> {
    const CONSTRAINED: AttemptComparison =
        AttemptComparison::NotCompared("constraints that the judge does not look at");
    let policy = decision(attempt);
    let mut answer = match ask.request(attempt.question)? {
        YunikornResponse::Judged(answer) => answer,
        YunikornResponse::NotJudged { .. } => return Ok(CONSTRAINED),
    };
    applications.remember(&answer.pods);
    let mut is_alike = is_same_decision(&policy, &answer);
    if !is_alike && (answer.decision.result == YunikornResult::Preempts || evicts(&policy)) {
        let alternatives = if answer.decision.result == YunikornResult::Preempts { ORDERS } else { 0 };
        let arguments = json!({"alternatives": alternatives, "candidates": evicts(&policy)});
        answer = ask.request(&JudgeRequest { arguments, ..attempt.question.clone() })?;
        is_alike = is_same_decision(&policy, &answer);
    }
    if is_alike {
        return Ok(AttemptComparison::Same);
    }
    let unknown = answer::CorePod::default();
    let known = answer.pods.get(&attempt.question.pod).unwrap_or(&unknown);
    let view = YunikornSituation {
        objects: &attempt.question.objects,
        pod: attempt.pod,
        core_pod: known,
        answer: &answer,
        policy: &policy,
    };
    let rulings: Vec<&'static str> = match is_sound(&view) {
        true => RULES.iter().filter(|rule| rule.explains(&view)).map(|rule| rule.departure.id).collect(),
        false => Vec::new(),
    };
    // The judge looks at what running pods demand of others, and not at what a nominated one does.
    let mut nominated = pods(&attempt.question.objects).filter(|pod| is_nominated(pod));
    Ok(match rulings.is_empty() {
        true if nominated.any(is_constrained) => CONSTRAINED,
        true => AttemptComparison::Differs(difference(attempt, &policy, &answer)),
        false => AttemptComparison::Ruled(rulings),
    })
}

/// Returns the decision of the policy.
fn decision(attempt: &PolicyAttempt<'_>) -> YunikornDecision {
    let mut victims = list(attempt.outcome, "victims");
    victims.sort();
    let result = match text(attempt.outcome, "/result") {
        "Scheduled" => YunikornResult::Bound,
        "Nominated" => YunikornResult::Preempts,
        "Rejected" => YunikornResult::Refused,
        _ => YunikornResult::Nothing,
    };
    YunikornDecision { result, node: text(attempt.outcome, "/node").to_owned(), victims }
}

/// Returns whether upstream may decide as the policy does.
fn is_same_decision(policy: &YunikornDecision, answer: &JudgedAttempt) -> bool {
    let upstream = &answer.decision;
    match policy.result {
        YunikornResult::Bound => answer.legal_nodes.contains(&policy.node),
        YunikornResult::Preempts => std::iter::once(upstream).chain(&answer.alternatives).any(|other| other == policy),
        YunikornResult::Reserves | YunikornResult::Nothing | YunikornResult::Refused => {
            matches!(upstream.result, YunikornResult::Nothing | YunikornResult::Reserves | YunikornResult::Refused)
        }
    }
}

/// Returns a difference, with what both decide.
fn difference(attempt: &PolicyAttempt<'_>, policy: &YunikornDecision, answer: &JudgedAttempt) -> UpstreamDifference {
    let upstream = &answer.decision;
    let kind = match (policy.result, upstream.result) {
        (YunikornResult::Bound, _) | (_, YunikornResult::Bound) => "upstream/node",
        (YunikornResult::Preempts, YunikornResult::Preempts) => "upstream/victims",
        _ => "upstream/plan",
    };
    let pod = &attempt.question.pod;
    let reason = text(attempt.outcome, "/reason");
    let why = &answer.why;
    UpstreamDifference {
        kind,
        text: format!(
            "`{pod}`: the policy {} ({reason}); upstream {} ({why})",
            description(policy),
            description(upstream)
        ),
    }
}

/// Returns what a decision does, for an explanation.
fn description(decision: &YunikornDecision) -> String {
    match decision.result {
        YunikornResult::Bound => format!("binds it to `{}`", decision.node),
        YunikornResult::Preempts => format!("evicts {:?} for it on `{}`", decision.victims, decision.node),
        YunikornResult::Reserves => format!("reserves `{}` for it, and evicts no pod", decision.node),
        YunikornResult::Nothing => "finds neither a node nor a plan".to_owned(),
        YunikornResult::Refused => "refuses its application".to_owned(),
    }
}
