//! Gangs at Reserve, Permit and PostFilter: which pods wait, which may be bound, and which gangs give up.

use std::sync::Arc;

use crate::contract::{Admission, Effects, Event, Permission, Pod, PodId, PolicyError, Refuted, ReleaseCause};
use crate::testing::{PolicyHarness, key, pod, pod_group};

const MODE: &str = "gang.scheduling.koordinator.sh/mode";
/// Ways to keep a pod from being tried: a scheduling gate, or another scheduler.
const HELD_BACK: [fn(&mut Pod); 2] = [|pod| pod.gated = true, |pod| Arc::make_mut(&mut pod.template).foreign = true];
const GROUPS: &str = "gang.scheduling.koordinator.sh/groups";

/// Creates a gang `g` of this minimum with pods `a`, `b` and `c`, and a node for three pods.
fn gang(minimum: u32, annotations: &[(&str, &str)]) -> PolicyHarness {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=3");
    world.object(pod_group("g", minimum, annotations));
    // Announced in another order than that of their names.
    for name in ["c", "a", "b"] {
        world.pod(pod(name).job("g").requests("cpu=1"));
    }
    world
}

fn reserve(world: &mut PolicyHarness, names: &[&str]) {
    names.iter().for_each(|name| world.reserve(name, "n"));
}

fn permit(world: &mut PolicyHarness, name: &str) -> (Permission, String, Vec<PodId>) {
    let permitted = world.engine.permit(world.id(name)).unwrap();
    assert_eq!(permitted.reason.code, "koordinator/gang-is-complete");
    (permitted.permission, crate::testing::render_reason(&permitted.reason), permitted.effects.admits)
}

fn unreserve(world: &mut PolicyHarness, name: &str, cause: ReleaseCause) -> Effects {
    world.engine.unreserve(world.id(name), cause).unwrap()
}

fn ids(world: &PolicyHarness, names: &[&str]) -> Vec<PodId> {
    names.iter().map(|name| world.id(name)).collect()
}

#[test]
fn members_wait_until_the_last_one_lets_all_of_them_through() {
    let mut world = gang(3, &[]);
    let wait = Permission::Wait(600_000_000_000);
    reserve(&mut world, &["b"]);
    let message = "waiting: gang default/g, have 1, need 3".to_owned();
    assert_eq!(permit(&mut world, "b"), (wait.clone(), message, vec![]));
    reserve(&mut world, &["c"]);
    let message = "waiting: gang default/g, have 2, need 3".to_owned();
    assert_eq!(permit(&mut world, "c"), (wait, message, vec![]));
    reserve(&mut world, &["a"]);
    let admitted = ids(&world, &["b", "c"]);
    assert_eq!(permit(&mut world, "a"), (Permission::Allow, "complete".to_owned(), admitted));
}

#[test]
fn no_pod_of_a_gang_whose_description_was_deleted_is_let_through() {
    let mut world = gang(3, &[]);
    reserve(&mut world, &["b", "c"]);
    world.apply(vec![Event::ObjectRemoved(key(&pod_group("g", 3, &[])))]);
    let permitted = world.engine.permit(world.id("c")).unwrap();
    assert_eq!(crate::testing::render_reason(&permitted.reason), "undeclared: gang default/g");
    assert!(matches!(permitted.permission, Permission::Reject(_)));
    assert_eq!(permitted.effects.releases, ids(&world, &["b"]));
    // A pod that is tried has the others give up their nodes as well.
    let refused = world.engine.pre_filter(world.id("a")).unwrap();
    assert!(matches!(refused.admission, Admission::Final(_)));
    assert_eq!(refused.effects.releases, ids(&world, &["b", "c"]));
}

