//! The search that removes all and reprieves.

use super::*;
use crate::contract::NotedPods;
use crate::testing::{PodBuilder, assert_trace, pod};

fn member(name: &str, inter_pod: u32) -> PodBuilder {
    pod(name).job("j").requests("cpu=1").priority(1).inter_pod(inter_pod)
}

#[test]
fn the_pod_in_the_way_is_not_reprieved() {
    for (there, asked) in [(DB_WITHOUT_WEB, IS_WEB), (IS_DB, WEB_WITHOUT_DB), (ONE_OF_CLAIM, ONE_OF_CLAIM)] {
        let mut world = world("koordinator", &[("n1", 9, 1)]);
        world.pod(pod("lesser").requests("cpu=1").priority(-1).on("n1"));
        world.pod(pod("v").requests("cpu=1").inter_pod(there).on("n1"));
        world.pod(member("a", asked));
        world.engine.record_notes(&NotedPods::All);
        world.pre_filter("a");
        assert_eq!(victims(&mut world, "a"), Ok(vec!["v".to_owned()]), "{there} {asked}");
        let case = match asked {
            IS_WEB => "existing",
            WEB_WITHOUT_DB => "anti-affinity",
            _ => "claim",
        };
        assert_trace(&world.trace_lines("a"), &[&format!("v Needed inter-pod: {case}: context engine/pod-back")]);
        world.pod(pod("v").requests("cpu=1").inter_pod(there).preemptible(false).on("n1"));
        assert_eq!(victims(&mut world, "a"), no_node(), "{there} {asked}: it may not be evicted");
    }
}

#[test]
fn members_that_forbid_each_other_get_a_node_each_or_there_is_no_plan() {
    for (inter_pod, expected) in [(IS_WEB, 1), (WEBS_APART, 2)] {
        let mut world = world("koordinator", &[("n1", 2, 1), ("n2", 2, 1)]);
        for (name, node) in [("v1", "n1"), ("v2", "n2")] {
            world.pod(pod(name).requests("cpu=2").on(node));
        }
        world.pod(member("a", inter_pod));
        world.pod(member("b", inter_pod));
        assert_eq!(victims(&mut world, "a").map(|victims| victims.len()), Ok(expected), "{inter_pod}");
        world.pod(member("c", inter_pod));
        let third = victims(&mut world, "a").map(|victims| victims.len());
        // Three cores are to be had on two nodes.
        let expected = if inter_pod == IS_WEB { Ok(2) } else { Err("engine/no-node".to_owned()) };
        assert_eq!(third, expected, "{inter_pod}");
    }
}

#[test]
fn a_victim_for_a_member_planned_before_stays_a_victim_for_the_next_one() {
    let mut world = world("koordinator", &[("n1", 9, 1)]);
    world.pod(pod("v").requests("cpu=1").inter_pod(IS_DB).on("n1"));
    world.pod(member("a", WEB_WITHOUT_DB).requests("cpu=2"));
    world.pod(member("b", IS_WEB));
    assert_eq!(victims(&mut world, "b"), Ok(vec!["v".to_owned()]));
}

#[test]
fn a_member_may_be_the_company_of_another_one() {
    let mut world = world("koordinator", &[("n1", 1, 1), ("n2", 2, 2), ("n3", 1, 2)]);
    for (name, node, cores) in [("v1", "n1", 1), ("v2", "n2", 2), ("v3", "n3", 1)] {
        world.pod(pod(name).requests(&format!("cpu={cores}")).on(node));
    }
    world.pod(member("a", WEB_WITH_DB).requests("cpu=1"));
    world.pod(member("b", IS_DB).requests("cpu=2"));
    // `b` fits on n2 only, so `a` must be in zone 2.
    let plan = world.plan("a").unwrap();
    assert_eq!(plan.nominations.get("default/a").map(String::as_str), Some("n3"));
    assert_eq!(plan.victims.len(), 2);
}

#[test]
fn a_candidate_that_a_member_needs_comes_back() {
    let mut world = world("koordinator", &[("n1", 2, 1)]);
    world.pod(pod("needed").requests("cpu=1").inter_pod(IS_DB).priority(-1).on("n1"));
    world.pod(member("a", WEB_WITH_DB));
    assert_eq!(victims(&mut world, "a"), Ok(Vec::new()), "there is room beside it");
    world.pod(pod("v").requests("cpu=1").preemptible(false).on("n1"));
    assert_eq!(victims(&mut world, "a"), no_node(), "it is the only one that may go");
}

#[test]
fn members_are_spread_over_zones() {
    let mut world = world("koordinator", &[("n1", 4, 1), ("n2", 4, 1), ("n3", 4, 2)]);
    for (name, node) in [("v1", "n1"), ("v2", "n2"), ("v3", "n3")] {
        world.pod(pod(name).requests("cpu=4").on(node));
    }
    for name in ["a", "b", "c", "d"] {
        world.pod(member(name, WEBS_SPREAD));
    }
    let plan = world.plan("a").unwrap();
    let in_zone_2 = plan.nominations.values().filter(|node| *node == "n3").count();
    assert_eq!((plan.nominations.len(), in_zone_2), (4, 2), "two in each zone: {plan:?}");
}
