//! The search node by node.

use super::*;
use crate::contract::NotedPods;
use crate::testing::{assert_trace, pod, pod_group};

#[test]
fn the_pod_in_the_way_is_evicted_and_others_stay() {
    for (there, asked) in [
        (DB_WITHOUT_WEB, IS_WEB),
        (IS_DB, WEB_WITHOUT_DB),
        (ONE_OF_CLAIM, ONE_OF_CLAIM),
        // Zone 2 has no such pod and no free capacity: with `v` gone and the pod there, zone 1 has 1 - 0.
        (IS_WEB, WEBS_SPREAD),
    ] {
        let mut world = world("kubernetes", &[("n1", 9, 1), ("n3", 1, 2)]);
        world.pod(pod("full").requests("cpu=1").priority(9).on("n3"));
        world.pod(pod("lesser").requests("cpu=1").priority(-1).on("n1"));
        world.pod(pod("v").requests("cpu=1").inter_pod(there).on("n1"));
        world.pod(pod("a").requests("cpu=1").inter_pod(asked).priority(1));
        assert_eq!(victims(&mut world, "a"), Ok(vec!["v".to_owned()]), "{there} {asked}");
        world.pod(pod("v").requests("cpu=1").inter_pod(there).priority(1).on("n1"));
        assert_eq!(victims(&mut world, "a"), no_node(), "{there} {asked}: it is as important");
    }
}

#[test]
fn the_note_of_a_victim_says_what_it_stands_in_the_way_of() {
    let mut world = world("kubernetes", &[("n1", 9, 1)]);
    world.pod(pod("v").requests("cpu=1").inter_pod(IS_DB).on("n1"));
    world.pod(pod("a").requests("cpu=1").inter_pod(WEB_WITHOUT_DB).priority(1));
    world.engine.record_notes(&NotedPods::All);
    world.pre_filter("a");
    world.post_filter("a");
    assert_trace(&world.trace_lines("a"), &["v Needed inter-pod: anti-affinity: context engine/pod-back"]);
    world.pod(pod("v").requests("cpu=1").inter_pod(IS_DB).priority(2).on("n1"));
    world.pod(pod("w").requests("cpu=1").on("n1"));
    world.pre_filter("a");
    world.post_filter("a");
    assert_trace(&world.trace_lines("a"), &["n1 Barred inter-pod: anti-affinity: context engine/all-evicted"]);
}

#[test]
fn a_pod_on_another_node_of_the_zone_is_no_victim() {
    let mut world = world("kubernetes", &[("n1", 2, 1), ("n2", 2, 1)]);
    world.pod(pod("v").requests("cpu=1").inter_pod(IS_DB).on("n1"));
    world.pod(pod("w").requests("cpu=1").on("n2"));
    world.pod(pod("a").requests("cpu=1").inter_pod(WEB_WITHOUT_DB).priority(1));
    let plan = world.plan("a").unwrap();
    assert_eq!(plan.victims, ["default/v"]);
    assert_eq!(plan.nominations.get("default/a").map(String::as_str), Some("n1"), "on n2 `v` still forbids it");
}

#[test]
fn nobody_is_evicted_whom_the_pod_needs() {
    let mut world = world("kubernetes", &[("n1", 2, 1)]);
    world.pod(pod("needed").requests("cpu=1").inter_pod(IS_DB).priority(1).on("n1"));
    world.pod(pod("v").requests("cpu=1").on("n1"));
    world.pod(pod("a").requests("cpu=1").inter_pod(WEB_WITH_DB).priority(1));
    assert_eq!(victims(&mut world, "a"), Ok(vec!["v".to_owned()]));
    world.pod(pod("b").requests("cpu=2").inter_pod(WEB_WITH_DB).priority(2));
    assert_eq!(victims(&mut world, "b"), no_node(), "there is no room beside the one that it needs");
}

#[test]
fn members_of_a_gang_that_forbid_each_other_get_a_node_each() {
    let mut world = world("coscheduling", &[("n1", 4, 1), ("n2", 4, 1)]);
    world.object(pod_group("g", 2, &[]));
    for (name, node) in [("v1", "n1"), ("v2", "n2")] {
        world.pod(pod(name).requests("cpu=4").on(node));
    }
    let member = |name: &str| pod(name).label("scheduling.x-k8s.io/pod-group", "g").requests("cpu=1").priority(1);
    for name in ["a", "b"] {
        world.pod(member(name));
    }
    assert_eq!(victims(&mut world, "a").map(|victims| victims.len()), Ok(1), "both have room on one node");
    for name in ["a", "b"] {
        world.pod(member(name).inter_pod(WEBS_APART));
    }
    assert_eq!(victims(&mut world, "a"), Ok(vec!["v1".to_owned(), "v2".to_owned()]));
}
