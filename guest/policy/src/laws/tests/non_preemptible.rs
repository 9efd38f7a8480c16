//! `non-preemptible used + asked <= min` and `used + asked <= max`.

use super::*;
use crate::laws::gate::non_preemptible_fits_guaranteed as fits_min;
use crate::laws::limit::non_preemptible_fits_max as fits_max;
use crate::testing::{PodBuilder, pod, quota};

/// Creates a quota of min 10 and max 20 cores in which 6 non-preemptible and 8 preemptible cores are used.
fn team() -> PolicyHarness {
    world(PolicyHarness::new(), "cpu=10", "cpu=20")
}

fn world(mut world: PolicyHarness, min: &str, max: &str) -> PolicyHarness {
    world.object(quota("team", "", min, max));
    world.node("n", "cpu=64 memory=64Gi gpu=8");
    world.pod(pod("np").quota("team").preemptible(false).requests("cpu=6 memory=6Gi").on("n"));
    world.pod(pod("p").quota("team").preemptible(true).requests("cpu=8 memory=8Gi").on("n"));
    world
}

fn preemptor(asks: &str) -> PodBuilder {
    pod("asker").quota("team").preemptible(false).requests(asks)
}

fn over_min(world: &PolicyHarness, asked: i64) -> Result<(), Denial> {
    exceeds(world, "team", CPU, &[("used", 6000), ("promised", 0), ("requested", asked)], ("min", 10_000))
}

fn over_max(world: &PolicyHarness, asked: i64) -> Result<(), Denial> {
    let parts = [("preemptible-used", 8000), ("non-preemptible-used", 6000), ("promised", 0), ("requested", asked)];
    exceeds(world, "team", CPU, &parts, ("max", 20_000))
}

#[test]
fn equal_to_min_is_within_and_one_thousandth_of_a_core_more_is_not() {
    for (asks, asked) in [("cpu=4", None), ("cpu=4001m", Some(4001))] {
        let mut team = team();
        team.pod(preemptor(asks));
        let expected = asked.map_or(Ok(()), |asked| over_min(&team, asked));
        assert_eq!(admission(&mut team, "asker", fits_min::LAW.function), expected, "{asks}");
    }
}

#[test]
fn equal_to_max_is_within_and_one_thousandth_of_a_core_more_is_not() {
    for (asks, asked) in [("cpu=6", None), ("cpu=6001m", Some(6001))] {
        let mut team = team();
        team.pod(preemptor(asks));
        let expected = asked.map_or(Ok(()), |asked| over_max(&team, asked));
        assert_eq!(admission(&mut team, "asker", fits_max::LAW.function), expected, "{asks}");
    }
}

#[test]
fn a_preemptible_asker_is_no_concern_of_either() {
    let mut team = team();
    team.pod(pod("asker").quota("team").preemptible(true).requests("cpu=60"));
    assert_eq!(admission(&mut team, "asker", fits_min::LAW.function), Ok(()));
    assert_eq!(admission(&mut team, "asker", fits_max::LAW.function), Ok(()));
}

#[test]
fn a_resource_that_the_bound_does_not_name_is_not_bounded() {
    let mut team = team();
    team.pod(preemptor("gpu=8 memory=58Gi"));
    assert_eq!(admission(&mut team, "asker", fits_min::LAW.function), Ok(()));
    assert_eq!(admission(&mut team, "asker", fits_max::LAW.function), Ok(()));
}

#[test]
fn a_bound_of_nothing_bounds() {
    let mut team = world(PolicyHarness::new(), "cpu=10 gpu=0", "cpu=20 gpu=0");
    team.pod(preemptor("gpu=1"));
    let gpu = ResourceIx(2);
    let parts = [("used", 0), ("promised", 0), ("requested", 1)];
    assert_eq!(admission(&mut team, "asker", fits_min::LAW.function), exceeds(&team, "team", gpu, &parts, ("min", 0)));
    let parts = [("preemptible-used", 0), ("non-preemptible-used", 0), ("promised", 0), ("requested", 1)];
    assert_eq!(admission(&mut team, "asker", fits_max::LAW.function), exceeds(&team, "team", gpu, &parts, ("max", 0)));
}

