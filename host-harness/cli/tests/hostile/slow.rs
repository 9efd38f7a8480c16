//! Policies that take their time: up to the limit they are served, past it they end, in time and in fuel.

use std::path::Path;
use std::time::{Duration, Instant};

use lictor::embedded;
use lictor_host::policy::{CallError, Policy};
use lictor_host::sandbox::{Cache, PolicyFault, Sandbox, SandboxLimits, SandboxedPolicy};
use lictor_host::session::{Counters, FaultKind, Session, SessionInput};
use lictor_host::verify::testing::{node, object, on, pod};

use crate::assemble::policy;

fn start(limits: SandboxLimits) -> SandboxedPolicy {
    Sandbox::new(limits).unwrap().load(&policy(include_str!("slow.wat"))).unwrap().start().unwrap()
}

fn breakage(answer: Result<(), CallError>) -> PolicyFault {
    match answer {
        Err(CallError::Broke { cause, .. }) => cause.downcast_ref::<PolicyFault>().unwrap().clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn near_the_deadline_it_is_served_and_past_it_it_ends() {
    const DEADLINE: Duration = Duration::from_secs(2);
    let mut policy = start(SandboxLimits { call_deadline: DEADLINE, ..SandboxLimits::default() });
    // How many millions a tenth of the deadline has here and now.
    let mut tenth = 1;
    loop {
        let since = Instant::now();
        policy.reserve(tenth, 0).unwrap();
        if since.elapsed() > DEADLINE / 20 {
            break;
        }
        tenth *= 2;
    }
    // A machine that is busy with something else takes longer: a third of the deadline is near enough.
    policy.reserve(tenth * 3, 0).unwrap();
    let since = Instant::now();
    assert_eq!(breakage(policy.reserve(4_000_000, 0).map(drop)), PolicyFault::Deadline(DEADLINE));
    assert!(since.elapsed() >= DEADLINE, "it has all its time: {:?}", since.elapsed());
    policy.restart_instance().unwrap();
    policy.reserve(tenth, 0).unwrap();
}

#[test]
fn the_last_unit_of_fuel_counts_on_every_machine() {
    let used = |limits: SandboxLimits| {
        let mut policy = start(limits);
        let before = policy.usage().fuel;
        policy.reserve(1, 0).unwrap();
        policy.usage().fuel - before
    };
    let fuel = |fuel| SandboxLimits { call_fuel: Some(fuel), ..SandboxLimits::default() };
    let wanted = used(fuel(1 << 40));
    assert!(wanted > 1_000_000, "a million rounds take {wanted}");
    assert_eq!(used(fuel(wanted)), wanted, "what is just enough is enough");
    for _ in 0..2 {
        let mut policy = start(fuel(wanted - 1));
        assert_eq!(breakage(policy.reserve(1, 0).map(drop)), PolicyFault::Fuel(wanted - 1));
        assert_eq!(policy.usage().fuel, wanted - 1);
        policy.restart_instance().unwrap();
        policy.reserve(0, 0).unwrap();
    }
    assert_eq!(used(SandboxLimits::default()), 0, "without a limit it is not counted");
}

/// Returns the counters of a session of the embedded policy after a cycle with a preemption.
fn cycle() -> Counters {
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lictor-cache");
    let limits = SandboxLimits { call_fuel: Some(1 << 40), ..SandboxLimits::default() };
    let sandbox = Sandbox::new(limits).unwrap().with_cache(Cache::open(&shared).unwrap());
    let policy = sandbox.load(embedded()).unwrap().start().unwrap();
    let mut session = Session::open(Box::new(policy), "kubernetes", "").unwrap();
    let objects = [node("n1", 4), on("n1", pod("v", 4, 0)), pod("p", 4, 9), pod("q", 1, 5)];
    session.handle(SessionInput::Objects(objects.map(object).to_vec())).unwrap();
    let step = session.handle(SessionInput::Cycle).unwrap();
    assert!(step.happened.victims.contains_key("default/v"));
    session.counters()
}

#[test]
fn the_same_inputs_use_the_same_fuel() {
    let first = cycle();
    assert!(first.policy.fuel > 0);
    assert_eq!(cycle(), first);
}

#[test]
fn a_session_whose_policy_is_short_of_fuel_for_one_pod_serves_the_others() {
    // A million rounds of five instructions and more for `b`, which has the number 1; none for `a`.
    let policy = start(SandboxLimits { call_fuel: Some(5_000_000), ..SandboxLimits::default() });
    let mut session = Session::open(Box::new(policy), "", "").unwrap();
    session
        .handle(SessionInput::Objects([node("n1", 4), pod("a", 1, 0), pod("b", 1, 0)].map(object).to_vec()))
        .unwrap();
    let attempt = |name: &str| SessionInput::Attempt(format!("default/{name}"));
    let error = session.handle(attempt("b")).unwrap_err();
    assert!(error.to_string().ends_with("no answer with 5000000 units of fuel"), "{error}");
    assert_eq!(session.counters().faults, [(FaultKind::Fuel, 2)].into());
    assert_eq!(session.commands_in_flight(), 0);
    assert_eq!(session.handle(attempt("a")).unwrap().commands.len(), 1);
}
