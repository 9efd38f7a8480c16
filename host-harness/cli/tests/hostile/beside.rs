//! Guests that misbehave in shadow, next to the policy that they are to replace, and guests that misbehave after they have replaced it.

use std::time::{Duration, Instant};

use lictor_host::policy::Policy;
use lictor_host::replace::{Period, ReplacementState, ReplacementTerms, TransitionReason};
use lictor_host::sandbox::{Sandbox, SandboxLimits};
use lictor_host::session::{CandidatePolicy, Command, Session, SessionInput};
use lictor_host::verify::testing::{node, object, pod};

use crate::assemble::policy;

/// The fault for the pod of number 1.
const FAULT: &str = "(then unreachable)";

/// Starts a policy that does this when it reserves a node for `b`.
fn started(fault: &str) -> Box<dyn Policy> {
    let module = include_str!("traps-for-one-pod.wat");
    assert!(module.contains(FAULT));
    let limits = SandboxLimits { call_deadline: Duration::from_millis(400), ..SandboxLimits::default() };
    let loaded = Sandbox::new(limits).unwrap().load(&policy(&module.replace(FAULT, fault))).unwrap();
    Box::new(loaded.start().unwrap())
}

/// Opens a session of a sound policy, and begins to replace it by a policy with this fault, after so many cycles in shadow.
fn replaced_by(fault: &str, shadow: u64) -> Session {
    let mut session = Session::open(started("(then nop)"), "", "").unwrap();
    let objects = [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0), pod("c", 1, 0)];
    session.handle(SessionInput::Objects(objects.map(object).to_vec())).unwrap();
    let terms =
        ReplacementTerms { shadow: Period::Cycles(shadow), watch: Period::Cycles(9), ..ReplacementTerms::default() };
    session.replace(CandidatePolicy::new(started(fault), "", "").unwrap(), terms).unwrap();
    session
}

fn attempt(session: &mut Session, pod: &str) -> Vec<Command> {
    session.handle(SessionInput::Attempt(format!("default/{pod}"))).unwrap().commands
}

#[test]
fn one_that_traps_or_loops_in_shadow_is_given_up_and_the_old_policy_decides_within_the_deadline() {
    for (fault, said) in [(FAULT, "unreachable"), ("(then (loop (br 0)))", "400ms")] {
        let mut session = replaced_by(fault, 9);
        assert_eq!(attempt(&mut session, "a").len(), 1);
        let since = Instant::now();
        assert_eq!(attempt(&mut session, "b").len(), 1, "what the old policy decides is carried out");
        assert!(since.elapsed() < Duration::from_secs(60), "{:?}", since.elapsed());
        let last = session.replacement().unwrap().history.last().unwrap();
        let TransitionReason::Fault { call, message } = &last.reason else { panic!("{last:?}") };
        assert_eq!((last.to, call.as_str()), (ReplacementState::RolledBack, "reserve"));
        assert!(message.contains(said), "{message}");
        assert_eq!(attempt(&mut session, "c").len(), 1);
    }
}

#[test]
fn one_that_traps_after_it_took_over_is_replaced_by_the_old_policy_which_serves_the_next_input() {
    let mut session = replaced_by(FAULT, 0);
    for _ in 0..3 {
        session.handle(SessionInput::Clock(0)).unwrap();
    }
    assert_eq!(session.replacement().unwrap().state, ReplacementState::Watching);
    assert_eq!(attempt(&mut session, "a").len(), 1);
    drop(session.handle(SessionInput::Attempt("default/b".to_owned())));
    assert_eq!(session.replacement().unwrap().state, ReplacementState::RolledBack);
    assert_eq!(attempt(&mut session, "c").len(), 1);
}
