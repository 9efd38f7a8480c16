//! yunikorn-core: compares an attempt, and names the rulings by which the system `yunikorn` departs from it.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "the amounts of a case are small, and a formula must look as in the manual"
)]

mod answer;
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

use crate::departure::{Attempt, Departure, Verdict};
use crate::object::{is_constrained, is_nominated, list, pods, text};
use crate::question::Question;
use crate::trial::{Ask, Difference, TrialError};
use answer::{Answer, Decision, Ended, Reply};
use departures::RULES;
use plan::is_sound;
use view::{View, evicts};

/// In how many orders of equals upstream decides again before a decision counts as another one.
const ORDERS: u64 = 12;

/// Returns the rulings by which the system `yunikorn` departs from yunikorn-core.
pub(crate) fn departures() -> impl Iterator<Item = Departure> {
    RULES.iter().map(|rule| rule.departure)
}

/// Compares an attempt. All rulings that apply explain a difference together.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(attempt: &Attempt<'_>, ask: &mut Ask<'_>) -> Result<Verdict, TrialError> {
    const CONSTRAINED: Verdict = Verdict::NotCompared("constraints that the judge does not look at");
    let policy = decision(attempt);
    let mut answer = match ask.answer(attempt.question)? {
        Reply::Judged(answer) => answer,
        Reply::NotJudged { .. } => return Ok(CONSTRAINED),
    };
    let mut is_alike = alike(&policy, &answer);
    if !is_alike && (answer.decision.result == Ended::Preempts || evicts(&policy)) {
        let alternatives = if answer.decision.result == Ended::Preempts { ORDERS } else { 0 };
        let arguments = json!({"alternatives": alternatives, "candidates": evicts(&policy)});
        answer = ask.answer(&Question { arguments, ..attempt.question.clone() })?;
        is_alike = alike(&policy, &answer);
    }
    if is_alike {
        return Ok(Verdict::Alike);
    }
    let unknown = answer::Known::default();
    let known = answer.pods.get(&attempt.question.pod).unwrap_or(&unknown);
    let view =
        View { objects: &attempt.question.objects, pod: attempt.pod, ask: known, answer: &answer, policy: &policy };
    let rulings: Vec<&'static str> = match is_sound(&view) {
        true => RULES.iter().filter(|rule| rule.explains(&view)).map(|rule| rule.departure.id).collect(),
        false => Vec::new(),
    };
    // The judge looks at what running pods demand of others, and not at what a nominated one does.
    let mut nominated = pods(&attempt.question.objects).filter(|pod| is_nominated(pod));
    Ok(match rulings.is_empty() {
        true if nominated.any(is_constrained) => CONSTRAINED,
        true => Verdict::Differs(difference(attempt, &policy, &answer)),
        false => Verdict::Ruled(rulings),
    })
}

/// Returns the decision of the policy.
fn decision(attempt: &Attempt<'_>) -> Decision {
    let mut victims = list(attempt.outcome, "victims");
    victims.sort();
    let result = match text(attempt.outcome, "/result") {
        "Scheduled" => Ended::Bound,
        "Nominated" => Ended::Preempts,
        "Rejected" => Ended::Refused,
        _ => Ended::Nothing,
    };
    Decision { result, node: text(attempt.outcome, "/node").to_owned(), victims }
}

/// Returns whether upstream may decide as the policy does.
fn alike(policy: &Decision, answer: &Answer) -> bool {
    let upstream = &answer.decision;
    match policy.result {
        Ended::Bound => answer.legal_nodes.contains(&policy.node),
        Ended::Preempts => std::iter::once(upstream).chain(&answer.alternatives).any(|other| other == policy),
        Ended::Reserves | Ended::Nothing | Ended::Refused => {
            matches!(upstream.result, Ended::Nothing | Ended::Reserves | Ended::Refused)
        }
    }
}

/// Returns a difference, with what both decide.
fn difference(attempt: &Attempt<'_>, policy: &Decision, answer: &Answer) -> Difference {
    let upstream = &answer.decision;
    let kind = match (policy.result, upstream.result) {
        (Ended::Bound, _) | (_, Ended::Bound) => "upstream/node",
        (Ended::Preempts, Ended::Preempts) => "upstream/victims",
        _ => "upstream/plan",
    };
    let pod = &attempt.question.pod;
    let reason = text(attempt.outcome, "/reason");
    let why = &answer.why;
    Difference {
        kind,
        text: format!("`{pod}`: the policy {} ({reason}); upstream {} ({why})", told(policy), told(upstream)),
    }
}

/// Returns what a decision does, for an explanation.
fn told(decision: &Decision) -> String {
    match decision.result {
        Ended::Bound => format!("binds it to `{}`", decision.node),
        Ended::Preempts => format!("evicts {:?} for it on `{}`", decision.victims, decision.node),
        Ended::Reserves => format!("reserves `{}` for it, and evicts no pod", decision.node),
        Ended::Nothing => "finds neither a node nor a plan".to_owned(),
        Ended::Refused => "refuses its application".to_owned(),
    }
}
