//! Which rulings explain a difference.

use super::Stage;
use super::answer::Plan;
use super::books::{TERMS, Term};
use super::departures::{Explains, RULES, Rule};
use super::situations::is_under_way;
use super::view::{Ended, View};
use crate::trial::{Ask, TrialError};

/// Returns the rulings that explain a difference at a step; none where it is not explained in full.
///
/// # Errors
/// The judge has no answer to another question.
pub(super) fn explain(it: &View<'_>, stage: Stage, ask: &mut Ask<'_>) -> Result<Vec<&'static str>, TrialError> {
    match stage {
        Stage::Quota => Ok(by_formula(it)),
        Stage::Plan => by_plans(it, ask),
        Stage::Usage => Ok(Vec::new()),
        Stage::Gang | Stage::Node | Stage::Permit | Stage::Held | Stage::Nomination => {
            let found = chosen(|explains| matches!(explains, Explains::At(at, applies) if *at == stage && applies(it)));
            if found.is_empty() { asked(it, stage, ask) } else { Ok(found) }
        }
    }
}

/// Returns the rulings that explain a difference by any part of theirs.
fn chosen(mut explains: impl FnMut(&Explains) -> bool) -> Vec<&'static str> {
    let rules = RULES.iter().filter(|rule| rule.explains.iter().any(&mut explains));
    rules.map(|rule: &Rule| rule.departure.id).collect()
}

/// Returns the rulings that explain a difference by another question.
fn asked(it: &View<'_>, stage: Stage, ask: &mut Ask<'_>) -> Result<Vec<&'static str>, TrialError> {
    let mut found = Vec::new();
    for rule in RULES {
        for explains in rule.explains {
            if let Explains::Asks(at, applies) = explains
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
fn by_formula(it: &View<'_>) -> Vec<&'static str> {
    let upstream = !it.is_refused_by_quota();
    if it.admits(&[], &[]) != upstream || it.admits(&TERMS, &[]) == upstream {
        return Vec::new();
    }
    let turns = |terms: &[Term]| it.admits(terms, &[]) != upstream;
    let without = |term: Term| TERMS.into_iter().filter(|other| *other != term).collect::<Vec<Term>>();
    let needed = chosen(|explains| matches!(explains, Explains::Counts(term) if !turns(&without(*term))));
    if !needed.is_empty() {
        return needed;
    }
    // Several of them would do.
    let alone = chosen(|explains| matches!(explains, Explains::Counts(term) if turns(&[*term])));
    if !alone.is_empty() {
        return alone;
    }
    let with = |term: Term| TERMS.into_iter().any(|other| turns(&[term, other]));
    chosen(|explains| matches!(explains, Explains::Counts(term) if with(*term)))
}

/// Returns the rulings that explain other plans.
fn by_plans(it: &View<'_>, ask: &mut Ask<'_>) -> Result<Vec<&'static str>, TrialError> {
    let plans = it.policy.ended == Ended::Plans;
    // The policy makes no second plan before the first one is done.
    if plans && is_under_way(it) {
        return Ok(Vec::new());
    }
    let found = match plans {
        false => chosen(|explains| matches!(explains, Explains::Stops(applies) if applies(it))),
        true => chosen(|explains| matches!(explains, Explains::Allows(applies) if applies(it))),
    };
    let possible = it.possible();
    // A plan for several pods is another one than a plan for the pod alone.
    if !found.is_empty() && (!plans || possible.is_empty() || it.policy.nominated.len() > 1) {
        return Ok(found);
    }
    if possible.is_empty() {
        return asked(it, Stage::Plan, ask);
    }
    let mut forbidden: Vec<&'static str> = Vec::new();
    for (node, plan) in &possible {
        let of_it = forbids(it, node, plan);
        if of_it.is_empty() {
            return asked(it, Stage::Plan, ask);
        }
        forbidden.extend(of_it);
    }
    forbidden.sort_unstable();
    forbidden.dedup();
    Ok(forbidden)
}

/// Returns the rulings by which the policy does not make a plan of upstream.
fn forbids(it: &View<'_>, node: &str, plan: &Plan) -> Vec<&'static str> {
    chosen(|explains| matches!(explains, Explains::Forbids(forbids) if forbids(it, node, plan)))
}
