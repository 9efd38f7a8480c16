//! What is noted when a job is planned as a whole.

use super::tried;
use crate::contract::{Placement, Refuted};
use crate::testing::{PolicyHarness, assert_trace, pod, quota};

#[test]
fn a_victim_is_told_what_would_be_missing_and_other_nodes_what_they_would_have_cost() {
    let mut world = PolicyHarness::new();
    world.node("x", "cpu=4");
    world.node("y", "cpu=4");
    world.node("z", "cpu=1");
    world.pod(pod("dear").requests("cpu=4").priority(5).on("x"));
    world.pod(pod("victim").requests("cpu=3").on("y"));
    world.pod(pod("kept").requests("cpu=1").priority(1).on("y"));
    world.pod(pod("a").requests("cpu=3").priority(9));
    assert_eq!(
        tried(&mut world, "a"),
        [
            "kept Reprieved reprieved: ",
            "victim Needed needed: requested cpu 3, free cpu 0",
            "x Enough node-suffices: victims 1, priority 5",
            "dear Unneeded not-needed: unused-node",
            "z Barred node-lacks-room: requested cpu 3, free cpu 1, candidates 0",
            "y Chosen node-chosen: victims 1, priority 0, pods 1",
        ]
    );
}

#[test]
fn who_may_not_go_and_would_have_been_enough_is_named_with_the_law() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=4");
    world.node("m", "cpu=4");
    world.pod(pod("v").requests("cpu=1").on("n"));
    world.pod(pod("np").preemptible(false).requests("cpu=2").on("n"));
    world.pod(pod("small").preemptible(false).requests("cpu=1").on("n"));
    world.pod(pod("dear").requests("cpu=2").priority(9).on("m"));
    world.pod(pod("equal").requests("cpu=2").priority(1).on("m"));
    world.pod(pod("a").requests("cpu=3").priority(1));
    // n: 4 - 3 = 1 with `v` gone; with `np` it is 3, and `small` can stay. m: both would have to be evicted.
    let both = "preemptor-priority 1, context engine/enough-with, others 1";
    assert_eq!(
        tried(&mut world, "a"),
        [
            "np Spared victim-is-preemptible: non-preemptible".to_owned(),
            "small Spared victim-is-preemptible: non-preemptible".to_owned(),
            "dear Spared victim-ranks-lower: priority 9, preemptor-priority 1".to_owned(),
            "equal Spared victim-ranks-lower: priority 1, preemptor-priority 1".to_owned(),
            "n Barred node-lacks-room: requested cpu 3, free cpu 1, candidates 1".to_owned(),
            "v Unneeded not-needed: not-enough".to_owned(),
            "np Enough victim-is-preemptible: non-preemptible: context engine/enough-with".to_owned(),
            "m Barred node-lacks-room: requested cpu 3, free cpu 0, candidates 0".to_owned(),
            format!("dear Enough victim-ranks-lower: priority 9, {both}"),
            format!("equal Enough victim-ranks-lower: priority 1, {both}"),
            "asker Barred no-node: ".to_owned(),
        ]
    );
}

#[test]
fn a_job_that_finds_too_few_nodes_is_told_which_would_have_done() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=2");
    world.node("m", "cpu=2");
    world.pod(pod("v").requests("cpu=2").on("n"));
    world.pod(pod("np").preemptible(false).requests("cpu=1").on("m"));
    for name in ["a", "b"] {
        world.pod(pod(name).job("j").requests("cpu=2").priority(1));
    }
    let said = tried(&mut world, "a");
    assert_trace(
        &said,
        &[
            "n Enough node-suffices: victims 1, priority 0",
            "v Unneeded not-needed: job-incomplete",
            "m Barred node-lacks-room: requested cpu 2, free cpu 1, candidates 0",
        ],
    );
}

#[test]
fn who_goes_for_the_quota_is_told_so() {
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "cpu=4", "cpu=4"));
    world.node("n1", "cpu=4");
    world.node("n2", "cpu=2");
    world.pod(pod("own").quota("team").requests("cpu=2").on("n2"));
    world.pod(pod("a").quota("team").preemptible(false).requests("cpu=4").priority(1));
    let said = tried(&mut world, "a");
    let own = said.iter().find(|line| line.starts_with("own Needed")).unwrap();
    assert!(own.starts_with("own Needed non-preemptible-job-fits-max: queue team, "), "{own}");
    assert!(own.ends_with(", max cpu 4, context engine/pod-back"), "{own}");
}

#[test]
fn what_was_noted_of_a_plan_that_the_host_refused_is_forgotten() {
    let mut world = PolicyHarness::new();
    world.node("x", "cpu=1");
    world.node("y", "cpu=1");
    world.pod(pod("v").requests("cpu=1").on("x"));
    world.pod(pod("w").requests("cpu=1").on("y"));
    world.pod(pod("a").requests("cpu=1").priority(1));
    let first = tried(&mut world, "a");
    assert!(first.iter().any(|line| line.starts_with("v Needed")), "{first:#?}");
    let a = world.id("a");
    let refuted = Refuted { placements: vec![Placement { pod: a, node: 0 }], ..Refuted::default() };
    world.engine.post_filter(&[a], &refuted).unwrap();
    let then = world.trace_lines("a");
    assert!(then.iter().any(|line| line.starts_with("w Needed")), "{then:#?}");
    assert!(!then.iter().any(|line| line.starts_with("v ")), "`x` is out of the question: {then:#?}");
}