#[test]
fn a_queue_that_is_over_in_a_resource_takes_nobody_who_asks_for_another() {
    let mut team = world(PolicyHarness::new(), "cpu=10 memory=5Gi", "cpu=20 memory=13Gi");
    team.pod(preemptor("cpu=1"));
    let gi = 1 << 30;
    let parts = [("used", 6 * gi), ("promised", 0), ("requested", 0)];
    assert_eq!(
        admission(&mut team, "asker", fits_min::LAW.function),
        exceeds(&team, "team", MEMORY, &parts, ("min", 5 * gi))
    );
    let parts = [("preemptible-used", 8 * gi), ("non-preemptible-used", 6 * gi), ("promised", 0), ("requested", 0)];
    assert_eq!(
        admission(&mut team, "asker", fits_max::LAW.function),
        exceeds(&team, "team", MEMORY, &parts, ("max", 13 * gi))
    );
}

#[test]
fn what_is_asked_is_the_sum_over_the_waiting_pods_of_the_job() {
    let mut team = team();
    // 2 + 2 wait: 6 + 4 = 10. A pod on a node is used already; one that has ended or is leaving requests nothing.
    for name in ["asker", "sibling"] {
        team.pod(pod(name).quota("team").preemptible(false).job("j").requests("cpu=2"));
    }
    team.pod(
        pod("ended").quota("team").job("j").requests("cpu=5").with(|pod| pod.phase = crate::contract::Phase::Succeeded),
    );
    team.pod(
        pod("leaving").quota("team").preemptible(false).job("j").requests("cpu=5").with(|pod| pod.terminating = true),
    );
    assert_eq!(admission(&mut team, "asker", fits_min::LAW.function), Ok(()));
    team.reserve("sibling", "n");
    team.pod(pod("third").quota("team").preemptible(false).job("j").requests("cpu=1m"));
    let parts = [("used", 8000), ("promised", 0), ("requested", 2001)];
    assert_eq!(
        admission(&mut team, "asker", fits_min::LAW.function),
        exceeds(&team, "team", CPU, &parts, ("min", 10_000))
    );
}

#[test]
fn a_pod_that_is_leaving_counts_until_it_is_gone() {
    let mut team = team();
    team.pod(pod("old").quota("team").preemptible(false).requests("cpu=1").on("n").with(|pod| pod.terminating = true));
    team.pod(preemptor("cpu=4"));
    let parts = [("used", 7000), ("promised", 0), ("requested", 4000)];
    assert_eq!(
        admission(&mut team, "asker", fits_min::LAW.function),
        exceeds(&team, "team", CPU, &parts, ("min", 10_000))
    );
    team.remove_pod("old");
    assert_eq!(admission(&mut team, "asker", fits_min::LAW.function), Ok(()));
}

#[test]
fn nominated_pods_of_other_jobs_count_at_every_extension_point_and_by_class_against_min() {
    let mut team = team();
    team.pod(pod("np-other").quota("team").preemptible(false).requests("cpu=1").nominated("n"));
    team.pod(pod("p-other").quota("team").preemptible(true).requests("cpu=2").nominated("n"));
    team.pod(pod("elsewhere").preemptible(false).requests("cpu=5").nominated("n"));
    team.pod(preemptor("cpu=4").nominated("n"));
    // min: 6 used + 1 promised + 4 > 10. max: 14 used + 3 promised + 4 = 21 > 20.
    let parts = [("used", 6000), ("promised", 1000), ("requested", 4000)];
    assert_eq!(
        admission(&mut team, "asker", fits_min::LAW.function),
        exceeds(&team, "team", CPU, &parts, ("min", 10_000))
    );
    let parts = [("preemptible-used", 8000), ("non-preemptible-used", 6000), ("promised", 3000), ("requested", 4000)];
    assert_eq!(
        admission(&mut team, "asker", fits_max::LAW.function),
        exceeds(&team, "team", CPU, &parts, ("max", 20_000))
    );
}

