//! The memory of the host after many policies that trapped.
#![cfg(target_os = "linux")]

use std::process::Command;

use lictor_host::sandbox::{Sandbox, SandboxLimits};
use lictor_host::session::{FaultKind, FaultRules, Session, SessionInput};
use lictor_host::verify::testing::{node, object, pod};

use crate::assemble::policy;

const CALLS: u64 = 10_000;

/// What may be more at the end than at the beginning: what the allocator has not given back. One page that each call keeps would be 40 MB.
const SLACK: u64 = 8 << 20;

/// Returns the bytes of memory that this process holds.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// Checks the memory in a process of its own, because the other tests take memory, too.
#[test]
fn it_is_flat_after_10_000_trapping_calls() {
    let alone = ["--exact", "flat::measured_alone", "--ignored", "--nocapture"];
    let ran = Command::new(std::env::current_exe().unwrap()).args(alone).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
#[ignore = "it_is_flat_after_10_000_trapping_calls runs it alone"]
fn measured_alone() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let component = sandbox.load(&policy(include_str!("traps-for-one-pod.wat"))).unwrap();
    let mut session = Session::open(Box::new(component.start().unwrap()), "", "").unwrap();
    session.set_fault_rules(FaultRules { breaker_faults: 0, ..FaultRules::default() });
    let objects = [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0), pod("c", 1, 0)];
    session.handle(SessionInput::Objects(objects.map(object).to_vec())).unwrap();
    let attempt = |name: &str| SessionInput::Attempt(format!("default/{name}"));
    // Each input traps twice: it is tried once more.
    let mut trap = |calls: u64| {
        for _ in 0..calls / 2 {
            session.handle(attempt("b")).unwrap_err();
        }
        resident()
    };
    let before = trap(1000);
    let after = trap(CALLS);
    println!("{before} bytes after 1,000 trapping calls, {after} after {CALLS} more");
    assert!(after < before + SLACK, "{before} {after}");
    assert_eq!(session.counters().faults, [(FaultKind::Trap, 1000 + CALLS)].into());
    assert_eq!(session.handle(attempt("c")).unwrap().commands.len(), 1);
}
