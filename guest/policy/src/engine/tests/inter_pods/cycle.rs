//! The cycle of the laws' own, and the search by bundles.

use crate::contract::NotedPods;
use serde_json::json;

use super::*;
use crate::testing::{PodBuilder, assert_trace, object, pod};

/// Creates these nodes, a queue `mine` that deserves 8 cores, and a queue `theirs` that deserves 1.
fn scene(nodes: &[(&str, u32, u32)]) -> PolicyHarness {
    let mut world = world("volcano", nodes);
    for (queue, cores) in [("mine", "8"), ("theirs", "1")] {
        let spec = json!({"spec": {"deserved": {"cpu": cores}}});
        world.object(object("Queue", &format!("/{queue}"), [&[], &[]], spec));
    }
    world
}

fn gang(world: &mut PolicyHarness, name: &str, queue: &str, minimum: u32) {
    let spec = json!({"spec": {"queue": queue, "minMember": minimum}});
    world.object(object("PodGroup", &format!("default/{name}"), [&[], &[]], spec));
}

fn member(name: &str, gang: &str) -> PodBuilder {
    pod(name).annotation("scheduling.k8s.io/group-name", gang).requests("cpu=1")
}

/// Runs a whole cycle. Returns the bindings and the victims by name.
fn acted(world: &mut PolicyHarness) -> (Vec<(String, String)>, Vec<String>) {
    let short = |name: String| name.trim_start_matches("default/").to_owned();
    let (mut bindings, mut victims) = (Vec::new(), Vec::new());
    loop {
        let actions = world.engine.act().unwrap();
        bindings.extend(actions.bindings.iter().map(|at| (short(world.pod_name(at.pod)), world.node_name(at.node))));
        victims.extend(actions.plans.victims.iter().map(|victim| short(world.pod_name(victim.pod))));
        if !actions.more {
            bindings.sort();
            victims.sort();
            return (bindings, victims);
        }
    }
}

fn at(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(pod, node)| ((*pod).to_owned(), (*node).to_owned())).collect()
}

#[test]
fn a_gang_is_placed_as_its_members_allow_or_waits() {
    for (inter_pod, expected) in [
        (IS_WEB, [("a", "n1"), ("b", "n1"), ("c", "n1")]),
        (WEBS_APART, [("a", "n1"), ("b", "n2"), ("c", "n3")]),
        // One in zone 1, then one in zone 2, then one in zone 1 again.
        (WEBS_SPREAD, [("a", "n1"), ("b", "n3"), ("c", "n1")]),
        (WEBS_TOGETHER, [("a", "n1"), ("b", "n1"), ("c", "n1")]),
    ] {
        let mut world = scene(&[("n1", 4, 1), ("n2", 4, 1), ("n3", 4, 2)]);
        gang(&mut world, "g", "mine", 3);
        for name in ["a", "b", "c"] {
            world.pod(member(name, "g").inter_pod(inter_pod));
        }
        assert_eq!(acted(&mut world), (at(&expected), vec![]), "{inter_pod}");
    }
    let mut world = scene(&[("n1", 4, 1), ("n2", 4, 1)]);
    gang(&mut world, "g", "mine", 3);
    for name in ["a", "b", "c"] {
        world.pod(member(name, "g").inter_pod(WEBS_APART));
    }
    assert_eq!(acted(&mut world), (vec![], vec![]), "three that forbid each other, and two nodes");
}

#[test]
fn a_member_may_be_the_company_of_one_that_comes_before_it() {
    let mut world = scene(&[("n1", 1, 1), ("n2", 4, 2)]);
    gang(&mut world, "g", "mine", 2);
    world.pod(member("a", "g").inter_pod(WEB_WITH_DB));
    world.pod(member("b", "g").requests("cpu=2").inter_pod(IS_DB));
    assert_eq!(acted(&mut world).0, at(&[("a", "n2"), ("b", "n2")]));
}

#[test]
fn one_that_is_leaving_is_in_the_way_until_it_has_left() {
    let mut world = scene(&[("n1", 4, 1)]);
    gang(&mut world, "g", "mine", 1);
    world.pod(pod("leaving").requests("cpu=1").inter_pod(IS_DB).on("n1").with(|pod| pod.terminating = true));
    world.pod(member("a", "g").inter_pod(WEB_WITHOUT_DB));
    world.engine.record_notes(&NotedPods::All);
    assert_eq!(acted(&mut world), (vec![], vec![]), "and nobody else goes for it");
    assert_trace(&world.trace_lines("a"), &["n1 Barred inter-pod: anti-affinity"]);
    world.remove_pod("leaving");
    assert_eq!(acted(&mut world).0, at(&[("a", "n1")]));
}

#[test]
fn the_pod_in_the_way_is_the_victim() {
    for (there, asked) in [(DB_WITHOUT_WEB, IS_WEB), (IS_DB, WEB_WITHOUT_DB), (ONE_OF_CLAIM, ONE_OF_CLAIM)] {
        let mut world = scene(&[("n1", 9, 1)]);
        gang(&mut world, "old", "theirs", 1);
        gang(&mut world, "new", "mine", 1);
        for (name, inter_pod) in [("u", IS_WEB), ("v", there), ("w", IS_WEB)] {
            // `u` and `w` forbid no pods, and the preemptor forbids neither.
            world.pod(member(name, "old").requests("cpu=2").inter_pod(inter_pod).on("n1"));
        }
        world.pod(member("a", "new").inter_pod(asked));
        world.engine.record_notes(&NotedPods::All);
        assert_eq!(acted(&mut world), (vec![], vec!["v".to_owned()]), "{there} {asked}");
        let said = world.trace_lines("a");
        assert!(said.iter().any(|line| line.starts_with("v Needed inter-pod: ")), "{said:#?}");
    }
}

#[test]
fn members_that_forbid_each_other_take_a_node_each_from_others() {
    for (inter_pod, nodes) in [(IS_WEB, 1), (WEBS_APART, 2)] {
        let mut world = scene(&[("n1", 4, 1), ("n2", 4, 1)]);
        gang(&mut world, "new", "mine", 2);
        for (name, node) in [("u", "n1"), ("v", "n1"), ("x", "n2"), ("y", "n2")] {
            gang(&mut world, name, "theirs", 1);
            world.pod(member(name, name).requests("cpu=2").inter_pod(IS_DB).on(node));
        }
        for name in ["a", "b"] {
            world.pod(member(name, "new").requests("cpu=2").inter_pod(inter_pod));
        }
        let (bindings, victims) = acted(&mut world);
        assert!(bindings.is_empty());
        // Two cores each: both of one node, or one of each.
        let on_n1 = victims.iter().filter(|victim| ["u", "v"].contains(&victim.as_str())).count();
        let cleared = usize::from(on_n1 > 0) + usize::from(on_n1 < victims.len());
        assert_eq!((victims.len(), cleared), (2, nodes), "{inter_pod}: {victims:?}");
    }
}
