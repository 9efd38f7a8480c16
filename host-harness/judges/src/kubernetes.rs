//! kube-scheduler: compares an attempt, and names the rulings by which the system `kubernetes` departs from it.

mod answer;
mod departures;
mod groups;
#[cfg(test)]
mod tests;
mod whole;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::departure::{AttemptComparison, PolicyAttempt, UpstreamDeparture};
use crate::object::{is_nominated, is_terminating, list, name, pods, text, texts};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError, UpstreamDifference};
use answer::{KubernetesResponse, UpstreamPlan, UpstreamPreemption};
use departures::{READINGS, RULES};
pub(crate) use groups::{PodGroupRound, group_of};

/// One attempt, of which policy and upstream may judge differently.
struct Situation<'s> {
    /// The cluster before the attempt, in which the pods at Permit run.
    question: &'s JudgeRequest,
    /// The cluster in which they wait.
    waiting_at_permit: &'s JudgeRequest,
    /// The pod that is tried.
    pod: &'s Value,
    /// The outcome of the policy, in the format of `lictor test --output json`.
    outcome: &'s Value,
    answer: &'s KubernetesResponse,
    /// Whether pods that are leaving count as gone.
    has_left: bool,
}

/// Returns the rulings by which the system `kubernetes` departs from kube-scheduler.
pub(crate) fn departures() -> impl Iterator<Item = UpstreamDeparture> {
    let readings = READINGS.iter().map(|reading| reading.departure);
    let of_pods = RULES.iter().map(|rule| rule.departure);
    let of_groups = groups::RULES.iter().map(|rule| rule.departure).chain([groups::GATED]);
    let mut known = BTreeSet::new();
    readings.chain(of_pods).chain(of_groups).filter(move |departure| known.insert(departure.id))
}

/// Compares an attempt. First the rulings are asked that explain the difference, then those that read the cluster in another way, then the first
/// ones again.
///
/// # Errors
/// The judge has no answer.
pub(crate) fn judge(attempt: &PolicyAttempt<'_>, ask: &mut JudgeClient<'_>) -> Result<AttemptComparison, TrialError> {
    let PolicyAttempt { question: held, pod, outcome } = *attempt;
    if let Some(group) = group_of(pod) {
        return outside_a_round(attempt, &group, ask);
    }
    let mut question = held.with_waiting_bound();
    let mut answer: KubernetesResponse = ask.request(&question)?;
    let situation =
        Situation { question: &question, waiting_at_permit: held, pod, outcome, answer: &answer, has_left: false };
    let Err(difference) = compare(&situation) else { return Ok(AttemptComparison::Same) };
    // A pod gets no second plan while the victims of its last one are leaving: no ruling explains one.
    if is_planned_again(&situation) {
        return Ok(AttemptComparison::Differs(difference));
    }
    if let Some(ruling) = explaining(&situation, ask)? {
        return Ok(AttemptComparison::Ruled(vec![ruling]));
    }
    let mut rulings = Vec::new();
    for reading in READINGS {
        let mut read = question.clone();
        (reading.read)(&mut read);
        if read == question {
            continue;
        }
        let before = std::mem::replace(&mut answer, ask.request(&read)?);
        question = read;
        let has_left = reading.departure == departures::LEAVING;
        let situation =
            Situation { question: &question, waiting_at_permit: held, pod, outcome, answer: &answer, has_left };
        let is_alike = compare(&situation).is_ok();
        if answer != before || is_alike {
            rulings.push(reading.departure.id);
        }
        if is_alike {
            return Ok(AttemptComparison::Ruled(rulings));
        }
        if let Some(ruling) = explaining(&situation, ask)? {
            rulings.push(ruling);
            return Ok(AttemptComparison::Ruled(rulings));
        }
    }
    Ok(AttemptComparison::Differs(difference))
}

/// Returns whether the policy plans for a nominated pod while a less important victim of its last plan is leaving its node.
fn is_planned_again(it: &Situation<'_>) -> bool {
    let victims = it.question.memory.plans.get(&name(it.pod));
    let node = text(it.pod, "/status/nominatedNodeName");
    let priority = |pod: &Value| pod.pointer("/spec/priority").and_then(Value::as_i64).unwrap_or(0);
    let is_left = |other: &Value| {
        let is_victim = victims.is_some_and(|victims| victims.contains(&name(other)));
        is_victim
            && is_terminating(other)
            && text(other, "/spec/nodeName") == node
            && priority(other) < priority(it.pod)
    };
    text(it.outcome, "/result") == "Nominated" && is_nominated(it.pod) && pods(&it.question.objects).any(is_left)
}

/// Returns the first ruling that explains a difference.
fn explaining(it: &Situation<'_>, ask: &mut JudgeClient<'_>) -> Result<Option<&'static str>, TrialError> {
    for rule in RULES {
        if (rule.explains)(it, ask)? {
            return Ok(Some(rule.departure.id));
        }
    }
    Ok(None)
}

