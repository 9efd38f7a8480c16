//! The reasons for the state of a pod, in parts: failed constraints, nodes by reason, candidates by law, victims, and pods that are spared.

use crate::data::{AttemptExplanationView, ExplainedPodView, ExplanationView, NoteView, ReasonView};

use super::results::eviction_text;

mod alike;

#[cfg(test)]
mod tests;

/// Pods with the same state and reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct ReasonGroup {
    /// The pods.
    pub pods: Vec<String>,
    /// Their state, in words.
    pub state: String,
    /// The reasons, under titles.
    pub parts: Vec<ReasonSection>,
}

/// The reasons under a title.
#[derive(Debug, Clone, PartialEq)]
pub struct ReasonSection {
    /// The title.
    pub title: &'static str,
    /// The reasons.
    pub items: Vec<ReasonItem>,
}

/// A reason that several pods, nodes or queues share.
#[derive(Debug, Clone, PartialEq)]
pub struct ReasonItem {
    /// The number of them, in words; empty where it adds nothing.
    pub count: String,
    /// The code of the law.
    pub law: String,
    /// The sentence.
    pub text: String,
    /// The facts of both sides, where they are the same for all.
    pub facts: Vec<(String, String)>,
    /// The names of the pods, nodes or queues; pods with their nodes.
    pub names: Vec<String>,
    /// Whether the names are pods, which can be asked about, and not nodes or queues.
    pub are_pods: bool,
}

/// Groups the pods of an answer by state and reasons.
pub fn reason_groups(answer: &ExplanationView) -> Vec<ReasonGroup> {
    let mut all: Vec<ReasonGroup> = Vec::new();
    for why in &answer.pods {
        let told = ReasonGroup { pods: vec![why.pod.clone()], state: state(why), parts: parts(why) };
        match all.iter_mut().find(|known| known.state == told.state && known.parts == told.parts) {
            Some(known) => known.pods.push(why.pod.clone()),
            None => all.push(told),
        }
    }
    all
}

/// Returns the state of a pod in words. An unknown state is shown as the engine names it.
fn state(why: &ExplainedPodView) -> String {
    let node = why.node.as_deref().unwrap_or("its node");
    let said = STATES.iter().find(|(state, _)| *state == why.state).map(|(_, said)| said.replace("{node}", node));
    said.unwrap_or_else(|| why.state.clone())
}

/// The states of the engine, with their words on the page.
const STATES: [(&str, &str); 11] = [
    ("bound", "bound to {node}"),
    ("held", "held for {node}"),
    ("nominated", "nominated to {node}, to be bound when the victims have left"),
    ("unschedulable", "unschedulable"),
    ("rejected", "refused"),
    ("heldBack", "not tried"),
    ("pending", "still pending"),
    ("makesWay", "is evicted from {node}"),
    ("stays", "stays on {node}"),
    ("leaving", "is leaving {node}"),
    ("ended", "has ended"),
];

/// Returns whether the page knows this state of a pod.
pub fn is_known_state(state: &str) -> bool {
    STATES.iter().any(|(known, _)| *known == state)
}

fn parts(why: &ExplainedPodView) -> Vec<ReasonSection> {
    let mut parts = Vec::new();
    let mut say = |title, items: Vec<ReasonItem>| {
        if !items.is_empty() {
            parts.push(ReasonSection { title, items });
        }
    };
    say("Evicted because", why.evicted.iter().map(evicted).collect());
    let standing = |safe: bool| why.standing.iter().filter(|it| it.safe == safe).map(standing).collect();
    say("Safe from every preemptor", standing(true));
    say("Not safe", standing(false));
    say("Not tried because", why.held_back.iter().map(one).collect());
    let looked_at = |spared: bool| {
        let matching = why.looked_at.iter().filter(|said| keeps_node(&said.outcome) == spared);
        let notes: Vec<NoteView> = matching.map(by).collect();
        alike::items(&notes, &[], "")
    };
    say("Needed because", looked_at(false));
    say("Spared because", looked_at(true));
    let attempts = why.attempts.iter().filter_map(|attempt| attempt.explanation.as_ref());
    for explanation in attempts.chain(&why.explanation) {
        let said = |abouts: &[&str], outcomes: &[&str], what: &str, keep: &dyn Fn(&NoteView) -> bool| {
            reason_items(explanation, abouts, outcomes, what, keep)
        };
        let all = |_: &NoteView| true;
        let now = is_now;
        say("In the way", said(&["preemptor", "queue"], &["barred"], "", &all));
        say("What happens", said(&["preemptor", "queue"], &["chosen"], "", &all));
        say("Victims, evicted because", said(&["pod"], &["needed", "chosen"], "pod", &all));
        say("Reprieved: they stay after all", said(&["pod"], &["reprieved"], "pod", &all));
        say("Nodes as they are", said(&["node"], &["chosen", "barred", "unneeded"], "node", &now));
        say("Nodes after evictions", said(&["node"], &["chosen", "barred", "unneeded"], "node", &|note| !now(note)));
        say("Would have been enough", said(&["node", "pod"], &["enough"], "", &all));
        say("Candidates that stay", said(&["pod"], &["unneeded"], "pod", &all));
        say("Spared because", said(&["pod"], &["spared"], "pod", &all));
    }
    parts
}

/// Returns the reasons of an explanation about these things, with these outcomes. Equal reasons are counted as `what`.
pub(super) fn reason_items(
    explanation: &AttemptExplanationView,
    abouts: &[&str],
    outcomes: &[&str],
    what: &str,
    keep: &dyn Fn(&NoteView) -> bool,
) -> Vec<ReasonItem> {
    let is_one = |note: &&NoteView| {
        abouts.contains(&note.about.as_str()) && outcomes.contains(&note.outcome.as_str()) && keep(note)
    };
    let notes: Vec<NoteView> = explanation.notes.iter().filter(is_one).cloned().collect();
    alike::items(&notes, &explanation.counted, what)
}

/// Returns whether a note about a node is about its present state, not that after evictions.
pub(super) fn is_now(note: &NoteView) -> bool {
    note.reason.code.starts_with("host/") || note.reason.code.starts_with("node/")
}

/// Returns whether a pod with this outcome keeps its node.
fn keeps_node(outcome: &str) -> bool {
    !matches!(outcome, "needed" | "chosen")
}

pub(super) fn one(reason: &ReasonView) -> ReasonItem {
    ReasonItem {
        count: String::new(),
        law: reason.code.clone(),
        text: reason.message.clone(),
        facts: alike::facts(reason),
        names: Vec::new(),
        are_pods: false,
    }
}

fn evicted(victim: &crate::data::EvictedView) -> ReasonItem {
    let item = one(&victim.reason);
    let text = format!("{}, plan {}; {}", item.text, victim.plan, eviction_text(&victim.how));
    let (names, are_pods) = match (&victim.preemptor, &victim.queue) {
        (Some(preemptor), _) => (vec![preemptor.clone()], true),
        (None, Some(queue)) => (vec![format!("{queue}, which gives back")], false),
        (None, None) => (Vec::new(), false),
    };
    ReasonItem { text, names, are_pods, count: "for".to_owned(), ..item }
}

fn standing(standing: &crate::data::StandingView) -> ReasonItem {
    one(&ReasonView { message: standing.sentence.clone(), ..ReasonView::default() })
}

fn by(said: &crate::data::ConsideredPodView) -> NoteView {
    let (name, outcome, reason) = (Some(said.by.clone()), said.outcome.clone(), said.reason.clone());
    NoteView { about: "pod".to_owned(), name, node: None, outcome, reason }
}
