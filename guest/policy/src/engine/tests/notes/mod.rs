//! What is noted during an attempt, and, a file each, search by search. The sentences are worked out by hand from the cluster.

mod cycle;
mod node_by_node;
mod remove_all_then_reprieve;

use crate::contract::NotedPods;
use crate::testing::{PolicyHarness, pod, quota};

/// Runs PreFilter and PostFilter for a pod and returns its notes.
fn tried(world: &mut PolicyHarness, preemptor: &str) -> Vec<String> {
    world.engine.record_notes(&NotedPods::All);
    world.pre_filter(preemptor);
    world.post_filter(preemptor);
    world.trace_lines(preemptor)
}

#[test]
fn nothing_is_noted_unless_somebody_wants_to_be_told() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=1");
    world.pod(pod("a").requests("cpu=2"));
    world.pre_filter("a");
    world.engine.filter(world.id("a")).unwrap();
    world.post_filter("a");
    assert_eq!(world.trace_lines("a"), [""; 0]);
    assert_ne!(tried(&mut world, "a"), [""; 0]);
    world.engine.record_notes(&NotedPods::None);
    assert_eq!(world.trace_lines("a"), [""; 0], "what was recorded is forgotten");
}

#[test]
fn filter_says_of_every_node_what_is_asked_and_what_there_is() {
    let mut world = PolicyHarness::new();
    for (node, has) in [("small", "cpu=1"), ("full", "cpu=4"), ("promised", "cpu=2"), ("fits", "cpu=2"), ("barred", "")]
    {
        world.node(node, has);
    }
    world.pod(pod("v").requests("cpu=2500m").on("full"));
    world.pod(pod("equal").requests("cpu=1").nominated("promised"));
    world.pod(pod("a").requests("cpu=2").only_on(&["small", "full", "promised", "fits"]));
    world.engine.record_notes(&NotedPods::All);
    world.pre_filter("a");
    world.engine.filter(world.id("a")).unwrap();
    assert_eq!(
        world.trace_lines("a"),
        [
            "small Barred large-enough: requested cpu 2, free cpu 1",
            "full Barred has-room: requested cpu 2, free cpu 1500m",
            "promised Barred keeps-promises: requested cpu 2, free cpu 1",
        ]
    );
}

#[test]
fn a_quota_that_stands_in_the_way_is_named_with_both_sides() {
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "cpu=4", "cpu=9"));
    world.node("n", "cpu=9");
    world.pod(pod("v").quota("team").preemptible(false).requests("cpu=3").on("n"));
    world.pod(pod("a").quota("team").preemptible(false).requests("cpu=2").priority(1));
    let line = "queue team Barred non-preemptible-job-fits-min: \
                queue team, used cpu 3, requested cpu 2, min cpu 4";
    assert_eq!(tried(&mut world, "a"), [line], "once, though PreFilter and PostFilter both say so");
}
