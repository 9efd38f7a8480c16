//! A kube-scheduler with the plugin, and the host that it asks, in a living cluster.
//!
//! All steps share one testbed, in whose place of kube-scheduler the one with the plugin runs. Each has nodes and a namespace of its own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../live/controller.rs"]
mod controller;
mod host;
#[path = "../live/liar.rs"]
mod liar;
mod parity;
mod quiet;
mod rails;
mod recorded;
mod scheduler;
mod scoring;
mod speed;
mod steps;
#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../support/mod.rs"]
mod support;
#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../live/world.rs"]
mod world;

use std::path::Path;

use scheduler::Scheduler;
use support::testbed::{FOLDER, Testbed};
use world::World;

/// The longest backoff of kube-scheduler, in seconds, as it comes.
const BACKOFF: u32 = 10;

/// Runs the steps, or those of them whose name contains what the environment says in `LICTOR_STEP`.
macro_rules! steps {
    ($($step:expr,)*) => {
        let only = std::env::var("LICTOR_STEP").unwrap_or_default();
        $(if stringify!($step).contains(&only) { $step.await; })*
    };
}

#[tokio::test(flavor = "multi_thread")]
async fn kube_scheduler_asks_the_policy() {
    let _alone = ALONE.lock().await;
    let Some(binary) = scheduler::binary() else { return };
    let Some(testbed) = Testbed::up(&["--manifests", &format!("{FOLDER}/crds")]) else { return };
    let world = World::new(testbed).await;
    // The testbed's own has no plugin.
    world.testbed.command("stop kube-scheduler").await;
    // It has the rights of the testbed's own, and those.
    world.testbed.apply_path(&Path::new(scheduler::FOLDER).join("rbac.yaml")).await;
    let scheduler = Scheduler { binary, backoff: BACKOFF };
    steps! {
        steps::a_gang_preempts_on_several_nodes(&world, &scheduler),
        quiet::members_are_created_one_after_the_other(&world, &scheduler),
        quiet::members_of_koordinator(&world, &scheduler),
        quiet::members_of_kubernetes(&world, &scheduler),
        quiet::a_gang_under_a_quota_is_not_planned_over_and_over(&world, &scheduler),
        steps::a_group_of_kubernetes_preempts(&world, &scheduler),
        steps::a_quota_holds_and_others_pass(&world, &scheduler),
        scoring::a_policy_that_scores(&world, &scheduler),
        rails::a_policy_that_evicts_what_a_rail_protects(&world, &scheduler),
        steps::a_policy_that_is_replaced(&world, &scheduler),
        steps::a_host_that_is_killed(&world, &scheduler),
        steps::hosts_are_killed_while_pods_preempt(&world, &scheduler),
        steps::a_gang_waits_at_permit_when_the_host_is_killed(&world, &scheduler),
    }
}

/// These tests look at the clock: they run one after the other.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Scenarios end in a living cluster as in the harness.
#[tokio::test(flavor = "multi_thread")]
async fn parity() {
    let _alone = ALONE.lock().await;
    let Some(binary) = scheduler::binary() else { return };
    let crds = format!("{FOLDER}/crds");
    // No controller writes what a scenario says of a budget, or deletes what has no owner.
    let Some(testbed) = Testbed::up(&["--manifests", &crds, "--controllers", "none"]) else { return };
    let world = World::empty(testbed).await;
    world.testbed.command("stop kube-scheduler").await;
    world.testbed.apply_path(&Path::new(scheduler::FOLDER).join("rbac.yaml")).await;
    parity::scenarios_end_as_in_the_harness(&world, &Scheduler { binary, backoff: 1 }).await;
}

/// Measures both schedulers side by side, without assertions.
#[ignore = "a measurement of some minutes"]
#[tokio::test(flavor = "multi_thread")]
async fn side_by_side() {
    let Some(binary) = scheduler::binary() else { return };
    let Some(testbed) = Testbed::up(&[]) else { return };
    let world = World::new(testbed).await;
    world.testbed.command("stop kube-scheduler").await;
    world.testbed.apply_path(&Path::new(scheduler::FOLDER).join("rbac.yaml")).await;
    speed::side_by_side(&world, &Scheduler { binary, backoff: BACKOFF }).await;
}
