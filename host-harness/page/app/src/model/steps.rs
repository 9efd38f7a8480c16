//! A decision step by step: queue order, pre-filter, filter, dry run, reprieve, plan, verify. All of it is read from the explanation.

use super::quantity::counted;
use super::results::REJECTED;
use super::why::{ReasonItem, ReasonSection, is_now, one, reason_items};
use crate::data::{
    AttemptExplanationView, AttemptView, CycleView, ExplainedPodView, ExplanationView, NoteView, PlanView,
};

#[cfg(test)]
mod tests;

/// A step of a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionStep {
    /// Its name.
    pub name: &'static str,
    /// What happens in it.
    pub what: &'static str,
    /// How it ended, in words.
    pub end: String,
    /// The reasons in this step, under titles.
    pub parts: Vec<ReasonSection>,
}

/// The names of the steps, and what happens in each.
const STAGES: [(&str, &str); 7] = [
    ("Queue order", "The pods that wait are tried one after the other, in the order of the queue."),
    ("Pre-filter", "Before any node is looked at: may the pod or its job start at all?"),
    ("Filter", "Which nodes take the pod as they are?"),
    ("Dry run", "Which nodes would take it if candidates were evicted? Laws spare pods that may not be evicted."),
    (
        "Reprieve",
        "Candidates are taken back out of the victims, one by one, where the plan works without their eviction.",
    ),
    ("Plan", "The nominations and the victims: all of it is carried out, or nothing."),
    ("Verify", "The host checks the answer against the cluster before it carries anything out."),
];

/// Returns the steps of the decision about the pods of an answer. For a gang, they are those of the pod with the longest explanation. `None`: no pod
/// was tried.
pub fn stages(answer: &ExplanationView, cycle: &CycleView) -> Option<(String, Vec<DecisionStep>)> {
    let most = |why: &&ExplainedPodView| explanation(why).map(|it| it.notes.len().saturating_add(1)).unwrap_or(0);
    let why = answer.pods.iter().rev().max_by_key(most)?;
    let nothing = AttemptExplanationView::default();
    let told = explanation(why).unwrap_or(&nothing);
    let attempt = why.attempts.last();
    if attempt.is_none() && why.held_back.is_none() && explanation(why).is_none() {
        return None;
    }
    let plan = cycle.plans.iter().rev().find(|plan| plan.nominated.contains_key(&why.pod));
    let said = [
        queue_order(why, cycle),
        pre_filter(why, attempt, told),
        filter(attempt, told),
        dry_run(told),
        reprieve(told),
        planned(why, plan, cycle, told),
        verify(why, plan, cycle),
    ];
    let stage = |((name, what), (end, parts)): ((&'static str, &'static str), StepSummary)| DecisionStep {
        name,
        what,
        end,
        parts,
    };
    Some((why.pod.clone(), STAGES.into_iter().zip(said).map(stage).collect()))
}

/// The end of a step, and the reasons in it.
type StepSummary = (String, Vec<ReasonSection>);

fn explanation(why: &ExplainedPodView) -> Option<&AttemptExplanationView> {
    let attempts = why.attempts.iter().rev().filter_map(|attempt| attempt.explanation.as_ref());
    attempts.chain(&why.explanation).next()
}

