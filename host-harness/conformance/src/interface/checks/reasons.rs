//! Reasons, effects and retry hints: what answers of all interfaces have in common.

use std::collections::BTreeSet;

use lictor_contract::*;

use super::super::check::{Check, ensure};
use super::super::exchange::Exchange;
use super::super::lab::{CheckContext, CheckResult};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "core/reasons-have-codes",
        demands: "Every reason has a code, and no two facts of a reason have the same name",
        rule: "wit/answers.wit, reason",
        remedy: "give each law or rule a code such as `system/law`, and each fact a name of its own",
        verdict: |lab| lab.each(|exchange| of_reasons(exchange, codes)),
    },
    Check {
        id: "core/reasons-are-registered",
        demands: "Where a system has templates, every code and case of its reasons has one",
        rule: "wit/core.wit, template",
        remedy: "add a template for the code and the case to `system-info.templates`",
        verdict: registered,
    },
    Check {
        id: "core/reasons-have-their-facts",
        demands: "A reason has every fact that its template names outside of `[...]`",
        rule: "wit/core.wit, template",
        remedy: "add the fact to the reason, or write the part of the template into `[...]`",
        verdict: facts,
    },
    Check {
        id: "core/facts-name-what-is-told",
        demands: "Facts and effects name pods, nodes and resources that the policy was told",
        rule: "wit/answers.wit, effects",
        remedy: "keep the numbers as they were told, and forget them when the object is gone",
        verdict: |lab| lab.each(known_numbers),
    },
    Check {
        id: "core/retry-names-events",
        demands: "`retry.after` names events: `pod-removed` and the like, those of objects with `/Kind`",
        rule: "wit/answers.wit, retry.after",
        remedy: "write the names of events as `answers.wit` has them",
        verdict: |lab| lab.each(retries),
    },
];

/// Checks each reason of an answer.
fn of_reasons(exchange: &Exchange, look: impl Fn(&Reason) -> Result<(), String>) -> Option<Result<(), String>> {
    let reasons = exchange.reasons();
    (!reasons.is_empty()).then(|| reasons.into_iter().try_for_each(look))
}

fn codes(reason: &Reason) -> Result<(), String> {
    ensure(!reason.code.is_empty(), || "a reason has no code".to_owned())?;
    let mut names = BTreeSet::new();
    let twice = reason.facts.iter().find(|fact| fact.name.is_empty() || !names.insert(&fact.name));
    let wrong =
        |fact: &Fact| Err(format!("`{}` has the fact `{}` twice, or one without a name", reason.code, fact.name));
    twice.map_or(Ok(()), wrong)
}

fn template<'a>(lab: &'a CheckContext<'_>, reason: &Reason) -> Option<&'a Template> {
    lab.system.templates.iter().find(|it| (&it.code, &it.case) == (&reason.code, &reason.case))
}

fn registered(lab: &CheckContext<'_>) -> CheckResult {
    if lab.system.templates.is_empty() {
        return Ok(0);
    }
    lab.each(|exchange| {
        of_reasons(exchange, |reason| {
            ensure(template(lab, reason).is_some(), || {
                format!("no template is for `{}` `{}`", reason.code, reason.case)
            })
        })
    })
}

fn facts(lab: &CheckContext<'_>) -> CheckResult {
    lab.each(|exchange| {
        of_reasons(exchange, |reason| {
            let Some(template) = template(lab, reason) else { return Ok(()) };
            let missing =
                demanded(&template.text).into_iter().find(|name| !reason.facts.iter().any(|fact| fact.name == *name));
            ensure(missing.is_none(), || {
                format!("a reason `{}` `{}` lacks the fact `{}`", reason.code, reason.case, missing.unwrap_or_default())
            })
        })
    })
}

/// Returns the names of the facts that a template uses outside of `[...]`.
fn demanded(text: &str) -> Vec<&str> {
    let parts = text.split('[').enumerate();
    let kept =
        parts.map(|(place, part)| if place == 0 { part } else { part.split_once(']').map_or("", |(_, rest)| rest) });
    let named = kept.flat_map(|part| part.split('{').skip(1)).filter_map(|rest| rest.split('}').next());
    let named = named.map(|name| name.split(':').next().unwrap_or(name));
    named.map(|name| name.trim_start_matches('~')).filter(|name| *name != "resource").collect()
}

fn known_numbers(exchange: &Exchange) -> Option<Result<(), String>> {
    let known = &exchange.received;
    let pod = |pod: &PodId| ensure(known.pods.contains_key(pod), || format!("no pod has the number {pod}"));
    let facts: Vec<&Fact> = exchange.reasons().into_iter().flat_map(|reason| &reason.facts).collect();
    let effects = exchange.effects();
    if facts.is_empty() && effects.is_none() {
        return None;
    }
    let fact = |fact: &&Fact| match &fact.value {
        FactValue::Pod(number) => pod(number),
        FactValue::Node(node) => ensure(known.nodes.contains_key(node), || format!("no node has the number {node}")),
        FactValue::Amounts(amounts) => {
            let strange =
                amounts.iter().find(|it| usize::try_from(it.resource).is_ok_and(|at| at >= known.resources.len()));
            strange.map_or(Ok(()), |it| Err(format!("no resource has the number {}", it.resource)))
        }
        _ => Ok(()),
    };
    let named = effects.into_iter().flat_map(|it| it.releases.iter().chain(&it.admits).chain(&it.withdrawn));
    Some(facts.iter().try_for_each(fact).and_then(|()| named.into_iter().try_for_each(pod)))
}

fn retries(exchange: &Exchange) -> Option<Result<(), String>> {
    let retry = exchange.retry()?;
    let is_event = |word: &String| {
        let (event, kind) = word.split_once('/').unwrap_or((word, ""));
        let of_objects =
            matches!(ChangeKind::named(event), Some(ChangeKind::ObjectUpserted | ChangeKind::ObjectRemoved));
        ChangeKind::named(event).is_some() && of_objects != kind.is_empty()
    };
    let strange = retry.after.iter().find(|word| !is_event(word));
    Some(strange.map_or(Ok(()), |word| Err(format!("`retry.after` names `{word}`"))))
}
