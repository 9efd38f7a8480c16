//! Policies that are taken and misbehave when they are asked.

use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use lictor::embedded;
use lictor_contract::{Checkpoint, Event, Interface, NotedPods, PolicyError, Refuted, ReleaseCause};
use lictor_host::policy::{CallError, Policy};
use lictor_host::sandbox::{Cache, LoadError, LoadedComponent, PolicyFault, Sandbox, SandboxLimits, SandboxedPolicy};

use crate::assemble::{policy, renamed};

const MEMORY: usize = 128 << 20;
/// Long enough for what must meet another limit, on a machine that has much else to do.
const DEADLINE: Duration = Duration::from_secs(2);

/// Where all of them run.
static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
    Sandbox::new(SandboxLimits { memory_bytes: MEMORY, call_deadline: DEADLINE, ..SandboxLimits::default() }).unwrap()
});

/// The built-in policy, in the same sandbox.
static SOUND: LazyLock<LoadedComponent> = LazyLock::new(|| {
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lictor-cache");
    SANDBOX.clone().with_cache(Cache::open(&shared).unwrap()).load(embedded()).unwrap()
});

fn start(module: &str) -> SandboxedPolicy {
    SANDBOX.load(&policy(module)).unwrap().start().unwrap()
}

/// Makes a faulty policy break in a call, and sees what remains: a policy that is gone, one that can be revived, and a host
/// that runs a sound one.
fn broken(module: &str, call: impl Fn(&mut SandboxedPolicy) -> Result<(), CallError>) -> PolicyFault {
    let mut faulty = start(module);
    let since = Instant::now();
    let cause = breakage(call(&mut faulty));
    assert!(since.elapsed() < Duration::from_secs(60), "{:?}", since.elapsed());

    let gone = breakage(faulty.record_notes(&NotedPods::None));
    assert!(matches!(&gone, PolicyFault::AlreadyFailed { cause: first, .. } if **first == cause), "{gone}");
    assert_eq!(faulty.memory_bytes(), 0);
    faulty.restart_instance().unwrap();
    faulty.record_notes(&NotedPods::None).unwrap();
    assert_eq!(breakage(call(&mut faulty)), cause);

    sound();
    cause
}

/// Checks that the host still works: the built-in policy answers.
fn sound() {
    assert_eq!(SOUND.start().unwrap().describe().unwrap().name, "lictor");
}

fn breakage(answer: Result<(), CallError>) -> PolicyFault {
    match answer {
        Err(CallError::Broke { cause, .. }) => cause.downcast_ref::<PolicyFault>().expect("a breakage").clone(),
        other => panic!("{other:?}"),
    }
}

fn describe(policy: &mut SandboxedPolicy) -> Result<(), CallError> {
    policy.describe().map(drop)
}

fn filter(policy: &mut SandboxedPolicy) -> Result<(), CallError> {
    policy.filter(1).map(drop)
}

#[test]
fn an_empty_module_becomes_a_sound_policy() {
    let mut policy = start("(module)");
    assert_eq!(policy.describe().unwrap().name, "");
    assert_eq!(policy.configure("laws", "{}").unwrap(), Ok(()));
    assert_eq!(policy.apply(vec![Event::Clock(1)]).unwrap().findings, []);
    assert_eq!(policy.queue_keys(&[7]).unwrap().keys, Vec::<Vec<u8>>::new());
    assert!(policy.act().unwrap().plans.slices.is_empty());
}