fn parts(parts: impl IntoIterator<Item = (&'static str, Vec<ReasonItem>)>) -> Vec<ReasonSection> {
    let there = parts.into_iter().filter(|(_, items)| !items.is_empty());
    there.map(|(title, items)| ReasonSection { title, items }).collect()
}

fn queue_order(why: &ExplainedPodView, cycle: &CycleView) -> StepSummary {
    let said = parts([("Not tried because", why.held_back.iter().map(one).collect())]);
    let Some(place) = cycle.attempts.iter().position(|attempt| attempt.pod == why.pod) else {
        let end = match why.held_back {
            Some(_) => "It was not tried.",
            None => "It has no attempt of its own: it was decided about together with others.",
        };
        return (end.to_owned(), said);
    };
    let before = place.checked_sub(1).and_then(|at| cycle.attempts.get(at));
    let behind = before.map(|before| format!(", behind {}", before.pod)).unwrap_or_default();
    let number = place.saturating_add(1);
    (format!("It was tried as number {number} of {}{behind}.", cycle.attempts.len()), said)
}

fn pre_filter(why: &ExplainedPodView, attempt: Option<&AttemptView>, told: &AttemptExplanationView) -> StepSummary {
    let Some(attempt) = attempt else {
        let end = if why.held_back.is_some() {
            "It did not come to this."
        } else {
            "What bars the pod, its job or its queue."
        };
        return (end.to_owned(), parts([("In the way", failed_constraints(told))]));
    };
    match &attempt.reason {
        Some(reason) if attempt.result == REJECTED => {
            let mut items = vec![one(reason)];
            items.extend(failed_constraints(told).into_iter().filter(|item| item.law != reason.code));
            ("It was refused.".to_owned(), parts([("Refused because", items)]))
        }
        _ => ("It passed.".to_owned(), Vec::new()),
    }
}

fn filter(attempt: Option<&AttemptView>, told: &AttemptExplanationView) -> StepSummary {
    let end = match attempt {
        Some(attempt) if attempt.result == REJECTED => "No node was asked: it was refused before.".to_owned(),
        Some(AttemptView { result, node: Some(node), .. }) if result == "Scheduled" || result == "Waiting" => {
            format!("{node} takes it as it is.")
        }
        Some(AttemptView { nodes: Some(nodes), .. }) => format!("None of {} nodes takes it as it is.", nodes.nodes),
        _ => String::new(),
    };
    let items = reason_items(told, &["node"], &["chosen", "barred", "unneeded"], "node", &is_now);
    (end, parts([("Nodes as they are", items)]))
}

fn dry_run(told: &AttemptExplanationView) -> StepSummary {
    let all = |_: &NoteView| true;
    let later = |note: &NoteView| !is_now(note);
    let said = parts([
        ("Spared because", reason_items(told, &["pod"], &["spared"], "pod", &all)),
        ("Nodes after evictions", reason_items(told, &["node"], &["chosen", "barred", "unneeded"], "node", &later)),
        ("Would have been enough", reason_items(told, &["node", "pod"], &["enough"], "", &all)),
    ]);
    let end = if said.is_empty() { "No eviction was tried." } else { "" };
    (end.to_owned(), said)
}

fn reprieve(told: &AttemptExplanationView) -> StepSummary {
    let all = |_: &NoteView| true;
    let said = parts([
        ("Reprieved: they stay after all", reason_items(told, &["pod"], &["reprieved"], "pod", &all)),
        ("Needed: they cannot be reprieved", reason_items(told, &["pod"], &["needed"], "pod", &all)),
        ("Candidates that stay", reason_items(told, &["pod"], &["unneeded"], "pod", &all)),
    ]);
    let end = if said.is_empty() { "There was nothing to reprieve." } else { "" };
    (end.to_owned(), said)
}

fn planned(
    why: &ExplainedPodView,
    plan: Option<&PlanView>,
    cycle: &CycleView,
    told: &AttemptExplanationView,
) -> StepSummary {
    let all = |_: &NoteView| true;
    let mut said = parts([
        ("What happens", reason_items(told, &["preemptor", "queue"], &["chosen"], "", &all)),
        ("Victims, evicted because", reason_items(told, &["pod"], &["needed", "chosen"], "pod", &all)),
    ]);
    let bound = cycle.bound.get(&why.pod).or_else(|| cycle.waiting.get(&why.pod));
    let end = match (plan, bound) {
        (Some(plan), _) => format!(
            "Plan {}: {} nominated, {} evicted.",
            plan.plan,
            counted(plan.nominated.len(), "pod"),
            counted(plan.victims.len(), "pod")
        ),
        (None, Some(node)) => format!("No plan was needed: it gets {node}."),
        (None, None) => "There is no plan.".to_owned(),
    };
    if plan.is_none() && bound.is_none() {
        let preemption = why.attempts.last().and_then(|attempt| attempt.preemption.as_ref());
        said.extend(parts([("No plan because", preemption.into_iter().map(one).collect())]));
    }
    (end, said)
}

fn verify(why: &ExplainedPodView, plan: Option<&PlanView>, cycle: &CycleView) -> StepSummary {
    let refused = cycle.refused.iter().filter(|refused| refused.preemptor.as_ref() == Some(&why.pod));
    let said = parts([("The host refused a plan because", refused.map(|refused| one(&refused.reason)).collect())]);
    let placed = cycle.bound.contains_key(&why.pod) || cycle.waiting.contains_key(&why.pod);
    let end = match (plan, said.is_empty()) {
        (Some(plan), _) => format!("Plan {} holds: it is carried out.", plan.plan),
        (None, false) => "Nothing of it is carried out.".to_owned(),
        (None, true) if placed => "The node has room, and no rule is broken.".to_owned(),
        (None, true) => "There is nothing to verify.".to_owned(),
    };
    (end, said)
}

/// Returns the failed constraints of the pod, its job or its queue.
fn failed_constraints(told: &AttemptExplanationView) -> Vec<ReasonItem> {
    reason_items(told, &["preemptor", "queue"], &["barred"], "", &|_| true)
}
