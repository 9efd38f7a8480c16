//! A policy that plans what the host has refused.

use lictor_host::driver::VirtualDriver;
use lictor_host::sandbox::{Sandbox, SandboxLimits};
use lictor_host::session::{AttemptResult, SessionInput};
use lictor_host::verify::testing::{node, object, pod};

use crate::assemble::policy;

#[test]
fn what_was_refused_is_refused_again_and_nothing_of_it_is_carried_out() {
    let stubborn = policy(include_str!("stubborn.wat"));
    let stubborn = Sandbox::new(SandboxLimits::default()).unwrap().load(&stubborn).unwrap().start().unwrap();
    let mut cluster = VirtualDriver::open(Box::new(stubborn), "", "").unwrap();
    cluster.apply([node("n", 1), pod("p", 2, 0)].map(object).to_vec()).unwrap();
    cluster.serve(SessionInput::Attempt("default/p".to_owned())).unwrap();
    let attempt = cluster.last_attempt().unwrap();
    assert_eq!(attempt.result, AttemptResult::Unschedulable);
    assert_eq!(attempt.preemption.unwrap().message, "`default/p` was refused as a victim before");
    let happened = cluster.take_report();
    assert!(happened.victims.is_empty() && happened.nominated.is_empty());
    assert_eq!(happened.refused.len(), 9);
}
