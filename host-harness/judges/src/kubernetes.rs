//! kube-scheduler: compares an attempt, and names the rulings by which the system `kubernetes` departs from it.

mod answer;
mod departures;
mod groups;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::departure::{Attempt, Departure, Verdict};
use crate::object::{is_nominated, list, name, pods, text, texts};
use crate::trial::{Ask, Difference, TrialError};
use answer::{Answer, Plan};
use departures::RULES;
pub(crate) use groups::{Round, group_of};

/// One attempt, of which policy and upstream may judge differently.
struct Situation<'s> {
    /// The cluster before the attempt.
    objects: &'s [Value],
    /// The pod that is tried.
    pod: &'s Value,
    /// The outcome of the policy, in the format of `lictor test --output json`.
    outcome: &'s Value,
    answer: &'s Answer,
}

/// Returns the rulings by which the system `kubernetes` departs from kube-scheduler.
pub(crate) fn departures() -> impl Iterator<Item = Departure> {
    let is_new = |departure: &Departure| RULES.iter().all(|rule| rule.departure.id != departure.id);
    let of_groups = groups::RULES.iter().map(|rule| rule.departure).filter(is_new);
    RULES.iter().map(|rule| rule.departure).chain(of_groups)
}

/// Compares an attempt. The first ruling whose situation it is explains a difference.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(attempt: &Attempt<'_>, ask: &mut Ask<'_>) -> Result<Verdict, TrialError> {
    let Attempt { question, pod, outcome } = attempt;
    let reason = not_compared(&question.objects);
    if let Some(reason) = reason.filter(|_| group_of(pod).is_none()) {
        return Ok(Verdict::NotCompared(reason));
    }
    let answer: Answer = ask.answer(question)?;
    if let Some(reason) = reason {
        return Ok(untried(attempt, &answer).unwrap_or(Verdict::NotCompared(reason)));
    }
    let situation = Situation { objects: &question.objects, pod, outcome, answer: &answer };
    let Err(difference) = compare(&situation) else { return Ok(Verdict::Alike) };
    let mut applies = RULES.iter().filter(|rule| (rule.applies)(&situation));
    Ok(applies.next().map_or(Verdict::Differs(difference), |rule| Verdict::Ruled(vec![rule.departure.id])))
}

/// Returns why the attempts of a cluster are not compared.
fn not_compared(objects: &[Value]) -> Option<&'static str> {
    pods(objects).any(|pod| group_of(pod).is_some()).then_some("single pods beside PodGroups")
}

/// Compares that nothing comes of an attempt for a pod of a PodGroup. None: upstream makes an attempt, too.
fn untried(attempt: &Attempt<'_>, answer: &Answer) -> Option<Verdict> {
    let Attempt { question, pod, outcome } = attempt;
    let has_gates = |pod: &Value| pod.pointer("/spec/schedulingGates").is_some();
    // Upstream keeps a whole group back for a gate of one pod, the policy that pod alone: no ruling says so yet.
    if answer.untried.is_none() || pods(&question.objects).any(has_gates) {
        return None;
    }
    let situation = Situation { objects: &question.objects, pod, outcome, answer };
    Some(match text(outcome, "/result") {
        "Unschedulable" | "Rejected" => Verdict::Alike,
        result => Verdict::Differs(difference("upstream/untried", &situation, format!("tries it: {result}"))),
    })
}

/// Compares the outcome of an attempt with what upstream decides.
fn compare(it: &Situation<'_>) -> Result<(), Difference> {
    let node = text(it.outcome, "/node");
    match text(it.outcome, "/result") {
        "Scheduled" => bound(it, node),
        "Nominated" => planned(it, node),
        _ => refused(it),
    }
}

/// Compares a binding.
fn bound(it: &Situation<'_>, node: &str) -> Result<(), Difference> {
    let nominated = text(it.pod, "/status/nominatedNodeName");
    let is_right =
        if it.answer.nominated { node == nominated } else { it.answer.feasible.iter().any(|fits| fits == node) };
    let refusal = it.answer.refused.get(node);
    let why =
        refusal.map(|refusal| format!(", which {} refuses: {}", refusal.plugin, refusal.reason)).unwrap_or_default();
    match is_right {
        true => Ok(()),
        false => Err(difference("upstream/node", it, format!("binds it to `{node}`{why}"))),
    }
}

