//! `explain`: notes.

use lictor_contract::*;
use lictor_host::policy::{CallError, Policy};
use lictor_host::session::SessionInput;

use super::super::check::{Check, ensure};
use super::super::exchange::{CallReply, Exchange};
use super::super::lab::{CheckContext, CheckResult};
use super::super::play::RunOptions;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "explain/changes-no-decision",
        demands: "Decisions are the same whether or not notes are recorded",
        rule: "wit/explain.wit, record-notes",
        remedy: "write notes down beside the decision; decide nothing by whether they are recorded",
        verdict: |lab| lab.same(&RunOptions { explained: true, ..RunOptions::default() }),
    },
    Check {
        id: "explain/off-at-first",
        demands: "No notes are recorded before the host asks for them",
        rule: "wit/explain.wit, record-notes",
        remedy: "begin with notes off in `configure`",
        verdict: off_at_first,
    },
    Check {
        id: "explain/notes-once",
        demands: "No note is there twice, and each is about a pod or node that is known",
        rule: "wit/explain.wit, notes",
        remedy: "leave out a note that is there already, and forget the notes of the attempt before",
        verdict: |lab| lab.each(notes_once),
    },
    Check {
        id: "explain/unknown-pod",
        demands: "Notes of a pod that there is not are none, or an error, and no trap",
        rule: "wit/answers.wit, policy-error.unknown-pod",
        remedy: "answer `unknown-pod`, or an empty list",
        verdict: unknown_pod,
    },
];

fn off_at_first(lab: &CheckContext<'_>) -> CheckResult {
    let (mut session, tap) = lab.start_loaded()?;
    // Another check reports a cycle that fails.
    drop(session.serve(SessionInput::Cycle));
    let mut asked = 0_usize;
    for pod in session.mirror().pods() {
        let notes = tap.call_unrecorded(|policy: &mut dyn Policy| policy.notes(pod.id)).unwrap_or_default();
        ensure(notes.is_empty(), || format!("`explain.notes` has {} notes that nobody asked to record", notes.len()))?;
        asked = asked.saturating_add(1);
    }
    Ok(asked)
}

fn notes_once(exchange: &Exchange) -> Option<Result<(), String>> {
    let CallReply::Notes(notes) = &exchange.reply else { return None };
    let known = &exchange.received;
    let sound = notes.iter().enumerate().try_for_each(|(place, note)| {
        let again = notes.iter().take(place).any(|other| other == note);
        let there = match &note.subject {
            Subject::Pod(pod) => known.pods.contains_key(pod),
            Subject::Node(node) => known.nodes.contains_key(node),
            Subject::Preemptor | Subject::Queue(_) => true,
        };
        ensure(!again, || format!("the note `{}` is there twice", note.reason.code))?;
        ensure(there, || format!("a note is about {:?}, which there is not", note.subject))
    });
    (!notes.is_empty()).then_some(sound)
}

fn unknown_pod(lab: &CheckContext<'_>) -> CheckResult {
    let (_, tap) = lab.start_loaded()?;
    match tap.call_unrecorded(|policy: &mut dyn Policy| policy.notes(PodId::MAX)) {
        Err(CallError::Refused { .. }) => Ok(1),
        Ok(notes) => ensure(notes.is_empty(), || "`explain.notes` has notes of an unknown pod".to_owned()).map(|()| 1),
        Err(other) => Err(format!("`explain.notes` of an unknown pod: {other}")),
    }
}
