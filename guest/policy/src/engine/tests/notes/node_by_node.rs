//! What is noted when a pod is planned as kube-scheduler does.

use super::tried;
use crate::testing::{World, assert_said, pod};

#[test]
fn every_node_says_what_it_would_cost_or_lacks() {
    let mut world = World::of("kubernetes", "");
    for node in ["x", "y", "z"] {
        world.node(node, "cpu=4");
    }
    world.pod(pod("dear").asks("cpu=4").priority(5).on("x"));
    world.pod(pod("victim").asks("cpu=3").on("y"));
    world.pod(pod("kept").asks("cpu=1").priority(1).on("y"));
    world.pod(pod("equal").asks("cpu=2").priority(9).on("z"));
    world.pod(pod("a").asks("cpu=3").priority(9));
    assert_eq!(
        tried(&mut world, "a"),
        [
            "equal Spared victim-ranks-lower: its priority 9 is not lower than the preemptor's 9",
            "z Barred fewest-violations-first: not enough cpu (asked 3, free 2); nobody there may make way",
            "equal Enough victim-ranks-lower: its node would have room if it made way; its priority 9 is not lower than \
             the preemptor's 9",
            "x Enough fewest-violations-first: 1 pod would make way, of priority 5",
            "dear Unneeded fewest-violations-first: nothing was planned onto its node",
            "kept PutBack important-first: there is room for it beside the preemptor",
            "victim Needed important-first: with it back, not enough cpu (asked 3, free 0)",
            "y Chosen fewest-violations-first: 1 pod is planned onto it: 1 pod makes way, of priority 0",
        ]
    );
}

#[test]
fn nodes_that_need_not_be_looked_at_are_told_so() {
    let mut world = World::of("kubernetes", r#"{"minCandidateNodesAbsolute": 1, "minCandidateNodesPercentage": 0}"#);
    for node in ["x", "y"] {
        world.node(node, "cpu=1");
        world.pod(pod(&format!("on-{node}")).asks("cpu=1").on(node));
    }
    world.pod(pod("a").asks("cpu=1").priority(1));
    let line = "y Unneeded fewest-violations-first: not looked at: 1 that would do are enough";
    let said = tried(&mut world, "a");
    assert_said(&said, &[line]);
}
