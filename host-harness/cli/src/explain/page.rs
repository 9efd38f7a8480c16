//! The answer for people.

use lictor_contract::{Outcome, ReleaseCause};

use super::super::decide::text::head;
use super::super::page::TextPage;
use super::super::screen::Screen;
use super::text::{self, Style};
use lictor_decide::explain::{ConsideredPod, ExplainedPod, ExplainedPodState, ExplanationReport, PodOutcome};
use lictor_decide::jobs::{Jobs, nodes};
use lictor_decide::record::DecisionReport;
use lictor_host::session::{AttemptResult, EvictionMethod, NamedNote, SubjectKind, group_notes};

/// The style of an answer about few pods, which has more space than a table.
const STYLE: Style = Style { indent: 2, names: 12 };

/// Makes the page. Pods with the same explanation form a group.
pub(super) fn page(answer: &ExplanationReport<'_>, record: &DecisionReport, jobs: &Jobs) -> TextPage {
    let mut page = TextPage::new(Screen::stdout());
    head(&mut page, record);
    let bodies = answer.pods.iter().map(|why| {
        let mut body = TextPage::new(Screen::stdout());
        render_pod(&mut body, why);
        let PodOutcome { state, released, .. } = why.fate;
        (why.fate.pod.as_str(), (state, released, body.into_text()))
    });
    for group in jobs.group(bodies.collect::<Vec<_>>()) {
        let fates = answer.pods.iter().map(|why| &why.fate).filter(|fate| group.pods.contains(&fate.pod.as_str()));
        page.heading(&format!("{}: {}", group.label(), words(group.value.0, group.value.1, fates)));
        page.text(&group.value.2);
    }
    others(&mut page, &answer.others_of_the_job, jobs);
    page
}

/// Shows why one pod is in its state.
fn render_pod(page: &mut TextPage, why: &ExplainedPod<'_>) {
    if let Some(evicted) = why.evicted {
        let how = match evicted.how {
            EvictionMethod::Soft => "it is labelled for eviction",
            EvictionMethod::Delete => "it is deleted",
            EvictionMethod::Unreserved => "it gives up the place held for it",
        };
        page.paragraph("  ", 4, &format!("for {}, plan {}: {how}", evicted.for_whom, evicted.plan));
        page.paragraph("  ", 4, &format!("{}: {}", evicted.reason.code, evicted.reason.message));
    }
    for attempt in &why.attempts {
        if let (AttemptResult::Nominated, Some(reason)) = (attempt.result, &attempt.preemption) {
            page.paragraph("  ", 4, &format!("{}: {}", reason.code, reason.message));
        }
        if let Some(explanation) = &attempt.explanation {
            text::render_explanation(page, STYLE, explanation);
        }
    }
    if let Some(reason) = why.held_back {
        page.paragraph("  ", 4, &format!("{}: {}", reason.code, reason.message));
    }
    if let Some(explanation) = why.explanation {
        text::render_explanation(page, STYLE, explanation);
    }
    if let Some(standing) = why.standing {
        page.paragraph("  ", 4, &standing.sentence);
    }
    render_considered(page, why);
}

/// Shows the results for a pod in the attempts for other pods.
fn render_considered(page: &mut TextPage, why: &ExplainedPod<'_>) {
    let holds_a_node =
        matches!(why.fate.state, ExplainedPodState::MakesWay | ExplainedPodState::Stays | ExplainedPodState::Leaving);
    if why.looked_at.is_empty() {
        let gives_back = why.evicted.is_some_and(|evicted| evicted.for_whom.preemptor().is_none());
        if holds_a_node && !gives_back {
            page.paragraph("  ", 4, "nobody looked at it: no attempt looked for victims on its node");
        }
        return;
    }
    page.line("  What the attempts for others said of it");
    let told = |said: &ConsideredPod<'_>| NamedNote {
        about: SubjectKind::Pod,
        name: Some(said.by.to_owned()),
        node: None,
        outcome: said.outcome,
        reason: said.reason.clone(),
    };
    let told: Vec<NamedNote> = why.looked_at.iter().map(told).collect();
    for alike in group_notes(&told) {
        let outcome = alike.notes.first().map_or("", |told| word(told.outcome));
        let text = format!("{outcome}, {}: {}", alike.law(), alike.message());
        text::sentence(page, STYLE, &text, &format!("for {}", text::names(&alike.notes, STYLE.names)));
    }
}

/// Shows the other pods of the job with their states.
fn others(page: &mut TextPage, fates: &[PodOutcome], jobs: &Jobs) {
    if fates.is_empty() {
        return;
    }
    page.heading("The others of its job");
    let told = fates.iter().map(|fate| (fate.pod.as_str(), (fate.state, fate.released)));
    for group in jobs.group(told).into_iter().take(STYLE.names) {
        let these = fates.iter().filter(|fate| group.pods.contains(&fate.pod.as_str()));
        page.paragraph("  ", 4, &format!("{}: {}", group.label(), words(group.value.0, group.value.1, these)));
    }
}

/// Returns the state of pods with the same explanation, in a few words.
fn words<'a>(
    state: ExplainedPodState,
    released: Option<ReleaseCause>,
    fates: impl Iterator<Item = &'a PodOutcome>,
) -> String {
    let node = nodes(fates.filter_map(|fate| fate.node.as_deref()));
    let mut words = match state {
        ExplainedPodState::Bound => format!("bound to {node}"),
        ExplainedPodState::Held => format!("held for {node}"),
        ExplainedPodState::Nominated => format!("nominated to {node}, to be bound when the victims have left"),
        ExplainedPodState::Unschedulable => "unschedulable".to_owned(),
        ExplainedPodState::Rejected => "refused".to_owned(),
        ExplainedPodState::HeldBack => "not tried".to_owned(),
        ExplainedPodState::Pending => "still pending".to_owned(),
        ExplainedPodState::MakesWay => format!("is evicted from {node}"),
        ExplainedPodState::Stays => format!("stays on {node}"),
        ExplainedPodState::Leaving => format!("is leaving {node}"),
        ExplainedPodState::Ended => "has ended".to_owned(),
    };
    let waits = matches!(
        state,
        ExplainedPodState::Unschedulable
            | ExplainedPodState::Rejected
            | ExplainedPodState::HeldBack
            | ExplainedPodState::Pending
    );
    if waits && !node.is_empty() {
        words.push_str(&format!(", nominated to {node} before, and still is"));
    }
    if let Some(cause) = released.filter(|_| waits) {
        let cause = match cause {
            ReleaseCause::Timeout => "it timed out",
            ReleaseCause::Released => "the policy released it",
            ReleaseCause::Preempted => "it was preempted",
            ReleaseCause::Failed => "it could not be bound",
            ReleaseCause::Removed => "it was removed",
        };
        words.push_str(&format!(", after a place was held for it: {cause}"));
    }
    words
}

/// Returns the word for what happened to a pod in the attempt for another pod.
fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Barred => "refused",
        Outcome::Spared => "spared",
        Outcome::Unneeded => "not needed",
        Outcome::Reprieved => "reprieved",
        Outcome::Needed | Outcome::Chosen => "victim",
        Outcome::Enough => "would have been enough",
    }
}
