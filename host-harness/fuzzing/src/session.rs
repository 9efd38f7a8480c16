//! Streams of inputs into the session, with the policy as a library behind it.

use lictor::Native;
use lictor_host::cluster::{KubernetesObject, load};
use lictor_host::session::{CommandId, CommandOutcome, Session, SessionInput};

use crate::SYSTEMS;
use crate::bytes::FuzzInput;
use crate::clusters;

/// Checks inputs, most of them as a driver sends them. The same inputs have the same steps, and a mistake in one does not end the session.
pub(crate) fn inputs(data: &[u8]) {
    assert_eq!(steps_of(data), steps_of(data));
}

/// Returns all steps of a stream, as text.
fn steps_of(data: &[u8]) -> String {
    let mut bytes = FuzzInput::new(data);
    let system = bytes.choose(&SYSTEMS).unwrap_or_default();
    let Some(mut session) = open_session(system) else { return String::new() };
    let (mut said, mut open, mut clock) = (String::new(), Vec::new(), 0_i64);
    while !bytes.is_empty() {
        if bytes.rarely(40) {
            session = restart_session(session, system);
        }
        let input = input(&mut bytes, &mut open, &mut clock);
        match session.handle(input) {
            Ok(step) => {
                open.extend(step.commands.iter().map(|command| command.id));
                said.push_str(&format!("{step:?}\n"));
            }
            Err(error) => said.push_str(&format!("{error}\n")),
        }
    }
    said
}

pub(crate) fn open_session(system: &str) -> Option<Session> {
    let opened = Session::open(Box::new(Native::default()), system, "");
    assert!(opened.is_ok(), "{system}");
    opened.ok()
}

/// Opens a new session that continues from the checkpoint of this one. The new session receives no objects, as if all were removed.
fn restart_session(mut session: Session, system: &str) -> Session {
    let Ok(checkpoint) = session.checkpoint() else { return session };
    let Some(mut next) = open_session(system) else { return session };
    let restored = next.restore(checkpoint);
    assert!(restored.is_ok(), "its own checkpoint: {:?}", restored.err());
    next
}

fn input(bytes: &mut FuzzInput<'_>, open: &mut Vec<CommandId>, clock: &mut i64) -> SessionInput {
    match bytes.below(16) {
        0..=5 => SessionInput::Objects(objects(bytes)),
        6 => SessionInput::InitialList(objects(bytes)),
        7 => SessionInput::Removed(bytes.text(&[
            "Pod/a/p0",
            "Pod/a/p1",
            "Node/n0",
            "Node/n1",
            "PodGroup/a/g0",
            "Queue/a",
            "x",
            "",
        ])),
        8 => {
            let step = bytes.choose(&[1_000_000_000, 60_000_000_000, 0, -1, i64::MAX]).unwrap_or_default();
            *clock = clock.saturating_add(step);
            SessionInput::Clock(*clock)
        }
        9 => SessionInput::Attempt(bytes.text(&["a/p0", "a/p1", "a/p2", "b/p0", "x"])),
        10 | 11 => SessionInput::Cycle,
        12 => SessionInput::CycleAttempts(2),
        _ => {
            let ids = std::mem::take(open);
            let mut outcomes: Vec<_> = ids.into_iter().map(|id| (id, outcome(bytes))).collect();
            if bytes.rarely(6) {
                outcomes.push((u64::from(bytes.below(200)), outcome(bytes)));
            }
            SessionInput::Outcomes(outcomes)
        }
    }
}

fn outcome(bytes: &mut FuzzInput<'_>) -> CommandOutcome {
    match bytes.below(4) {
        0 => CommandOutcome::Accepted,
        1 => CommandOutcome::Failed("it may not".to_owned()),
        _ => CommandOutcome::Done,
    }
}

/// Returns objects that can be read. The target `objects` covers the others.
pub(crate) fn objects(bytes: &mut FuzzInput<'_>) -> Vec<KubernetesObject> {
    let text = |bytes: &mut FuzzInput<'_>| clusters::object(bytes).to_string();
    let texts = bytes.list(5, text);
    let documents = texts.iter().filter_map(|text| load::read("fuzz.json", text).ok()).flatten();
    documents.filter_map(|document| KubernetesObject::from_document(document).ok()).collect()
}
