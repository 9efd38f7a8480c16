//! Streams of events and questions into the engine.

use lictor_contract::{Event, NotedPods, Placement, Refuted, ReleaseCause};
use lictor_policy::Engine;

use crate::SYSTEMS;
use crate::bytes::FuzzInput;
use crate::events::{any_number, event, initial_events};

/// Checks that the same events and calls have the same answers. Most of the events and calls are as a host makes them.
pub(crate) fn events(data: &[u8]) {
    assert_eq!(replies_to(data), replies_to(data));
}

/// Returns all answers of a policy to a stream, as text.
fn replies_to(data: &[u8]) -> String {
    let mut bytes = FuzzInput::new(data);
    let mut engine = Engine::default();
    let system = bytes.choose(&SYSTEMS).unwrap_or_default();
    let configured = engine.configure(system, "");
    assert!(configured.is_ok(), "{system}: {configured:?}");
    let noted = match bytes.below(3) {
        0 => NotedPods::None,
        1 => NotedPods::All,
        _ => NotedPods::These(vec![0, 3]),
    };
    engine.record_notes(&noted);
    let mut said = format!("{:?}", engine.apply(initial_events(&mut bytes)));
    while !bytes.is_empty() {
        said.push('\n');
        said.push_str(&step(&mut engine, &mut bytes));
    }
    said
}

fn step(engine: &mut Engine, bytes: &mut FuzzInput<'_>) -> String {
    match bytes.below(28) {
        0..=14 => {
            let events: Vec<Event> = bytes.list(4, event);
            format!("{:?}", engine.apply(events))
        }
        15 => format!("{:?}", engine.queue_keys(&bytes.list(6, any_number))),
        16 => format!("{:?}", engine.pre_filter(any_number(bytes))),
        17 => format!("{:?}", engine.filter(any_number(bytes))),
        18 | 19 => {
            let place = |bytes: &mut FuzzInput<'_>| Placement { pod: any_number(bytes), node: any_number(bytes) };
            let refuted = Refuted { placements: bytes.list(2, place), victims: bytes.list(2, any_number) };
            format!("{:?}", engine.post_filter(&bytes.list(4, any_number), &refuted))
        }
        20 => format!("{:?}", engine.reserve(any_number(bytes), any_number(bytes))),
        21 => {
            let causes =
                [ReleaseCause::Timeout, ReleaseCause::Released, ReleaseCause::Preempted, ReleaseCause::Removed];
            let cause = bytes.choose(&causes).unwrap_or(ReleaseCause::Failed);
            format!("{:?}", engine.unreserve(any_number(bytes), cause))
        }
        22 => format!("{:?}", engine.permit(any_number(bytes))),
        23 => format!("{:?}", engine.act()),
        24 => format!("{:?}", engine.enforce()),
        25 => {
            let (pod, node) = (any_number(bytes), any_number(bytes));
            format!("{:?} {:?} {:?}", engine.queues(), engine.memberships(&[pod]), engine.marks(pod, node))
        }
        26 => format!("{:?}", engine.notes(any_number(bytes))),
        _ => {
            let saved = engine.save();
            let restored = engine.restore(&saved);
            // What it saved itself it takes.
            assert!(restored.is_ok(), "{restored:?}: {}", String::from_utf8_lossy(&saved.bytes));
            String::new()
        }
    }
}