#[test]
fn what_it_does_not_export_is_said_and_breaks_nothing() {
    let mut bytes = policy("(module)");
    for interface in Interface::ALL.iter().filter(|interface| **interface != Interface::Score) {
        // A name of the same length that is no interface of the contract.
        let other: String = std::iter::once('x').chain(interface.name().chars().skip(1)).collect();
        bytes = renamed(&bytes, &format!("policy/{interface}@"), &format!("policy/{other}@"));
    }
    let mut policy = SANDBOX.load(&bytes).unwrap().start().unwrap();
    assert!(Interface::ALL.iter().all(|interface| !policy.has(*interface)));
    let lacks = |answer: Result<(), CallError>| match answer {
        Err(CallError::MissingInterface(interface)) => interface,
        other => panic!("{other:?}"),
    };
    assert_eq!(lacks(policy.queue_keys(&[]).map(drop)), Interface::Queue);
    assert_eq!(lacks(policy.pre_filter(0).map(drop)), Interface::Placement);
    assert_eq!(lacks(policy.filter(0).map(drop)), Interface::Placement);
    assert_eq!(lacks(policy.post_filter(&[0], &Refuted::default()).map(drop)), Interface::Placement);
    assert_eq!(lacks(policy.reserve(0, 0).map(drop)), Interface::Placement);
    assert_eq!(lacks(policy.unreserve(0, ReleaseCause::Failed).map(drop)), Interface::Placement);
    assert_eq!(lacks(policy.score(0, &[]).map(drop)), Interface::Score);
    assert_eq!(lacks(policy.permit(0).map(drop)), Interface::Permit);
    assert_eq!(lacks(policy.act().map(drop)), Interface::Cycle);
    assert_eq!(lacks(policy.enforce().map(drop)), Interface::Enforce);
    assert_eq!(lacks(policy.queues().map(drop)), Interface::Account);
    assert_eq!(lacks(policy.memberships(&[0]).map(drop)), Interface::Account);
    assert_eq!(lacks(policy.marks(0, 0).map(drop)), Interface::Marks);
    assert_eq!(lacks(policy.standings(&[0]).map(drop)), Interface::Standing);
    assert_eq!(lacks(policy.record_notes(&NotedPods::All)), Interface::Explain);
    assert_eq!(lacks(policy.notes(0).map(drop)), Interface::Explain);
    assert_eq!(lacks(policy.save().map(drop)), Interface::State);
    assert_eq!(lacks(policy.restore(&Checkpoint { format: 0, bytes: Vec::new() }).map(drop)), Interface::State);
    assert!(policy.describe().is_ok());
}

#[test]
fn a_trap_names_its_function() {
    let cause = broken(include_str!("trap.wat"), describe);
    let PolicyFault::Trapped { trap, functions } = cause else { panic!("{cause:?}") };
    assert_eq!(trap, "wasm trap: wasm `unreachable` instruction executed");
    assert_eq!(functions[0], "somebodies::laws::the_faulty_one");
}

#[test]
fn endless_recursion_is_a_trap() {
    let cause = broken(include_str!("endless-recursion.wat"), describe);
    let PolicyFault::Trapped { trap, functions } = cause else { panic!("{cause:?}") };
    assert_eq!(trap, "wasm trap: call stack exhausted");
    assert_eq!(functions[0], "deeper");
}

#[test]
fn an_endless_loop_meets_its_deadline() {
    let cause = broken(include_str!("endless-loop.wat"), filter);
    assert_eq!(cause, PolicyFault::Deadline(DEADLINE));
}

#[test]
fn the_deadline_holds_for_each_call_by_itself() {
    let mut policy = start("(module)");
    std::thread::sleep(DEADLINE * 2);
    assert!(policy.describe().is_ok());
}

#[test]
fn an_endless_start_meets_the_deadline_too() {
    let refused = SANDBOX.load(&policy(include_str!("endless-start.wat"))).err();
    assert_eq!(refused, Some(LoadError::Broke(PolicyFault::Deadline(DEADLINE))));
    sound();
}

#[test]
fn a_memory_bomb_meets_its_limit() {
    let cause = broken(include_str!("memory-bomb.wat"), describe);
    // It grows by 1 MiB from 64 KiB: 127 times, and once too often.
    assert_eq!(cause, PolicyFault::Memory { wanted: MEMORY + (64 << 10), limit: MEMORY });
}

