//! The answer for people.

use lictor_contract::{Outcome, ReleaseCause};

use super::super::decide::text::head;
use super::super::page::Page;
use super::super::screen::Screen;
use super::text::{self, Style};
use lictor_decide::explain::{Answer, Fate, LookedAt, State, Why};
use lictor_decide::jobs::{Jobs, nodes};
use lictor_decide::record::Record;
use lictor_host::session::{About, AttemptResult, How, Reported, alike};

/// The style of an answer about few pods, which has more space than a table.
const STYLE: Style = Style { indent: 2, names: 12 };

/// Makes the page. Pods with the same explanation form a group.
pub(super) fn page(answer: &Answer<'_>, record: &Record, jobs: &Jobs) -> Page {
    let mut page = Page::new(Screen::stdout());
    head(&mut page, record);
    let bodies = answer.pods.iter().map(|why| {
        let mut body = Page::new(Screen::stdout());
        tell(&mut body, why);
        let Fate { state, released, .. } = why.fate;
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
fn tell(page: &mut Page, why: &Why<'_>) {
    if let Some(evicted) = why.evicted {
        let how = match evicted.how {
            How::Soft => "it is labelled for eviction",
            How::Delete => "it is deleted",
            How::Unreserved => "it gives up the place held for it",
        };
        page.paragraph("  ", 4, &format!("for {}, plan {}: {how}", evicted.for_whom, evicted.plan));
        page.paragraph("  ", 4, &format!("{}: {}", evicted.reason.code, evicted.reason.message));
    }
    for attempt in &why.attempts {
        if let (AttemptResult::Nominated, Some(reason)) = (attempt.result, &attempt.preemption) {
            page.paragraph("  ", 4, &format!("{}: {}", reason.code, reason.message));
        }
        if let Some(explanation) = &attempt.explanation {
            text::tell(page, STYLE, explanation);
        }
    }
    if let Some(reason) = why.held_back {
        page.paragraph("  ", 4, &format!("{}: {}", reason.code, reason.message));
    }
    if let Some(explanation) = why.explanation {
        text::tell(page, STYLE, explanation);
    }
    if let Some(standing) = why.standing {
        page.paragraph("  ", 4, &standing.sentence);
    }
    looked_at(page, why);
}

/// Shows the results for a pod in the attempts for other pods.
fn looked_at(page: &mut Page, why: &Why<'_>) {
    let holds_a_node = matches!(why.fate.state, State::MakesWay | State::Stays | State::Leaving);
    if why.looked_at.is_empty() {
        let gives_back = why.evicted.is_some_and(|evicted| evicted.for_whom.preemptor().is_none());
        if holds_a_node && !gives_back {
            page.paragraph("  ", 4, "nobody looked at it: no attempt looked for victims on its node");
        }
        return;
    }
    page.line("  What the attempts for others said of it");
    let told = |said: &LookedAt<'_>| Reported {
        about: About::Pod,
        name: Some(said.by.to_owned()),
        node: None,
        outcome: said.outcome,
        reason: said.reason.clone(),
    };
    let told: Vec<Reported> = why.looked_at.iter().map(told).collect();
    for alike in alike(&told) {
        let outcome = alike.told.first().map_or("", |told| word(told.outcome));
        let text = format!("{outcome}, {}: {}", alike.law(), alike.message());
        text::sentence(page, STYLE, &text, &format!("for {}", text::names(&alike.told, STYLE.names)));
    }
}

/// Shows the other pods of the job with their states.
fn others(page: &mut Page, fates: &[Fate], jobs: &Jobs) {
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
fn words<'a>(state: State, released: Option<ReleaseCause>, fates: impl Iterator<Item = &'a Fate>) -> String {
    let node = nodes(fates.filter_map(|fate| fate.node.as_deref()));
    let mut words = match state {
        State::Bound => format!("bound to {node}"),
        State::Held => format!("held for {node}"),
        State::Nominated => format!("nominated to {node}, to be bound when the victims have left"),
        State::Unschedulable => "unschedulable".to_owned(),
        State::Rejected => "refused".to_owned(),
        State::HeldBack => "not tried".to_owned(),
        State::Pending => "still pending".to_owned(),
        State::MakesWay => format!("is evicted from {node}"),
        State::Stays => format!("stays on {node}"),
        State::Leaving => format!("is leaving {node}"),
        State::Ended => "has ended".to_owned(),
    };
    let waits = matches!(state, State::Unschedulable | State::Rejected | State::HeldBack | State::Pending);
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