#[test]
fn with_the_job_on_its_nodes_nothing_is_asked_twice() {
    let mut team = team();
    team.pod(preemptor("cpu=6"));
    team.reserve("asker", "n");
    let id = team.id("asker");
    assert_eq!(team.engine.with_all_placed(id, fits_max::LAW.function), Ok(()));
    team.pod(pod("more").quota("team").requests("cpu=1m").on("n"));
    let parts = [("preemptible-used", 8001), ("non-preemptible-used", 12_000), ("promised", 0), ("requested", 0)];
    let over = exceeds(&team, "team", CPU, &parts, ("max", 20_000));
    assert_eq!(team.engine.with_all_placed(id, fits_max::LAW.function), over);
}

#[test]
fn ancestors_below_the_root_bound_where_the_argument_says_so() {
    for (arguments, bound) in [("", false), (r#"{"enableCheckParentQuota": true}"#, true)] {
        let mut world = PolicyHarness::with(arguments);
        world.object(quota(crate::testing::ROOT, "", "cpu=1", "cpu=1"));
        world.object(quota("group", "", "cpu=5", "cpu=7"));
        world.object(quota("team", "group", "cpu=10", "cpu=10"));
        world.object(quota("sister", "group", "cpu=10", "cpu=10"));
        world.node("n", "cpu=64");
        world.pod(pod("np").quota("sister").preemptible(false).requests("cpu=2").on("n"));
        world.pod(pod("p").quota("sister").requests("cpu=2").on("n"));
        world.pod(preemptor("cpu=4"));
        let min = [("used", 2000), ("promised", 0), ("requested", 4000)];
        let max = [("preemptible-used", 2000), ("non-preemptible-used", 2000), ("promised", 0), ("requested", 4000)];
        let (min, max) = match bound {
            true => {
                (exceeds(&world, "group", CPU, &min, ("min", 5000)), exceeds(&world, "group", CPU, &max, ("max", 7000)))
            }
            false => (Ok(()), Ok(())),
        };
        assert_eq!(admission(&mut world, "asker", fits_min::LAW.function), min, "{arguments}");
        assert_eq!(admission(&mut world, "asker", fits_max::LAW.function), max, "{arguments}");
        // 2 + 3 = 5 and 4 + 3 = 7 are within the group; the root never binds.
        world.pod(preemptor("cpu=3"));
        assert_eq!(admission(&mut world, "asker", fits_min::LAW.function), Ok(()), "{arguments}");
        assert_eq!(admission(&mut world, "asker", fits_max::LAW.function), Ok(()), "{arguments}");
    }
}

#[test]
fn the_share_stands_in_the_place_of_max_where_there_are_shares() {
    // 12 cores: `team` requests 3, `other` 20. No mins; weights are the max, 20 each: 6 each, `team` takes its 3.
    let mut world = PolicyHarness::with(r#"{"enableRuntimeQuota": true}"#);
    world.object(quota("team", "", "", "cpu=20"));
    world.object(quota("other", "", "", "cpu=20"));
    world.node("n", "cpu=12");
    world.pod(pod("greedy").quota("other").requests("cpu=20"));
    world.pod(preemptor("cpu=3"));
    assert_eq!(admission(&mut world, "asker", fits_max::LAW.function), Ok(()));
    // `team` requests 7 and `other` 20, so `team` gets 6 of the 12.
    world.pod(preemptor("cpu=7"));
    let parts = [("preemptible-used", 0), ("non-preemptible-used", 0), ("promised", 0), ("requested", 7000)];
    assert_eq!(
        admission(&mut world, "asker", fits_max::LAW.function),
        exceeds(&world, "team", CPU, &parts, ("runtime", 6000))
    );
}
