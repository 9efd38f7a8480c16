//! Policies whose memory grows and grows: an instance that leaks is replaced between two decisions, and the new one receives the whole cluster.

use lictor_host::sandbox::{Sandbox, SandboxLimits};
use lictor_host::session::{Session, SessionInput};
use lictor_host::verify::testing::{node, object, pod};

use crate::assemble::policy;

const MARK: u64 = 8 << 20;

/// Opens a session with six nodes for ten pods each, and so many pods.
fn session(module: &str, pods: usize) -> Session {
    let limits = SandboxLimits { memory_bytes: 128 << 20, recycle_bytes: MARK as usize, ..SandboxLimits::default() };
    let component = Sandbox::new(limits).unwrap().load(&policy(module)).unwrap();
    let mut session = Session::open(Box::new(component.start().unwrap()), "", "").unwrap();
    let nodes = (0..6).map(|number| node(&format!("n{number}"), 64));
    let pods = (0..pods).map(|number| pod(&format!("p{number:02}"), 1, 0));
    session.handle(SessionInput::Objects(nodes.chain(pods).map(object).collect())).unwrap();
    session
}

fn bound(session: &mut Session, number: usize) -> bool {
    let step = session.handle(SessionInput::Attempt(format!("default/p{number:02}"))).unwrap();
    step.commands.len() == 1 && step.happened.bound.len() == 1
}

#[test]
fn a_leak_is_recycled_past_the_mark_and_no_decision_is_lost() {
    let mut session = session(include_str!("grows.wat"), 40);
    assert!((0..40).all(|number| bound(&mut session, number)));
    assert_eq!(session.commands_in_flight(), 40);
    let counters = session.counters();
    // An instance holds 64 KiB at first and a MiB more after each pod: more than 8 MiB after 8 pods. No call has needed the fifth restart yet.
    assert_eq!((counters.recycles, counters.restarts), (5, 4));
    assert_eq!((counters.failed, counters.second_tries, counters.faults.len()), (0, 0, 0));
    assert_eq!(counters.policy.memory_high_bytes, MARK + (64 << 10));
}

#[test]
fn a_cluster_that_takes_much_memory_is_no_leak() {
    let mut session = session(include_str!("large.wat"), 12);
    assert!((0..12).all(|number| bound(&mut session, number)));
    // A new instance holds as much, so that it is replaced once at most.
    let counters = session.counters();
    assert!(counters.policy.memory_bytes > MARK, "{counters:?}");
    assert!(counters.recycles <= 1 && counters.faults.is_empty(), "{counters:?}");
}
