//! What `lictor run` keeps after many pods, against a stand-in of the API server that serves watches, patches and evictions over HTTP: pods in gangs
//! come, are let go, run, end and are deleted, wave after wave. In each wave a gang preempts another one; a gang that fits nowhere waits all the time.
//!
//! `just run-churn` measures 200,000 pods with a release build of the command, and the memory of pods that stay; a test run plays a small part of it in
//! this process.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod cluster;
#[path = "../support/get.rs"]
mod get;
mod kinds;
mod load;
mod process;
mod server;

use std::time::{Duration, Instant};

use cluster::Cluster;
use load::Load;
use process::{Controller, Figures};

/// The number of changes of a kind that a watch can be resumed from.
const HISTORY: usize = 20_000;

/// The same in a test run, where these changes are counted as memory of this process: as many are there before the first measurement.
const SHORT_HISTORY: usize = 2_000;

/// Connections by which two measurements may differ: requests of the same moment need one each, and idle ones are closed after a while.
const SLACK: usize = 16;

/// Bytes that may be kept of a pod that is gone. A process that forgot no pod kept 1,630 to 2,100 bytes of each. Memory that fills up to a bound, such as
/// identifiers of deleted objects (10,000) and names that are not swept yet (1,024 of each kind), takes less: 10,000 pods added 3.5 MB in all. Between
/// two waves the memory differs by 1 MB.
const KEPT: usize = 1_000;

/// Amounts that a controller holds at the end of some waves, and the time that each pod of their last half took.
#[derive(Debug, Clone, Copy)]
struct Measured {
    /// The least of each amount at the ends of the waves of the last half: what is kept. What is under way at the moment comes on top of it, and is
    /// more the faster the waves are.
    figures: Figures,
    /// Time of processors for a pod.
    busy: Duration,
}

/// Plays waves up to this number of pods in all.
async fn play(load: &mut Load, controller: &Controller, pods: std::ops::Range<usize>) -> Measured {
    let waves = pods.len() / load.pods();
    let timed = waves.div_ceil(2);
    for _ in timed..waves {
        load.wave().await;
    }
    let (first, begun) = (controller.figures(), Instant::now());
    let (mut figures, mut last) = (first, first);
    for _ in 0..timed {
        load.wave().await;
        let now = controller.figures();
        figures = figures.least(now);
        last = now;
    }
    let took = begun.elapsed() / u32::try_from(timed).unwrap();
    let timed = u32::try_from(timed * load.pods()).unwrap();
    let busy = (last.busy - first.busy) / timed;
    let Figures { resident, allocated, policy, descriptors, .. } = figures;
    println!(
        "after {} pods: {resident} bytes, {} at the end, {allocated} allocated in this process, {policy} of the policy, {descriptors} descriptors, {busy:?} of processors a pod, {took:?} a wave",
        pods.end, last.resident
    );
    Measured { figures, busy }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_kept_of_pods_that_are_gone() {
    let cluster = Cluster::new(SHORT_HISTORY);
    let mut load = Load::new(&cluster, 23, (12, 8));
    let controller = Controller::start(server::serve(cluster.clone()).await).await;
    let before = play(&mut load, &controller, 0..1_000).await;
    let after = play(&mut load, &controller, 1_000..3_000).await;
    let waves = u64::try_from(3_000 / load.pods()).unwrap();
    let counts = cluster.state().counts.clone();
    assert_eq!(counts.evictions, waves * 4, "four in each wave");
    assert_eq!(counts.events["Preempted"], waves * 4);
    assert!(counts.events["FailedScheduling"] > 0, "the gang that fits nowhere");
    assert_eq!(
        controller.metric("lictor_pods_admitted_total{system=\"koordinator\"}"),
        waves * u64::try_from(load.pods()).unwrap()
    );
    let (before, after) = (before.figures, after.figures);
    assert!(
        after.allocated <= before.allocated + 2_000 * KEPT,
        "{} bytes allocated, then {}",
        before.allocated,
        after.allocated
    );
    assert!(
        after.descriptors <= before.descriptors + SLACK,
        "{} descriptors, then {}",
        before.descriptors,
        after.descriptors
    );
    // Its memory grows with the busiest moment so far: 2,000 pods that stay would be 3.6 MB, twice as much as it begins with.
    assert!(after.policy <= before.policy * 2, "memory of the policy: {} bytes, then {}", before.policy, after.policy);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement: `just run-churn`"]
async fn two_hundred_thousand_pods_come_and_go() {
    let cluster = Cluster::new(HISTORY);
    let mut load = Load::new(&cluster, 248, (125, 8));
    let controller = Controller::start(server::serve(cluster.clone()).await).await;
    let before = play(&mut load, &controller, 0..20_000).await;
    let mut after = before;
    for tenth in 1..10 {
        after = play(&mut load, &controller, tenth * 20_000..(tenth + 1) * 20_000).await;
    }
    println!("{:?}", cluster.state().counts);
    let (first, last) = (before.figures, after.figures);
    assert!(last.resident <= first.resident + first.resident / 20, "memory");
    assert!(last.descriptors <= first.descriptors + SLACK, "descriptors");
    assert!(after.busy < before.busy * 3 / 2, "the time for a pod does not grow");
}

/// Limit of memory in `deploy/deployment.yaml`.
const LIMIT: u64 = 2 << 30;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement: `just run-churn`"]
async fn fifty_thousand_pods_stay() {
    let cluster = Cluster::new(HISTORY);
    let mut load = Load::new(&cluster, 250, (1_000, 64));
    let controller = Controller::start(server::serve(cluster.clone()).await).await;
    for pods in 0..=50 {
        if pods > 0 {
            load.stay().await;
        }
        if pods % 10 == 0 {
            let Figures { resident, policy, descriptors, busy, .. } = controller.figures();
            println!(
                "{pods},000 pods: {resident} bytes, {policy} of the policy, {descriptors} descriptors, {busy:?} of processors in all"
            );
            assert!(resident < LIMIT);
        }
    }
}
