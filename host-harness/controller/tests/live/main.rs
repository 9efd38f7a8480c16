//! `lictor run` in a living cluster: gangs by preemption, and what goes wrong in the middle of it.
//!
//! All steps share one testbed and follow each other; each has nodes, a namespace and a controller of its own.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]

mod controller;
mod crowd;
mod ends;
mod faults;
mod fence;
mod gang;
#[path = "../support/get.rs"]
mod get;
mod liar;
mod ordered;
mod rails;
mod restart;
mod scale;
mod sound;
mod standing;
#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../support/mod.rs"]
mod support;
mod systems;
mod upgrade;
mod world;

use support::testbed::{FOLDER, Testbed};
use world::World;

/// Runs the steps, or those of them whose name contains what the environment says in `LICTOR_STEP`.
macro_rules! steps {
    ($($step:expr,)*) => {
        let only = std::env::var("LICTOR_STEP").unwrap_or_default();
        $(if stringify!($step).contains(&only) { $step.await; })*
    };
}

/// These tests look at the clock: they run one after the other.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test(flavor = "multi_thread")]
async fn the_laws_decide_in_a_living_cluster() {
    let _alone = ALONE.lock().await;
    let Some(testbed) = Testbed::up(&["--manifests", &format!("{FOLDER}/crds")]) else { return };
    let world = World::new(testbed).await;
    world.grant().await;
    steps! {
        gang::is_admitted_when_its_victims_have_left(&world, "coscheduling"),
        gang::is_admitted_when_its_victims_have_left(&world, "kubernetes"),
        gang::is_only_talked_about(&world),
        standing::running_pods_are_marked(&world),
        sound::a_pod_that_was_let_go_and_is_refused(&world),
        crowd::a_pod_starts_where_a_node_gets_free(&world),
        crowd::held_and_ordinary_pods(&world, "coscheduling", 20, 16),
        crowd::held_and_ordinary_pods(&world, "kubernetes", 5, 4),
        crowd::held_and_ordinary_pods(&world, "koordinator", 5, 4),
        systems::volcano::held_and_ordinary_pods(&world),
        systems::yunikorn::held_and_ordinary_pods(&world),
        sound::evictions_by_others(&world),
        sound::a_preemption_by_kube_scheduler(&world),
        sound::a_node_that_vanishes(&world),
        sound::a_quota_that_changes(&world),
        sound::a_job_that_is_deleted_half_way(&world),
        sound::a_pod_that_is_created_again(&world),
        systems::coscheduling::a_gang_takes_back_what_its_quota_has_lent(&world),
        systems::kubernetes::a_group_leaves_whole(&world),
        systems::volcano::a_gang_takes_back_what_its_queue_deserves(&world, false),
        systems::volcano::a_gang_takes_back_what_its_queue_deserves(&world, true),
        systems::volcano::an_elastic_job_grows_and_shrinks(&world),
        systems::volcano::a_job_preempts_a_job_of_its_queue(&world),
        systems::koordinator::a_job_takes_back_what_its_quota_has_lent(&world, false),
        systems::koordinator::a_job_takes_back_what_its_quota_has_lent(&world, true),
        systems::koordinator::a_gang_evicts_a_gang_of_its_quota(&world),
        systems::koordinator::a_promise_in_a_quota_is_withdrawn(&world),
        systems::koordinator::a_reservation_preempts_a_reservation(&world),
        systems::yunikorn::a_queue_gets_its_guarantee_back(&world, false),
        systems::yunikorn::a_queue_gets_its_guarantee_back(&world, true),
        systems::yunikorn::a_queue_gives_back_what_it_holds_over_a_lowered_maximum(&world),
        systems::yunikorn::a_clock_that_was_ahead(&world),
        upgrade::a_hostile_policy_evicts_nobody(&world),
        upgrade::a_policy_that_lies_is_not_taken(&world),
        upgrade::a_first_policy_that_lies_evicts_nobody(&world),
        rails::a_policy_that_evicts_what_a_rail_protects_evicts_nobody(&world),
        upgrade::a_policy_that_lies_in_the_watch_is_rolled_back(&world),
        upgrade::a_policy_that_decides_alike_takes_over(&world),
        upgrade::a_quiet_cluster_compares_nothing(&world),
        ordered::through_a_config_map(&world),
        ordered::over_the_socket(&world),
        faults::requests_that_fail(&world),
        faults::an_api_server_that_is_killed(&world),
        ends::a_right_that_is_missing(&world),
        ends::a_budget_that_forbids(&world),
        rails::a_budget_that_forbids_half_of_a_plan(&world),
        ends::a_job_that_is_refused_for_good(&world),
        ends::victims_that_were_only_marked(&world),
        ends::victims_that_were_only_marked_before_other_arguments(&world),
        restart::from_the_cluster_alone(&world),
        restart::as_it_is_shipped(&world, "kubernetes"),
        restart::from_a_checkpoint(&world),
        restart::with_a_checkpoint_that_is_too_large(&world),
        fence::with_a_checkpoint_that_another_has_taken_over(&world),
        fence::with_a_checkpoint_that_nobody_answers(&world),
        fence::of_two_evictions_one_is_served(&world),
        restart::beside_another_without_a_lease(&world),
        restart::told_to_end(&world),
        restart::killed_again_and_again(&world),
        restart::when_another_leads(&world),
    }
}

/// The share of the speed of kube-scheduler alone that is left with our gate. As it comes, it binds 50 pods a second: this bounds how late the
/// first pod is let go, and how slowly the others follow. Unoptimised, the laws take some of the machine, and the other tests
/// more.
const SHARE: f64 = if cfg!(debug_assertions) { 0.4 } else { 0.9 };

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_gated_pods_are_bound_about_as_fast_as_without_a_gate() {
    let _alone = ALONE.lock().await;
    let Some(testbed) = Testbed::up(&[]) else { return };
    let share = scale::a_thousand_pods(&World::new(testbed).await, 1).await;
    assert!(share >= SHARE, "at {share:.2} of the speed");
}

/// Measures a thousand pods with and without our gate, three times alternately: `just live-scale`.
#[ignore = "a measurement of some three minutes"]
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_pods_on_five_hundred_nodes() {
    let _alone = ALONE.lock().await;
    let Some(testbed) = Testbed::up(&[]) else { return };
    let share = scale::a_thousand_pods(&World::new(testbed).await, 3).await;
    assert!(share >= SHARE, "at {share:.2} of the speed");
}