#[test]
fn a_table_bomb_meets_the_same_limit() {
    let cause = broken(include_str!("table-bomb.wat"), describe);
    assert!(matches!(cause, PolicyFault::Memory { wanted, limit: MEMORY } if wanted > MEMORY), "{cause:?}");
}

#[test]
fn memory_wanted_at_the_start_is_refused() {
    let refused = SANDBOX.load(&policy(include_str!("memory-at-start.wat"))).err();
    let wanted = 60000 * (64 << 10);
    assert_eq!(refused, Some(LoadError::Broke(PolicyFault::Memory { wanted, limit: MEMORY })));
    sound();
}

#[test]
fn a_cluster_that_is_too_large_for_its_memory() {
    let sandbox = Sandbox::new(SandboxLimits { memory_bytes: 4 << 20, ..SandboxLimits::default() }).unwrap();
    let mut policy = sandbox.load(embedded()).unwrap().start().unwrap();
    let order = breakage(policy.queue_keys(&vec![0; 2 << 20]).map(drop));
    assert!(matches!(order, PolicyFault::Memory { wanted, limit: 0x40_0000 } if wanted > 8 << 20), "{order:?}");
    sound();
}

#[test]
fn a_policy_that_makes_do_with_less_memory_lives() {
    let mut policy = start(include_str!("memory-refused.wat"));
    assert_eq!(policy.memory_bytes(), 64 << 10);
    assert!(policy.describe().is_ok());
    assert_eq!(policy.memory_bytes(), (127 << 20) + (64 << 10));
    policy.restart_instance().unwrap();
    assert_eq!(policy.memory_bytes(), 64 << 10);
}

#[test]
fn a_giant_list_is_not_copied() {
    let cause = broken(include_str!("giant-list.wat"), filter);
    assert_eq!(cause, PolicyFault::ResultTooLarge(64 << 20));
}

#[test]
fn a_list_outside_of_its_memory_is_no_answer() {
    let cause = broken(include_str!("list-outside-memory.wat"), filter);
    assert_eq!(cause, PolicyFault::BadAnswer("list pointer/length out of bounds of memory".to_owned()));
}

#[test]
fn an_answer_at_no_address_is_none() {
    let cause = broken(include_str!("misaligned-answer.wat"), describe);
    assert_eq!(cause, PolicyFault::BadAnswer("return pointer not aligned".to_owned()));
}

#[test]
fn text_that_is_not_utf_8_is_no_answer() {
    let cause = broken(include_str!("bad-utf8.wat"), describe);
    assert!(matches!(&cause, PolicyFault::BadAnswer(said) if said.contains("utf-8")), "{cause:?}");
}

#[test]
fn a_case_that_is_none_is_no_answer() {
    let cause = broken(include_str!("bad-discriminant.wat"), |policy| policy.permit(1).map(drop));
    assert!(matches!(&cause, PolicyFault::BadAnswer(said) if said.contains("discriminant")), "{cause:?}");
    let cause = broken(include_str!("bad-enum.wat"), |policy| policy.marks(1, 1).map(drop));
    assert!(matches!(&cause, PolicyFault::BadAnswer(said) if said.contains("discriminant")), "{cause:?}");
}

#[test]
fn an_allocator_that_lies_breaks_only_itself() {
    let cause = broken(include_str!("bad-allocator.wat"), |policy| policy.configure("laws", "").map(drop));
    assert!(matches!(&cause, PolicyFault::BadAnswer(_)), "{cause:?}");
}

#[test]
fn a_policy_that_refuses_is_not_broken() {
    let mut policy = SOUND.start().unwrap();
    for _ in 0..2 {
        let refused = policy.filter(1).expect_err("it is not configured");
        assert!(
            matches!(refused, CallError::Refused { call: "filter", error: PolicyError::NotConfigured }),
            "{refused}"
        );
    }
}