#[test]
fn a_strict_gang_with_too_few_pods_that_may_be_tried_holds_no_node() {
    for hold_back in HELD_BACK {
        for (annotations, expected) in [(vec![], true), (vec![(MODE, "NonStrict")], false)] {
            let mut world = gang(3, &annotations);
            world.pod(pod("c").job("g").requests("cpu=1").with(hold_back));
            reserve(&mut world, &["a"]);
            let message = "waiting: gang default/g, have 1, need 3".to_owned();
            let (permission, reason, _) = permit(&mut world, "a");
            assert_eq!((matches!(permission, Permission::Reject(_)), reason), (expected, message));
        }
    }
}

#[test]
fn a_pod_that_may_be_tried_again_begins_the_next_round_of_its_gang() {
    for hold_back in HELD_BACK {
        let mut world = gang(3, &[]);
        world.pod(pod("c").job("g").requests("cpu=1").with(hold_back));
        assert_eq!(world.pre_filter("a"), Admission::Pass);
        reserve(&mut world, &["a"]);
        assert!(matches!(permit(&mut world, "a").0, Permission::Reject(_)));
        unreserve(&mut world, "a", ReleaseCause::Failed);
        assert!(matches!(world.pre_filter("a"), Admission::Final(_)), "nothing has changed");
        world.pod(pod("c").job("g").requests("cpu=1"));
        assert_eq!(world.pre_filter("a"), Admission::Pass);
        reserve(&mut world, &["a"]);
        assert!(matches!(permit(&mut world, "a").0, Permission::Wait(_)));
    }
}

#[test]
fn a_pod_of_no_gang_does_not_wait() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=1");
    world.pod(pod("a"));
    reserve(&mut world, &["a"]);
    assert_eq!(permit(&mut world, "a"), (Permission::Allow, "single".to_owned(), vec![]));
}

#[test]
fn more_than_the_minimum_is_let_through_at_once() {
    let mut world = gang(2, &[]);
    reserve(&mut world, &["a", "b"]);
    assert_eq!(permit(&mut world, "a").0, Permission::Allow);
    reserve(&mut world, &["c"]);
    assert_eq!(permit(&mut world, "c").0, Permission::Allow);
}

#[test]
fn a_strict_gang_that_loses_a_member_gives_up_everything_it_holds() {
    for cause in [ReleaseCause::Timeout, ReleaseCause::Preempted, ReleaseCause::Failed, ReleaseCause::Removed] {
        let mut world = gang(3, &[]);
        reserve(&mut world, &["c", "a", "b"]);
        let releases = ids(&world, &["a", "c"]);
        assert_eq!(unreserve(&mut world, "b", cause), Effects { releases, ..Effects::default() });
    }
}

#[test]
fn what_the_policy_released_itself_and_a_non_strict_gang_release_nobody_else() {
    let mut strict = gang(3, &[]);
    reserve(&mut strict, &["a", "b"]);
    assert_eq!(unreserve(&mut strict, "b", ReleaseCause::Released), Effects::default());
    let mut loose = gang(3, &[(MODE, "NonStrict")]);
    reserve(&mut loose, &["a", "b"]);
    assert_eq!(unreserve(&mut loose, "b", ReleaseCause::Timeout), Effects::default());
}