/// Compares that nothing comes of an attempt for a pod of a PodGroup that upstream does not try, as ruling K76 reads the cluster.
fn outside_a_round(
    attempt: &PolicyAttempt<'_>,
    group: &str,
    ask: &mut JudgeClient<'_>,
) -> Result<AttemptComparison, TrialError> {
    let PolicyAttempt { question: held, pod, outcome } = *attempt;
    const WAITING: AttemptComparison = AttemptComparison::NotCompared("pods of a group of which others wait at Permit");
    if groups::waits_at_permit(held, group) {
        return Ok(WAITING);
    }
    let mut question = held.clone();
    groups::take_out_gated(&mut question, group);
    let answer: KubernetesResponse = ask.request(&question)?;
    if answer.untried.is_none() {
        return Ok(WAITING);
    }
    let situation =
        Situation { question: &question, waiting_at_permit: held, pod, outcome, answer: &answer, has_left: false };
    Ok(match text(outcome, "/result") {
        "Unschedulable" | "Rejected" => AttemptComparison::Same,
        result => AttemptComparison::Differs(difference("upstream/untried", &situation, format!("tries it: {result}"))),
    })
}

/// Compares the outcome of an attempt with what upstream decides.
fn compare(it: &Situation<'_>) -> Result<(), UpstreamDifference> {
    let node = text(it.outcome, "/node");
    match text(it.outcome, "/result") {
        "Scheduled" => bound(it, node),
        "Nominated" => planned(it, node),
        _ => refused(it),
    }
}

/// Compares a binding.
fn bound(it: &Situation<'_>, node: &str) -> Result<(), UpstreamDifference> {
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
fn planned(it: &Situation<'_>, node: &str) -> Result<(), UpstreamDifference> {
    let victims = list(it.outcome, "victims");
    if it.has_left && victims.is_empty() && it.answer.feasible.iter().any(|fits| fits == node) {
        return Ok(());
    }
    let text = || format!("evicts {victims:?} on `{node}`");
    let mut there = it.answer.preemption.plans.iter().filter(|plan| plan.node == node).flat_map(|plan| {
        let alternatives = plan.alternatives.iter();
        std::iter::once(plan).chain(alternatives)
    });
    let wanted: BTreeSet<&String> = victims.iter().collect();
    let is_same = |plan: &UpstreamPlan| plan.victims.iter().collect::<BTreeSet<_>>() == wanted;
    match there.find(|plan| is_same(plan)) {
        None => return Err(difference("upstream/victims", it, text())),
        Some(plan) if !plan.possible => return Err(difference("upstream/plan", it, text())),
        Some(_) => {}
    }
    let standing = texts(it.outcome, "standing");
    let cleared: BTreeSet<&str> = it.answer.preemption.cleared(node).map(String::as_str).collect();
    let others =
        pods(&it.question.objects).filter(|pod| is_nominated(pod)).map(name).filter(|pod| *pod != name(it.pod));
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

/// Compares that there is neither a node nor a plan. A nominated pod that could have its node once leaving pods are gone waits for them.
fn refused(it: &Situation<'_>) -> Result<(), UpstreamDifference> {
    let keeps = texts(it.outcome, "standing").contains_key(&name(it.pod));
    if it.has_left && keeps && it.answer.nominated {
        return Ok(());
    }
    if !it.answer.feasible.is_empty() {
        return Err(difference("upstream/node", it, "finds no node".to_owned()));
    }
    if !it.answer.preemption.plans.is_empty() {
        return Err(difference("upstream/plan", it, "finds no plan".to_owned()));
    }
    match !is_nominated(it.pod) || keeps == it.answer.preemption.keeps_nomination {
        true => Ok(()),
        false => {
            let verb = if keeps { "keeps" } else { "withdraws" };
            Err(difference("upstream/nominations", it, format!("{verb} its nomination")))
        }
    }
}

/// Returns a difference, with what both decide.
fn difference(kind: &'static str, it: &Situation<'_>, policy: String) -> UpstreamDifference {
    let pod = name(it.pod);
    let answer = it.answer;
    let UpstreamPreemption { ineligible, plans, keeps_nomination, clears } = &answer.preemption;
    let no_plan = answer.untried.as_ref().or(answer.failed.as_ref()).or(ineligible.as_ref());
    let upstream = match (answer.feasible.is_empty(), answer.best.is_empty(), no_plan) {
        (false, _, _) if answer.nominated => "binds it to the node that it is nominated to".to_owned(),
        (false, _, _) => format!("binds it to one of {:?}", answer.feasible),
        (true, false, _) => {
            let plans = plans.iter().filter(|plan| answer.best.contains(&plan.node));
            let plans: Vec<String> = plans.map(|plan| format!("{:?} on `{}`", plan.victims, plan.node)).collect();
            let clears = if clears.is_empty() { String::new() } else { format!(", clears {clears:?}") };
            format!("evicts {}{clears}", plans.join(" or "))
        }
        (true, true, Some(why)) => format!("finds no node, and makes no plan ({why})"),
        (true, true, None) => "finds neither a node nor a plan".to_owned(),
    };
    let kept = if *keeps_nomination { ", and keeps its nomination" } else { "" };
    let reason = text(it.outcome, "/reason");
    UpstreamDifference { kind, text: format!("`{pod}`: the policy {policy} ({reason}); upstream {upstream}{kept}") }
}
