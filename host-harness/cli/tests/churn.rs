//! What a session and its policy keep after many pods: they come, are bound, end and are deleted, wave after wave, each wave of other names.
//!
//! `just churn` measures 200,000 pods in a release build; a test run plays a small part of it.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "tests")]

use std::time::{Duration, Instant};

use lictor_host::driver::Virtual;
use lictor_host::sandbox::{Limits, Sandbox};
use lictor_host::session::Input;
use lictor_host::verify::testing::{node, object};
use serde_json::{Value, json};

/// Nodes, each of which takes eight pods.
const NODES: usize = 40;

/// Pods of a gang, and gangs of a wave.
const GANG: usize = 4;
const GANGS: usize = 25;

/// Bytes that the memory may grow by for each thousand pods that are gone: names of jobs, until the instance is replaced.
const KEPT_BY_A_THOUSAND: u64 = 1 << 20;

/// Bytes of memory that this process holds.
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

/// One wave: its pods come, are bound, and are deleted.
fn wave(cluster: &mut Virtual, wave: usize) {
    let pods = || (0..GANGS).flat_map(|gang| (0..GANG).map(move |at| (gang, at)));
    cluster.apply(pods().map(|(gang, at)| object(member(wave, gang, at))).collect()).unwrap();
    cluster.tell(Input::Cycle).unwrap();
    assert_eq!(cluster.take_happened().bound.len(), GANGS * GANG, "wave {wave}");
    for (gang, at) in pods() {
        assert!(cluster.remove(&format!("Pod/default/job-{wave}-{gang}-{at}")).unwrap());
    }
    cluster.advance(1_000_000_000).unwrap();
    cluster.take_happened();
}

/// Plays waves up to this number of pods and returns how long the last tenth of them took.
fn play(cluster: &mut Virtual, waves: std::ops::Range<usize>) -> Duration {
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

fn measure(first: usize, last: usize) {
    let sandbox = Sandbox::new(Limits::default()).unwrap();
    let component = sandbox.load(lictor::embedded()).unwrap();
    let mut cluster = Virtual::open(Box::new(component.start().unwrap()), "koordinator", "").unwrap();
    let nodes = (0..NODES).map(|at| object(node(&format!("n{at}"), 8)));
    cluster.apply(nodes.collect()).unwrap();
    let (first, last) = (first / (GANG * GANGS), last / (GANG * GANGS));
    let mut figures = Vec::new();
    for waves in [0..first, first..last] {
        let (pods, timed) = (waves.end * GANG * GANGS, waves.len().div_ceil(10));
        let each = play(&mut cluster, waves) / u32::try_from(timed).unwrap();
        let guest = cluster.session().counters().policy.memory_bytes;
        println!(
            "after {pods} pods: {} bytes, {guest} of the policy, {} descriptors, {each:?} a wave",
            resident(),
            descriptors()
        );
        figures.push((resident(), descriptors()));
    }
    let (thousands, kept) = ((last - first) * GANG * GANGS / 1000, figures[1].0.saturating_sub(figures[0].0));
    println!("{} bytes kept for each 1,000 pods that are gone", kept / u64::try_from(thousands.max(1)).unwrap());
    assert!(kept < u64::try_from(thousands).unwrap() * KEPT_BY_A_THOUSAND, "{figures:?}");
    assert_eq!(figures[0].1, figures[1].1, "descriptors");
}

#[test]
fn pods_that_are_gone_are_kept_by_no_more_than_their_names() {
    measure(1_000, 4_000);
}

#[test]
#[ignore = "a measurement of minutes: `just churn`"]
fn two_hundred_thousand_pods_come_and_go() {
    measure(20_000, 200_000);
}
