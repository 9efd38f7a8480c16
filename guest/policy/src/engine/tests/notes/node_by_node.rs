//! What is noted when a pod is planned as kube-scheduler does.

use super::tried;
use crate::testing::{PolicyHarness, assert_trace, pod};

#[test]
fn every_node_says_what_it_would_cost_or_lacks() {
    let mut world = PolicyHarness::of("kubernetes", "");
    for node in ["x", "y", "z"] {
        world.node(node, "cpu=4");
    }
    world.pod(pod("dear").requests("cpu=4").priority(5).on("x"));
    world.pod(pod("victim").requests("cpu=3").on("y"));
    world.pod(pod("kept").requests("cpu=1").priority(1).on("y"));
    world.pod(pod("equal").requests("cpu=2").priority(9).on("z"));
    world.pod(pod("a").requests("cpu=3").priority(9));
    assert_eq!(
        tried(&mut world, "a"),
        [
            "equal Spared victim-ranks-lower: priority 9, preemptor-priority 9",
            "z Barred node-lacks-room: requested cpu 3, free cpu 2, candidates 0",
            "equal Enough victim-ranks-lower: priority 9, preemptor-priority 9, context engine/enough-with",
            "x Enough node-suffices: victims 1, priority 5",
            "dear Unneeded not-needed: unused-node",
            "kept Reprieved reprieved: ",
            "victim Needed needed: requested cpu 3, free cpu 0",
            "y Chosen node-chosen: victims 1, priority 0, pods 1",
        ]
    );
}

#[test]
fn nodes_that_need_not_be_looked_at_are_told_so() {
    let mut world =
        PolicyHarness::of("kubernetes", r#"{"minCandidateNodesAbsolute": 1, "minCandidateNodesPercentage": 0}"#);
    for node in ["x", "y"] {
        world.node(node, "cpu=1");
        world.pod(pod(&format!("on-{node}")).requests("cpu=1").on(node));
    }
    world.pod(pod("a").requests("cpu=1").priority(1));
    let line = "y Unneeded not-looked-at: candidates 1";
    let said = tried(&mut world, "a");
    assert_trace(&said, &[line]);
}
