#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lictor_host::replace::Period;
use lictor_host::session::testing::{ALL, Fx, Say, Scripted, Sketch};
use lictor_host::verify::testing::{node, object, on, pod};

use super::*;
use crate::decide::{Decider, Mode};

const SECOND: i64 = 1_000_000_000;

fn terms(allowed: u64) -> Terms {
    Terms { shadow: Period::Nanoseconds(4 * SECOND), watch: Period::Nanoseconds(SECOND), allowed }
}

/// Whether a new policy takes over from one that binds `a`, and who decides in the end.
fn replaced(new: Scripted, allowed: u64) -> (bool, Vec<State>) {
    let session = Session::open(Box::new(Scripted::deciding(ALL)), "test", "").unwrap();
    let objects = [node("n1", 4), on("n1", pod("v", 1, 0)), pod("a", 1, 0)].map(object).into();
    let (mut decider, _) = Decider::begin(Talk::new(session, None), Mode::Act, &[], SECOND, objects, None);
    let (mut upgrades, offers) = Upgrades::new();
    let (settled, is_settled) = (Arc::new(AtomicBool::new(false)), |flag: &AtomicBool| flag.load(Ordering::SeqCst));
    let flag = settled.clone();
    offers.make(Offer {
        name: "new".to_owned(),
        policy: Box::new(new),
        system: "test".to_owned(),
        arguments: String::new(),
        terms: terms(allowed),
        settled: Box::new(move || flag.store(true, Ordering::SeqCst)),
    });
    let mut states = Vec::new();
    for second in 1..15 {
        upgrades.tick(second * SECOND, Some(decider.talk()));
        let told = decider.tell(second * SECOND, Vec::new());
        let decided = if second == 3 { decider.decide(1_000) } else { Turn::default() };
        for turn in [told, decided] {
            let tasks = turn.tasks.len();
            assert!(tasks == 0 || second == 3, "only the decision asks for something");
            states.extend(turn.steps.iter().flat_map(|step| &step.replacement).map(|transition| transition.to));
            upgrades.turned(&turn, decider.session(), None);
        }
    }
    assert!(upgrades.due().is_none(), "it has come to its end");
    (is_settled(&settled), states)
}

#[test]
fn a_policy_that_decides_alike_takes_over_and_that_is_said() {
    let (settled, states) = replaced(Scripted::deciding(ALL), 0);
    assert!(settled, "{states:?}");
    assert_eq!(states.last(), Some(&State::Done));
}

#[test]
fn a_policy_that_breaks_in_shadow_does_not_take_over() {
    let new = Scripted::deciding(ALL).say("queue-keys", Say::CallError);
    let new = new.say("pre-filter default/a", Say::CallError).say("filter default/a", Say::CallError);
    let plan = Sketch { id: 1, nominations: &[("default/a", "n1")], victims: &["default/v"], soft: false };
    let new = new.say("post-filter default/a", Say::Plan(plan, Fx::default()));
    let (settled, states) = replaced(new, 0);
    assert!(!settled, "{states:?}");
}
