//! Which rulings explain a difference.

use super::AttemptStep;
use super::answer::UpstreamPlan;
use super::books::{QuotaTerm, TERMS};
use super::departures::{KoordinatorDifference, KoordinatorRuling, RULES};
use super::situations::awaits_planned_victims;
use super::view::{KoordinatorResult, KoordinatorSituation};
use crate::trial::{JudgeClient, TrialError};

/// Returns the rulings that explain a difference at a step; none where it is not explained in full.
///
/// # Errors
/// The judge has no answer to another question.
pub(super) fn explain(
    it: &KoordinatorSituation<'_>,
    stage: AttemptStep,
    ask: &mut JudgeClient<'_>,
) -> Result<Vec<&'static str>, TrialError> {
    match stage {
        AttemptStep::Quota => Ok(by_formula(it)),
        AttemptStep::Plan => by_plans(it, ask),
        AttemptStep::Usage => Ok(Vec::new()),
        AttemptStep::Gang | AttemptStep::Node | AttemptStep::Permit | AttemptStep::Held | AttemptStep::Nomination => {
            let found = chosen(
                |explains| matches!(explains, KoordinatorDifference::At(at, applies) if *at == stage && applies(it)),
            );
            if found.is_empty() { by_judge(it, stage, ask) } else { Ok(found) }
        }
    }
}

/// Returns the rulings that explain a difference by any part of theirs.
fn chosen(mut explains: impl FnMut(&KoordinatorDifference) -> bool) -> Vec<&'static str> {
    let rules = RULES.iter().filter(|rule| rule.explains.iter().any(&mut explains));
    rules.map(|rule: &KoordinatorRuling| rule.departure.id).collect()
}

/// Returns the rulings that explain a difference by another question.
fn by_judge(
    it: &KoordinatorSituation<'_>,
    stage: AttemptStep,
    ask: &mut JudgeClient<'_>,
) -> Result<Vec<&'static str>, TrialError> {
    let mut found = Vec::new();
    for rule in RULES {
        for explains in rule.explains {
            if let KoordinatorDifference::ByJudge(at, applies) = explains
                && *at == stage
                && applies(it, ask)?
            {
                found.push(rule.departure.id);
            }
        }
    }
    Ok(found)
}

/// Returns the rulings whose terms turn the verdict of upstream's formula on the quota into that of the policy. Each formula must come to
/// the verdict of its side.
fn by_formula(it: &KoordinatorSituation<'_>) -> Vec<&'static str> {
    let upstream = !it.is_refused_by_quota();
    if it.admits(&[], &[]) != upstream || it.admits(&TERMS, &[]) == upstream {
        return Vec::new();
    }
    let turns = |terms: &[QuotaTerm]| it.admits(terms, &[]) != upstream;
    let without = |term: QuotaTerm| TERMS.into_iter().filter(|other| *other != term).collect::<Vec<QuotaTerm>>();
    let needed = chosen(|explains| matches!(explains, KoordinatorDifference::Counts(term) if !turns(&without(*term))));
    if !needed.is_empty() {
        return needed;
    }
    // Several of them would do.
    let alone = chosen(|explains| matches!(explains, KoordinatorDifference::Counts(term) if turns(&[*term])));
    if !alone.is_empty() {
        return alone;
    }
    let with = |term: QuotaTerm| TERMS.into_iter().any(|other| turns(&[term, other]));
    chosen(|explains| matches!(explains, KoordinatorDifference::Counts(term) if with(*term)))
}

/// Returns the rulings that explain other plans.
fn by_plans(it: &KoordinatorSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<Vec<&'static str>, TrialError> {
    let plans = it.policy.result == KoordinatorResult::Plans;
    // The policy makes no second plan before the first one is done.
    if plans && awaits_planned_victims(it) {
        return Ok(Vec::new());
    }
    let found = match plans {
        false => chosen(|explains| matches!(explains, KoordinatorDifference::Stops(applies) if applies(it))),
        true => chosen(|explains| matches!(explains, KoordinatorDifference::Allows(applies) if applies(it))),
    };
    let possible = it.possible();
    // A plan for several pods is another one than a plan for the pod alone.
    if !found.is_empty() && (!plans || possible.is_empty() || it.policy.nominated.len() > 1) {
        return Ok(found);
    }
    if possible.is_empty() {
        return by_judge(it, AttemptStep::Plan, ask);
    }
    let mut forbidden: Vec<&'static str> = Vec::new();
    for (node, plan) in &possible {
        let of_it = forbids(it, node, plan);
        if of_it.is_empty() {
            return by_judge(it, AttemptStep::Plan, ask);
        }
        forbidden.extend(of_it);
    }
    forbidden.sort_unstable();
    forbidden.dedup();
    Ok(forbidden)
}

/// Returns the rulings by which the policy does not make a plan of upstream.
fn forbids(it: &KoordinatorSituation<'_>, node: &str, plan: &UpstreamPlan) -> Vec<&'static str> {
    chosen(|explains| matches!(explains, KoordinatorDifference::Forbids(forbids) if forbids(it, node, plan)))
}
