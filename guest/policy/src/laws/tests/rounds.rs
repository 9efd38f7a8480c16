//! The laws about the rounds of a gang group: whether a gang has failed, and which gang of a group is served first.

use super::*;
use crate::contract::{Admission, Event, ReleaseCause};
use crate::laws::gate::gang_group_is_served_first as served_first;
use crate::laws::gate::gang_has_not_failed as not_failed;
use crate::testing::{pod, pod_group};

const GROUPS: &str = "gang.scheduling.koordinator.sh/groups";
const MINUTE: i64 = 60 * 1_000_000_000;

/// Creates one node of 4 cores, and two gangs of 2 whose pods request 4 cores each: `a1` and `a2`, `b1` and `b2`.
fn two_gangs() -> PolicyHarness {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=4");
    for gang in ["a", "b"] {
        world.object(pod_group(gang, 2, &[]));
        for number in 1..=2 {
            world.pod(pod(&format!("{gang}{number}")).job(gang).requests("cpu=4"));
        }
    }
    world
}

/// Tries two pods of a gang: the first waits at Permit on the node, the second finds neither a node nor a plan. The gang gives up all.
fn fail(world: &mut PolicyHarness, waits: &str, fails: &str) {
    assert_eq!(world.pre_filter(waits), Admission::Pass);
    world.reserve(waits, "n");
    assert_eq!(world.pre_filter(fails), Admission::Pass);
    let effects = world.post_filter(fails).effects;
    assert_eq!(effects.releases, [world.id(waits)]);
    let waits = world.id(waits);
    world.engine.unreserve(waits, ReleaseCause::Released).unwrap();
}

fn is_refused(world: &mut PolicyHarness, pod: &str) -> bool {
    matches!(world.pre_filter(pod), Admission::Final(_))
}

#[test]
fn a_gang_that_failed_is_refused_until_something_changes() {
    let mut world = two_gangs();
    fail(&mut world, "a1", "a2");
    for pod in ["a1", "a2", "a1"] {
        assert!(is_refused(&mut world, pod), "what a1 gave up is no change");
    }
    let denied = admission(&mut world, "a1", not_failed::LAW.function).unwrap_err();
    assert!(matches!(denied, Denial::Failed { have: 0, need: 2, until, .. } if until == 5 * MINUTE), "{denied:?}");
    // A pod that waits, and is promised nothing, is no change; a node is.
    world.pod(pod("later").requests("cpu=1"));
    assert!(is_refused(&mut world, "a1"));
    world.node("m", "cpu=1");
    assert_eq!(world.pre_filter("a1"), Admission::Pass);
}

#[test]
fn a_pod_that_holds_its_node_when_a_round_ends_was_tried_in_it() {
    let mut world = two_gangs();
    assert_eq!(world.pre_filter("a1"), Admission::Pass);
    world.reserve("a1", "n");
    // The second attempt for a2 begins a round of its own, which a1 joins with the node that it holds.
    assert_eq!(world.pre_filter("a2"), Admission::Pass);
    assert_eq!(world.pre_filter("a2"), Admission::Pass);
    let a1 = world.id("a1");
    assert_eq!(world.post_filter("a2").effects.releases, [a1]);
    world.engine.unreserve(a1, ReleaseCause::Released).unwrap();
    world.node("m", "cpu=1");
    assert_eq!(world.pre_filter("a1"), Admission::Pass, "something has changed, and a1 begins the next round");
}

#[test]
fn a_pod_that_needs_no_other_one_is_tried_again_without_a_change() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=4");
    world.object(pod_group("g", 1, &[]));
    world.pod(pod("p").job("g").requests("cpu=8"));
    for _ in 0..3 {
        assert_eq!(world.pre_filter("p"), Admission::Pass, "it never waits at Permit");
        world.post_filter("p");
    }
}

#[test]
fn without_a_change_a_gang_that_failed_is_tried_again_after_five_minutes() {
    let mut world = two_gangs();
    fail(&mut world, "a1", "a2");
    world.apply(vec![Event::Clock(5 * MINUTE - 1)]);
    assert!(is_refused(&mut world, "a1"));
    world.apply(vec![Event::Clock(5 * MINUTE)]);
    assert_eq!(world.pre_filter("a1"), Admission::Pass);
}

#[test]
fn what_another_gang_gives_up_is_new_only_if_it_held_it_at_the_time_of_the_failure() {
    let mut world = two_gangs();
    assert_eq!(world.pre_filter("a1"), Admission::Pass);
    world.reserve("a1", "n");
    // Both pods of b fail while a1 holds the node.
    assert_eq!(world.pre_filter("b1"), Admission::Pass);
    world.post_filter("b1");
    assert!(is_refused(&mut world, "b1"));
    let a1 = world.id("a1");
    world.engine.unreserve(a1, ReleaseCause::Failed).unwrap();
    fail(&mut world, "b1", "b2");
    // Gang b held nothing when it failed, and neither did a: what a1 takes and gives up now is no change for b.
    fail(&mut world, "a1", "a2");
    assert!(is_refused(&mut world, "b1"));
    assert!(is_refused(&mut world, "a1"));
}

#[test]
fn a_change_of_an_own_pod_begins_a_round_and_its_nomination_does_not() {
    let mut world = two_gangs();
    fail(&mut world, "a1", "a2");
    world.pod(pod("a1").job("a").requests("cpu=4").nominated("n"));
    assert!(is_refused(&mut world, "a1"));
    // The pod requests less.
    world.pod(pod("a2").job("a").requests("cpu=2"));
    assert_eq!(world.pre_filter("a1"), Admission::Pass);
}

#[test]
fn a_refused_gang_that_failed_gives_up_a_nomination_that_came_late() {
    let mut world = two_gangs();
    fail(&mut world, "a1", "a2");
    world.pod(pod("a1").job("a").requests("cpu=4").nominated("n"));
    let (a1, a2) = (world.id("a1"), world.id("a2"));
    assert_eq!(world.engine.pre_filter(a2).unwrap().effects.withdrawn, [a1]);
}

#[test]
fn a_pod_beyond_the_minimum_waits_for_every_gang_of_the_group() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=4");
    for gang in ["a", "b"] {
        world.object(pod_group(gang, 1, &[(GROUPS, r#"["default/a", "default/b"]"#)]));
    }
    for (name, gang) in [("a1", "a"), ("a2", "a"), ("b1", "b")] {
        world.pod(pod(name).job(gang).requests("cpu=1"));
    }
    assert_eq!(admission(&mut world, "a2", served_first::LAW.function), Ok(()), "its own gang is not complete");
    world.reserve("a1", "n");
    let denied = admission(&mut world, "a2", served_first::LAW.function).unwrap_err();
    assert!(matches!(denied, Denial::Incomplete { have: 0, need: 1, .. }), "{denied:?}");
    assert_eq!(admission(&mut world, "b1", served_first::LAW.function), Ok(()));
    world.reserve("b1", "n");
    assert_eq!(admission(&mut world, "a2", served_first::LAW.function), Ok(()));
}
