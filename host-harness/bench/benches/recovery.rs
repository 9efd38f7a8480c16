//! How long a policy that fails holds up the host: how exactly a deadline is kept, and when the next good answer comes.
//! `cargo bench -p lictor-bench --bench recovery`. It ends in an error where a bound is not kept.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a benchmark")]
#![expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a benchmark")]

#[path = "../../cli/tests/hostile/assemble.rs"]
#[expect(dead_code, reason = "one of its functions is enough here")]
mod assemble;

use std::time::{Duration, Instant};

use lictor::embedded;
use lictor_host::cluster::KubernetesObject;
use lictor_host::policy::Policy;
use lictor_host::sandbox::{Sandbox, SandboxLimits};
use lictor_host::session::{FaultRules, Session, SessionInput};
use lictor_host::verify::testing::{node, object, on, pod};

use assemble::policy;

/// What one call may take here.
const DEADLINE: Duration = Duration::from_millis(100);
/// By how much an answer may be later than its deadline.
const SLACK: Duration = Duration::from_millis(10);

const NODES: usize = 5_000;
const PODS_PER_NODE: usize = 10;

fn limits() -> SandboxLimits {
    SandboxLimits { call_deadline: DEADLINE, ..SandboxLimits::default() }
}

/// Prints the median and the longest of these, and holds the longest against a bound.
fn report(what: &str, mut times: Vec<Duration>, bound: Duration) {
    times.sort_unstable();
    let (median, longest) = (times[times.len() / 2], times[times.len() - 1]);
    println!("{what}: median {median:.1?}, longest {longest:.1?} of {}; at most {bound:.0?}", times.len());
    assert!(longest <= bound, "{what}: {longest:?}");
}

/// Measures by how much a policy that never answers misses its deadline.
fn overrun() {
    let endless =
        Sandbox::new(limits()).unwrap().load(&policy(include_str!("../../cli/tests/hostile/endless-loop.wat")));
    let endless = endless.unwrap();
    let late = |_| {
        let mut policy = endless.start().unwrap();
        let since = Instant::now();
        policy.filter(1).unwrap_err();
        since.elapsed() - DEADLINE
    };
    report("a call that does not end, after its deadline", (0..50).map(late).collect(), SLACK);
}

/// Measures the recovery from a policy that traps for one pod: the time from the error to the answer about another pod, by a fresh instance.
fn after_a_trap() {
    let traps = policy(include_str!("../../cli/tests/hostile/traps-for-one-pod.wat"));
    let component = Sandbox::new(limits()).unwrap().load(&traps).unwrap();
    let mut session = Session::open(Box::new(component.start().unwrap()), "", "").unwrap();
    session.set_fault_rules(FaultRules { breaker_faults: 0, ..FaultRules::default() });
    // The guest of the test has little memory, and receives all objects at once.
    let pods = (0..150).map(|number| pod(&format!("c{number}"), 1, 0));
    let nodes = (0..20).map(|number| node(&format!("n{number:03}"), 64));
    let objects = nodes.chain([pod("a", 1, 0), pod("b", 1, 0)]).chain(pods);
    session.handle(SessionInput::Objects(objects.map(object).collect())).unwrap();
    let next = |number| {
        session.handle(SessionInput::Attempt("default/b".to_owned())).unwrap_err();
        let since = Instant::now();
        let step = session.handle(SessionInput::Attempt(format!("default/c{number}"))).unwrap();
        assert_eq!(step.happened.bound.len(), 1);
        since.elapsed()
    };
    report("the next good answer after a trap, 20 nodes", (0..100).map(next).collect(), DEADLINE + SLACK);
}

/// Measures an input to the embedded policy whose instance is gone, with a large cluster. The recycling mark of one byte makes the session recycle
/// the first instance as soon as it holds the cluster.
fn after_a_recycle() {
    let nodes = (0..NODES).map(|number| node(&format!("n{number:04}"), 64));
    let pods = (0..NODES * PODS_PER_NODE)
        .map(|number| on(&format!("n{:04}", number / PODS_PER_NODE), pod(&format!("p{number:05}"), 6, 1000)));
    let objects: Vec<KubernetesObject> = nodes.chain(pods).chain([pod("c", 1, 0)]).map(object).collect();
    let limits = SandboxLimits { recycle_bytes: 1, ..SandboxLimits::default() };
    let bound = limits.call_deadline + SLACK;
    let component = Sandbox::new(limits).unwrap().load(embedded()).unwrap();
    let next = |_| {
        let mut session = Session::open(Box::new(component.start().unwrap()), "koordinator", "").unwrap();
        session.handle(SessionInput::InitialList(objects.clone())).unwrap();
        assert_eq!(session.counters().recycles, 1);
        let since = Instant::now();
        session.handle(SessionInput::Attempt("default/c".to_owned())).unwrap();
        let taken = since.elapsed();
        assert_eq!(session.counters().restarts, 1);
        taken
    };
    report("an answer by a fresh instance, 5,000 nodes and 50,000 pods", (0..5).map(next).collect(), bound);
}

fn main() {
    overrun();
    after_a_trap();
    after_a_recycle();
}
