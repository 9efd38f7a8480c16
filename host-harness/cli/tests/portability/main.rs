//! The component in other runtimes of WebAssembly: what it answers here, it answers there.
//!
//! Ten scenarios and a call of every function are played in the sandbox, and every call is written down with its answer, by the names of
//! `wit/`. The players of `host-harness/portability` repeat the calls under wasmtime-py, jco and wazero and compare the answers. Where a
//! player is not installed its test says so and passes; with `LICTOR_REQUIRE_PORTABILITY=1`, as in CI, it fails.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "../component/samples.rs"]
mod samples;
mod traced;
mod types;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use lictor::embedded;
use lictor_conformance::{load, run_explained};
use lictor_contract::*;
use lictor_host::policy::Policy;
use lictor_host::sandbox::{Cache, LoadedComponent, Sandbox, SandboxLimits};
use serde_json::{Value, json};
use traced::{Calls, Traced};
use types::Contract;

/// Two of each system: gangs with victims, refusals by quota, a timeout at permit, a reservation, an elastic job that grows, a gang that is
/// broken, a queue that gives back what is over its maximum.
const SCENARIOS: [&str; 10] = [
    "coscheduling/cos-quota-gang-takes-back",
    "coscheduling/cos-timeout-of-one-rejects-the-whole-group",
    "koordinator/gang-group-is-planned-as-a-whole",
    "koordinator/rsv-owner-uses-it",
    "kubernetes/kube-group-preempts-as-one",
    "kubernetes/kube-inter-pod-spread",
    "volcano/elastic-pow2-reaches-max-exactly",
    "volcano/gang-reclaim-breaks-one-gang-not-two",
    "yunikorn/law5-queue-below-guarantee-loses-nothing",
    "yunikorn/quota-preemption-evicts-down-to-the-new-max-after-its-delay",
];

/// What a player exits with where what it needs is not installed.
const NOT_INSTALLED: i32 = 77;

static COMPONENT: LazyLock<LoadedComponent> = LazyLock::new(|| {
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lictor-cache");
    Sandbox::new(SandboxLimits::default()).unwrap().with_cache(Cache::open(&shared).unwrap()).load(embedded()).unwrap()
});
static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::of(embedded()));
static TRACES: LazyLock<Vec<(String, Calls)>> = LazyLock::new(|| {
    let scenarios = SCENARIOS.iter().map(|name| ((*name).to_owned(), scenario(name)));
    scenarios.chain([("every function".to_owned(), every_function())]).collect()
});
/// The component and the traces, as files.
static FILES: LazyLock<[PathBuf; 2]> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("portability");
    std::fs::create_dir_all(&folder).unwrap();
    let files = [folder.join("component.wasm"), folder.join("traces.json")];
    std::fs::write(&files[0], embedded()).unwrap();
    let traces = TRACES.iter().map(|(name, calls)| json!({"name": name, "calls": CONTRACT.written(calls)}));
    let all = json!({
        "functions": CONTRACT.functions(), "types": CONTRACT.types(), "traces": traces.collect::<Vec<Value>>(),
    });
    std::fs::write(&files[1], serde_json::to_vec_pretty(&all).unwrap()).unwrap();
    files
});

