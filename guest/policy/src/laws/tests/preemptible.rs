//! `min(min, non-preemptible requested) + preemptible used + asked <= max`.

use super::*;
use crate::laws::limit::preemptible_leaves_guaranteed::LAW;
use crate::testing::{PodBuilder, pod, quota};

/// Creates a quota of min 10 and max 20 cores with 5 preemptible cores used.
fn team() -> PolicyHarness {
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "cpu=10", "cpu=20"));
    world.node("n", "cpu=64 memory=64Gi gpu=8");
    world.pod(pod("p").quota("team").requests("cpu=5 memory=5Gi").on("n"));
    world
}

fn preemptor(asks: &str) -> PodBuilder {
    pod("asker").quota("team").preemptible(true).requests(asks)
}

fn over(world: &PolicyHarness, [aside, used, promised, asked]: [i64; 4]) -> Result<(), Denial> {
    let parts = [("set-aside", aside), ("preemptible-used", used), ("promised", promised), ("requested", asked)];
    exceeds(world, "team", CPU, &parts, ("max", 20_000))
}

#[test]
fn set_aside_is_what_non_preemptible_pods_request_and_at_most_min() {
    // (requested by running, by pending non-preemptible pods, requested, set aside if that is too much)
    for (running, pending, asks, aside) in [
        ("cpu=0", "cpu=0", "cpu=15", None),
        ("cpu=0", "cpu=0", "cpu=15001m", Some((0, 15_001))),
        ("cpu=3", "cpu=0", "cpu=12", None),
        ("cpu=3", "cpu=0", "cpu=12001m", Some((3000, 12_001))),
        ("cpu=3", "cpu=4", "cpu=8", None),
        ("cpu=3", "cpu=4", "cpu=8001m", Some((7000, 8001))),
        // 8 + 4 are requested; 10 is the most that is set aside.
        ("cpu=8", "cpu=4", "cpu=5", None),
        ("cpu=8", "cpu=4", "cpu=5001m", Some((10_000, 5001))),
    ] {
        let mut team = team();
        team.pod(pod("running").quota("team").preemptible(false).requests(running).on("n"));
        team.pod(pod("pending").quota("team").preemptible(false).requests(pending));
        team.pod(preemptor(asks));
        let expected = aside.map_or(Ok(()), |(aside, asked)| over(&team, [aside, 5000, 0, asked]));
        assert_eq!(admission(&mut team, "asker", LAW.function), expected, "{running} {pending} {asks}");
    }
}

#[test]
fn a_non_preemptible_asker_is_no_concern_of_it() {
    let mut team = team();
    team.pod(pod("asker").quota("team").preemptible(false).requests("cpu=60"));
    assert_eq!(admission(&mut team, "asker", LAW.function), Ok(()));
}

#[test]
fn a_resource_that_max_does_not_name_is_not_bounded() {
    let mut team = team();
    team.pod(preemptor("memory=59Gi gpu=8"));
    assert_eq!(admission(&mut team, "asker", LAW.function), Ok(()));
}

#[test]
fn a_resource_that_min_does_not_name_is_set_aside_as_requested() {
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "memory=1Gi", "cpu=20"));
    world.pod(pod("np").quota("team").preemptible(false).requests("cpu=18"));
    world.pod(preemptor("cpu=2"));
    assert_eq!(admission(&mut world, "asker", LAW.function), Ok(()));
    world.pod(preemptor("cpu=2001m"));
    assert_eq!(admission(&mut world, "asker", LAW.function), over(&world, [18_000, 0, 0, 2001]));
}

#[test]
fn each_resource_is_bounded_by_itself() {
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "", "cpu=20 memory=8Gi"));
    world.pod(preemptor("cpu=20 memory=8193Mi"));
    let parts = [("set-aside", 0), ("preemptible-used", 0), ("promised", 0), ("requested", 8193 << 20)];
    assert_eq!(admission(&mut world, "asker", LAW.function), exceeds(&world, "team", MEMORY, &parts, ("max", 8 << 30)));
}

#[test]
fn a_queue_that_is_over_its_max_takes_nobody() {
    let mut team = team();
    team.pod(pod("too-much").quota("team").requests("cpu=16").on("n"));
    team.pod(preemptor("memory=1Gi"));
    assert_eq!(admission(&mut team, "asker", LAW.function), over(&team, [0, 21_000, 0, 0]));
}

#[test]
fn ended_pods_neither_use_nor_request() {
    let mut team = team();
    let ended = |draft: PodBuilder| draft.with(|pod| pod.phase = crate::contract::Phase::Failed);
    team.pod(ended(pod("np").quota("team").preemptible(false).requests("cpu=9").on("n")));
    team.pod(ended(pod("p2").quota("team").requests("cpu=9").on("n")));
    team.pod(preemptor("cpu=15"));
    assert_eq!(admission(&mut team, "asker", LAW.function), Ok(()));
}

#[test]
fn nominated_preemptible_pods_of_other_jobs_count_at_every_extension_point() {
    let mut team = team();
    team.pod(pod("other").quota("team").requests("cpu=1").nominated("n"));
    // A promise to a non-preemptible pod is set aside already: it is requested.
    team.pod(pod("np").quota("team").preemptible(false).requests("cpu=2").nominated("n"));
    team.pod(pod("sibling").quota("team").job("j").requests("cpu=3").nominated("n"));
    team.pod(preemptor("cpu=10").job("j").nominated("n"));
    assert_eq!(admission(&mut team, "asker", LAW.function), over(&team, [2000, 5000, 1000, 13_000]));
    team.remove_pod("other");
    assert_eq!(admission(&mut team, "asker", LAW.function), Ok(()));
}

#[test]
fn pods_of_other_queues_do_not_count() {
    let mut team = team();
    team.object(quota("other", "", "", "cpu=1"));
    team.pod(pod("foreign").quota("other").requests("cpu=30").on("n"));
    team.pod(preemptor("cpu=15"));
    assert_eq!(admission(&mut team, "asker", LAW.function), Ok(()));
}
