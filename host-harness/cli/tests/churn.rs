//! What a session and its policy keep after many pods: they come, are bound, end and are deleted, wave after wave, each wave of other names.
//!
//! `just churn` measures 200,000 pods in a release build; a test run plays a small part of it.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "tests")]

use std::time::{Duration, Instant};

use lictor_host::driver::VirtualDriver;
use lictor_host::sandbox::{Sandbox, SandboxLimits};
use lictor_host::session::SessionInput;
use lictor_host::verify::testing::{node, object};
use serde_json::{Value, json};

/// Nodes, each of which takes eight pods.
const NODES: usize = 40;

/// Pods of a gang, and gangs of a wave.
const GANG: usize = 4;
const GANGS: usize = 25;

/// Bytes by which the policy may grow. Its table of pods has half a byte for each number that was ever given, and doubles at times; the sandbox gives
/// memory in pages of 64 KiB. A leak of 53 bytes a pod is more.
const SLACK: u64 = 4 * 64 * 1024;

/// Amounts that a process holds after some pods, and the time of a wave.
struct Figures {
    /// Bytes of memory of the process.
    resident: u64,
    /// Bytes of memory of the policy.
    policy: u64,
    descriptors: usize,
    /// How long a wave takes.
    wave: Duration,
}

/// Returns the bytes of memory that this process holds.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn member(wave: usize, gang: usize, at: usize) -> Value {
    let job = format!("job-{wave}-{gang}");
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{job}-{at}"), "namespace": "default", "uid": format!("uid-{job}-{at}"),
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": job, "controller": true}],
            "annotations": {
                "gang.scheduling.koordinator.sh/name": job,
                "gang.scheduling.koordinator.sh/min-available": GANG.to_string(),
            },
        },
        "spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]},
        "status": {"phase": "Pending"},
    })
}

/// Plays one wave: its pods come, are bound, and are deleted.
fn wave(cluster: &mut VirtualDriver, wave: usize) {
    let pods = || (0..GANGS).flat_map(|gang| (0..GANG).map(move |at| (gang, at)));
    cluster.apply(pods().map(|(gang, at)| object(member(wave, gang, at))).collect()).unwrap();
    cluster.serve(SessionInput::Cycle).unwrap();
    assert_eq!(cluster.take_report().bound.len(), GANGS * GANG, "wave {wave}");
    for (gang, at) in pods() {
        assert!(cluster.remove(&format!("Pod/default/job-{wave}-{gang}-{at}")).unwrap());
    }
    cluster.advance(1_000_000_000).unwrap();
    cluster.take_report();
}

/// Plays waves up to this number of pods and returns how long the last tenth of them took.
fn play(cluster: &mut VirtualDriver, waves: std::ops::Range<usize>) -> Duration {
    let timed = waves.end - waves.len().div_ceil(10);
    let mut begun = Instant::now();
    for number in waves {
        if number == timed {
            begun = Instant::now();
        }
        wave(cluster, number);
    }
    begun.elapsed()
}

/// Returns what is held after `first` pods, and after `last` pods.
fn measure(first: usize, last: usize) -> [Figures; 2] {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let component = sandbox.load(lictor::embedded()).unwrap();
    let mut cluster = VirtualDriver::open(Box::new(component.start().unwrap()), "koordinator", "").unwrap();
    let nodes = (0..NODES).map(|at| object(node(&format!("n{at}"), 8)));
    cluster.apply(nodes.collect()).unwrap();
    let (first, last) = (first / (GANG * GANGS), last / (GANG * GANGS));
    [0..first, first..last].map(|waves| {
        let (pods, timed) = (waves.end * GANG * GANGS, waves.len().div_ceil(10));
        let wave = play(&mut cluster, waves) / u32::try_from(timed).unwrap();
        let (resident, policy) = (resident(), cluster.session().counters().policy.memory_bytes);
        let descriptors = descriptors();
        println!(
            "after {pods} pods: {resident} bytes, {policy} of the policy, {descriptors} descriptors, {wave:?} a wave"
        );
        Figures { resident, policy, descriptors, wave }
    })
}

#[test]
fn a_policy_holds_no_more_after_more_pods_that_are_gone() {
    let [before, after] = measure(15_000, 20_000);
    assert!(
        after.policy <= before.policy + SLACK,
        "memory of the policy: {} and {} bytes",
        before.policy,
        after.policy
    );
    assert_eq!(before.descriptors, after.descriptors);
}

#[test]
#[ignore = "a measurement: `just churn`"]
fn two_hundred_thousand_pods_come_and_go() {
    let [before, after] = measure(20_000, 200_000);
    assert!(after.resident <= before.resident + before.resident / 20, "memory");
    assert!(after.policy <= before.policy + before.policy / 20, "memory of the policy");
    assert_eq!(before.descriptors, after.descriptors);
    assert!(after.wave < before.wave * 2, "the time of a wave does not grow");
}