/// Compares a plan.
fn planned(it: &Situation<'_>, node: &str) -> Result<(), Difference> {
    let victims = list(it.outcome, "victims");
    let text = || format!("evicts {victims:?} on `{node}`");
    let mut there = it.answer.plans.iter().filter(|plan| plan.node == node).flat_map(|plan| {
        let alternatives = plan.alternatives.iter();
        std::iter::once(plan).chain(alternatives)
    });
    let wanted: BTreeSet<&String> = victims.iter().collect();
    let is_same = |plan: &Plan| plan.victims.iter().collect::<BTreeSet<_>>() == wanted;
    match there.find(|plan| is_same(plan)) {
        None => return Err(difference("upstream/victims", it, text())),
        Some(plan) if !plan.possible => return Err(difference("upstream/plan", it, text())),
        Some(_) => {}
    }
    let standing = texts(it.outcome, "standing");
    let cleared: BTreeSet<&str> = it.answer.clears.get(node).into_iter().flatten().map(String::as_str).collect();
    let others = pods(it.objects).filter(|pod| is_nominated(pod)).map(name).filter(|pod| *pod != name(it.pod));
    let lost: BTreeSet<String> = others.filter(|pod| !standing.contains_key(pod)).collect();
    match lost.iter().map(String::as_str).collect::<BTreeSet<_>>() == cleared {
        true => Ok(()),
        false => Err(difference(
            "upstream/nominations",
            it,
            format!("{}, and withdraws the nominations of {lost:?}", text()),
        )),
    }
}

/// Compares that there is neither a node nor a plan.
fn refused(it: &Situation<'_>) -> Result<(), Difference> {
    if !it.answer.feasible.is_empty() {
        return Err(difference("upstream/node", it, "finds no node".to_owned()));
    }
    if !it.answer.plans.is_empty() {
        return Err(difference("upstream/plan", it, "finds no plan".to_owned()));
    }
    let keeps = texts(it.outcome, "standing").contains_key(&name(it.pod));
    match !is_nominated(it.pod) || keeps == it.answer.keeps_nomination {
        true => Ok(()),
        false => {
            let verb = if keeps { "keeps" } else { "withdraws" };
            Err(difference("upstream/nominations", it, format!("{verb} its nomination")))
        }
    }
}

/// Returns a difference, with what both decide.
fn difference(kind: &'static str, it: &Situation<'_>, policy: String) -> Difference {
    let pod = name(it.pod);
    let answer = it.answer;
    let no_plan = answer.untried.as_ref().or(answer.failed.as_ref()).or(answer.ineligible.as_ref());
    let upstream = match (answer.feasible.is_empty(), answer.best.is_empty(), no_plan) {
        (false, _, _) if answer.nominated => "binds it to the node that it is nominated to".to_owned(),
        (false, _, _) => format!("binds it to one of {:?}", answer.feasible),
        (true, false, _) => {
            let plans = answer.plans.iter().filter(|plan| answer.best.contains(&plan.node));
            let plans: Vec<String> = plans.map(|plan| format!("{:?} on `{}`", plan.victims, plan.node)).collect();
            let clears = if answer.clears.is_empty() { String::new() } else { format!(", clears {:?}", answer.clears) };
            format!("evicts {}{clears}", plans.join(" or "))
        }
        (true, true, Some(why)) => format!("finds no node, and makes no plan ({why})"),
        (true, true, None) => "finds neither a node nor a plan".to_owned(),
    };
    let kept = if answer.keeps_nomination { ", and keeps its nomination" } else { "" };
    let reason = text(it.outcome, "/reason");
    Difference { kind, text: format!("`{pod}`: the policy {policy} ({reason}); upstream {upstream}{kept}") }
}
