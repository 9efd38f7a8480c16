//! Checkpoints that are garbage: what a policy remembered is lost then, which is said, and the next answer is right.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::path::Path;

use lictor::embedded;
use lictor_host::sandbox::{Cache, Sandbox, SandboxLimits};
use lictor_host::session::{FaultKind, Session, SessionCheckpoint, SessionInput};
use lictor_host::verify::testing::{node, object, pod};
use serde_json::{Value, json};

use crate::assemble::policy;

fn session(component: &[u8]) -> Session {
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lictor-cache");
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap().with_cache(Cache::open(&shared).unwrap());
    let policy = sandbox.load(component).unwrap().start().unwrap();
    let mut session = Session::open(Box::new(policy), "", "").unwrap();
    session
        .handle(SessionInput::Objects([node("n1", 4), pod("a", 1, 0), pod("b", 1, 0)].map(object).to_vec()))
        .unwrap();
    session
}

fn binds(session: &mut Session, name: &str) -> bool {
    let step = session.handle(SessionInput::Attempt(format!("default/{name}"))).unwrap();
    step.happened.bound.contains_key(&format!("default/{name}"))
}

/// Returns a checkpoint of a session with another memory of the policy.
fn remembering(session: &mut Session, memory: Value) -> SessionCheckpoint {
    let mut saved = serde_json::to_value(session.checkpoint().unwrap()).unwrap();
    saved["policy"] = memory;
    serde_json::from_value(saved).unwrap()
}

fn is_lost(session: &Session) -> bool {
    let said = |finding: &&lictor_contract::Finding| finding.object == "Checkpoint";
    session.findings().iter().filter(said).count() == 1 && session.counters().checkpoints_lost == 1
}

#[test]
fn a_checkpoint_that_breaks_the_policy_is_given_to_two_instances_and_then_lost() {
    let mut session = session(&policy(include_str!("breaks-restoring.wat")));
    let saved = remembering(&mut session, json!({"format": 1, "bytes": [1, 2, 3]}));
    session.restore(saved).unwrap_err();
    assert_eq!(session.counters().faults, [(FaultKind::Trap, 2)].into());
    assert!(is_lost(&session), "{:?}", session.findings());
    assert!(binds(&mut session, "a") && binds(&mut session, "b"));
    assert_eq!(session.counters().failed, 1, "it is not given to any other instance");
}

#[test]
fn garbage_is_refused_by_the_embedded_policy_and_breaks_nothing() {
    let whole = serde_json::to_value(session(embedded()).checkpoint().unwrap()).unwrap()["policy"].clone();
    let format = whole["format"].clone();
    let bytes = STANDARD.decode(whole["bytes"].as_str().unwrap()).unwrap();
    let long: Vec<u8> = (0..100_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let mut other = session(embedded());
    let saved = remembering(&mut other, whole.clone());
    other.restore(saved).unwrap();
    assert_eq!(other.counters().checkpoints_lost, 0, "its own is taken");
    for (name, format, bytes) in [
        ("nothing", format.clone(), Vec::new()),
        ("another format", json!(4_000_000_000_u32), bytes.clone()),
        ("a part of it", format.clone(), bytes.get(..bytes.len() / 2).unwrap_or_default().to_vec()),
        ("all ones", format.clone(), vec![0xff; 64]),
        ("noise", format, long),
    ] {
        let mut session = session(embedded());
        let saved = remembering(&mut session, json!({"format": format, "bytes": bytes}));
        session.restore(saved).unwrap();
        assert!(is_lost(&session), "{name}: {:?}", session.findings());
        assert!(session.counters().faults.is_empty(), "{name}");
        assert!(binds(&mut session, "a"), "{name}");
    }
}