#[test]
fn the_whole_group_gives_up_and_is_let_through_together() {
    let groups = [(GROUPS, r#"["default/g", "default/h"]"#)];
    let mut world = gang(1, &groups);
    world.object(pod_group("h", 1, &groups));
    world.pod(pod("h1").job("h"));
    reserve(&mut world, &["a", "h1"]);
    let both = ids(&world, &["a"]);
    assert_eq!(permit(&mut world, "h1"), (Permission::Allow, "complete".to_owned(), both));
    assert_eq!(unreserve(&mut world, "h1", ReleaseCause::Failed).releases, ids(&world, &["a"]));
}

#[test]
fn a_strict_gang_that_finds_no_way_out_gives_up_what_it_holds_and_what_it_was_promised() {
    for (annotations, strict) in [(vec![], true), (vec![(MODE, "NonStrict")], false)] {
        let mut world = gang(3, &annotations);
        world.node("small", "cpu=1");
        reserve(&mut world, &["c", "a"]);
        world.pod(pod("b").job("g").requests("cpu=9").nominated("small"));
        let answer = world.post_filter("b");
        assert!(answer.plan.is_none());
        let releases = if strict { ids(&world, &["a", "c"]) } else { Vec::new() };
        assert_eq!(answer.effects, Effects { releases, withdrawn: ids(&world, &["b"]), ..Effects::default() });
    }
}

#[test]
fn a_gang_whose_plan_succeeds_or_is_in_flight_keeps_what_it_holds() {
    let mut world = gang(3, &[]);
    world.node("m", "cpu=1");
    world.pod(pod("v").requests("cpu=1").priority(-1).on("m"));
    world.pod(pod("filler").preemptible(false).requests("cpu=1").on("n"));
    reserve(&mut world, &["a", "b"]);
    for _ in 0..2 {
        let answer = world.post_filter("c");
        assert_eq!(answer.effects, Effects::default(), "{}", crate::testing::render_reason(&answer.reason));
        if let Some(plan) = answer.plan {
            let plan_in_names = world.named(&plan);
            assert_eq!(plan_in_names.victims, ["default/v"]);
            assert_eq!(plan_in_names.nominations.len(), 1, "those that are held have their nodes");
            world.apply(vec![crate::contract::Event::PlanAccepted(plan.id)]);
        }
    }
}

#[test]
fn what_cannot_be_asked_is_an_error() {
    let mut world = gang(3, &[]);
    let (a, node) = (world.id("a"), 0);
    let wrong = |message: &str| PolicyError::WrongState(message.to_owned());
    let engine = &mut world.engine;
    assert_eq!(engine.permit(a), Err(wrong("the pod is not reserved a node")));
    assert_eq!(engine.unreserve(a, ReleaseCause::Timeout), Err(wrong("the pod is not reserved a node")));
    assert_eq!(engine.reserve(a, 77), Err(PolicyError::UnknownNode(77)));
    assert_eq!(engine.reserve(77, node), Err(PolicyError::UnknownPod(77)));
    assert!(engine.reserve(a, node).is_ok());
    assert_eq!(engine.reserve(a, node), Err(wrong("only a pending pod can be reserved a node")));
    assert_eq!(engine.post_filter(&[a], &Refuted::default()), Err(wrong("the pod does not wait for a node")));
    assert_eq!(engine.pre_filter(77), Err(PolicyError::UnknownPod(77)));
    assert_eq!(engine.filter(77), Err(PolicyError::UnknownPod(77)));
    assert_eq!(engine.permit(77), Err(PolicyError::UnknownPod(77)));
    assert_eq!(engine.queue_keys(&[a, 77]), Err(PolicyError::UnknownPod(77)));
    assert_eq!(engine.memberships(&[a, 77]), Err(PolicyError::UnknownPod(77)));
    assert_eq!(engine.notes(77), Err(PolicyError::UnknownPod(77)));
    assert!(matches!(engine.act(), Err(PolicyError::Unsupported(_))));
    let mut bare = crate::Engine::default();
    assert_eq!(bare.pre_filter(0), Err(PolicyError::NotConfigured));
    assert_eq!(bare.apply(Vec::new()), Err(PolicyError::NotConfigured));
    assert_eq!(bare.queues(), Err(PolicyError::NotConfigured));
    assert_eq!(bare.memberships(&[]), Err(PolicyError::NotConfigured));
}

#[test]
fn a_reserved_pod_stays_reserved_when_it_is_told_of_again() {
    let mut world = gang(3, &[]);
    reserve(&mut world, &["a"]);
    world.pod(pod("a").job("g").requests("cpu=2"));
    assert_eq!(world.engine.filter(world.id("b")).unwrap().codes, [0], "1 of 3 cores is left");
    world.pod(pod("d").requests("cpu=2"));
    assert_eq!(world.engine.filter(world.id("d")).unwrap().codes, [1]);
}