/// Returns the calls while a scenario is played, explained.
fn scenario(name: &str) -> Calls {
    let path = format!("{}/../../fixtures/scenarios/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let scenario = load(&[path]).unwrap().pop().unwrap();
    let calls = Calls::default();
    let report = run_explained(&scenario, Box::new(Traced::new(COMPONENT.start().unwrap(), &calls)));
    assert!(report.passed, "{report}");
    calls
}

/// Returns calls of every function, with all kinds of events, and with arguments that are refused.
fn every_function() -> Calls {
    let calls = Calls::default();
    let mut policy = Traced::new(COMPONENT.start().unwrap(), &calls);
    let description = policy.describe().unwrap();
    let _ = policy.apply(vec![Event::Clock(i64::MIN)]);
    let _ = policy.configure("no such system", "");
    let _ = policy.configure(&description.systems[0].name, "[\u{1d11e} is no JSON");
    let _ = policy.configure(&description.systems[0].name, "");
    policy.record_notes(&NotedPods::All).unwrap();
    for event in samples::events() {
        let _ = policy.apply(vec![event]);
    }
    let _ = policy.queue_keys(&[2, 1, 0]);
    for pod in (0..8).chain([u32::MAX]) {
        let refuted = Refuted { placements: vec![Placement { pod, node: 1 }], victims: vec![pod] };
        let _ = (policy.pre_filter(pod), policy.filter(pod), policy.post_filter(&[pod], &refuted));
        let _ = (policy.marks(pod, 0), policy.reserve(pod, 0), policy.permit(pod));
        let _ = (policy.unreserve(pod, ReleaseCause::Timeout), policy.notes(pod));
    }
    let _ = (policy.act(), policy.enforce(), policy.queues());
    let _ = (policy.memberships(&[2, 1, 0]), policy.memberships(&[u32::MAX]), policy.memberships(&[]));
    let _ = (policy.standings(&[2, 1, 0]), policy.standings(&[u32::MAX]), policy.standings(&[]));
    let saved = policy.save().unwrap();
    let _ = (policy.restore(&saved), policy.restore(&Checkpoint { format: u32::MAX, bytes: vec![0, 255] }));
    calls
}

/// Repeats the traces in a player.
fn play(player: &str) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../portability/players.sh");
    let played = Command::new("bash").args([script, "play", player]).args(&*FILES).output().unwrap();
    let said = String::from_utf8_lossy(&played.stderr).trim().to_owned();
    if played.status.code() == Some(NOT_INSTALLED) {
        let is_required = std::env::var("LICTOR_REQUIRE_PORTABILITY").is_ok_and(|value| value == "1");
        assert!(!is_required, "{said}, but LICTOR_REQUIRE_PORTABILITY=1");
        // Not by a macro: what these print is not shown of a test that passes.
        let _ = writeln!(std::io::stderr(), "{player}: not run: {said}");
        return;
    }
    assert!(played.status.success(), "{player}: {}{said}", String::from_utf8_lossy(&played.stdout));
    let all: usize = TRACES.iter().map(|(_, calls)| calls.taken().len()).sum();
    let expected = format!("{} traces, {all} calls: the same answers", TRACES.len());
    assert_eq!(String::from_utf8_lossy(&played.stdout).trim(), expected);
}

#[test]
fn under_wasmtime_py_it_answers_the_same() {
    play("python");
}

#[test]
fn under_jco_it_answers_the_same() {
    play("node");
}

#[test]
fn under_wazero_its_core_module_answers_the_same() {
    play("go");
}

#[test]
fn the_traces_have_every_function_and_every_event() {
    let (mut called, mut told) = (BTreeSet::new(), BTreeSet::new());
    for call in TRACES.iter().flat_map(|(_, calls)| CONTRACT.written(calls)) {
        called.extend(call["call"].as_str().map(str::to_owned));
        if call["call"] == "apply" {
            let events = call["arguments"][1].as_array().unwrap().iter();
            told.extend(events.flat_map(|event| event.as_object().unwrap().keys().cloned()));
        }
    }
    let functions = CONTRACT.functions();
    assert!(functions.as_object().unwrap().keys().eq(&called), "{called:?} of {functions}");
    let types = CONTRACT.types();
    let events = types["event"]["variant"].as_array().unwrap().iter().map(|case| case[0].as_str().unwrap());
    let untold: Vec<&str> = events.filter(|event| !told.contains(*event)).collect();
    assert!(untold.is_empty(), "no trace tells {untold:?}");
}

/// Checks that the traces have victims, refusals and errors, without which they would show little.
#[test]
fn the_traces_evict_refuse_and_fail() {
    let text =
        serde_json::to_string(&TRACES.iter().map(|(_, calls)| CONTRACT.written(calls)).collect::<Vec<_>>()).unwrap();
    for said in ["\"victims\":[{", "\"refused\":", "\"err\":", "\"enforcements\":[{", "\"plan\":{", "\"wait\":"] {
        assert!(text.contains(said), "no trace has {said}");
    }
}
