//! A plan is in flight from its acceptance until its victims have left, or until no pod waits for it any more.

use crate::contract::{Event, Phase, Refuted};
use crate::model::{PlansInFlight, PodIx};
use crate::testing::{NamedPlan, PolicyHarness, SOFT_EVICTION, pod};

const UNDERWAY: &str = "koordinator/last-plan-is-done";

/// Creates a node full of two victims, and a job of two pods that need their capacity.
fn world() -> PolicyHarness {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=2");
    for name in ["v1", "v2"] {
        world.pod(pod(name).requests("cpu=1").on("n"));
    }
    for name in ["a", "b"] {
        world.pod(pod(name).job("j").requests("cpu=1").priority(1));
    }
    world
}

/// Creates the same cluster with an accepted plan against both victims.
fn in_flight() -> (PolicyHarness, NamedPlan) {
    let mut world = world();
    let plan = world.plan("a").unwrap();
    assert_eq!(plan.victims, ["default/v1", "default/v2"]);
    world.apply(vec![Event::PlanAccepted(plan.id)]);
    (world, plan)
}

fn is_in_flight(world: &mut PolicyHarness, pod: &str) -> bool {
    world.plan(pod).is_err_and(|law| law == UNDERWAY)
}

#[test]
fn neither_the_pod_nor_a_sibling_gets_a_second_plan() {
    let (mut world, _) = in_flight();
    assert!(is_in_flight(&mut world, "a"));
    assert!(is_in_flight(&mut world, "b"));
    world.pod(pod("cheaper").requests("cpu=1").priority(-1).on("n"));
    assert!(is_in_flight(&mut world, "a"), "a cheaper victim that turns up later changes nothing");
    let message = crate::testing::render_reason(&world.post_filter("a").reason);
    assert_eq!(message, "plan: plan 1, left 2");
}

#[test]
fn a_proposal_is_not_in_flight_and_the_next_one_takes_its_place() {
    let mut world = world();
    let first = world.plan("a").unwrap();
    let second = world.plan("b").unwrap();
    assert_eq!((first.id, second.id), (1, 2), "no number is used twice");
    // The first was never answered: it is void, even if an answer comes late.
    world.apply(vec![Event::PlanAccepted(first.id)]);
    assert!(!is_in_flight(&mut world, "a"));
}

#[test]
fn a_plan_without_victims_is_not_made_again_while_it_is_in_flight() {
    // The capacity of `v` was promised to a pod that is gone. `v` ranks higher than `p`, so no law about victims of `p` makes `p` wait.
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=2");
    world.node("m", "cpu=1");
    world.pod(pod("v").requests("cpu=2").priority(5).label(SOFT_EVICTION, "true").on("n"));
    let waiting = || pod("p").requests("cpu=2").priority(3);
    world.pod(waiting());
    let plan = world.plan("p").unwrap();
    assert_eq!((plan.nominations.len(), plan.victims.len()), (1, 0));
    world.apply(vec![Event::PlanAccepted(plan.id)]);
    for _ in 0..3 {
        world.pod(waiting().nominated("n"));
        assert_eq!(world.plan("p"), Err("engine/room-is-coming".to_owned()));
        assert_eq!(world.post_filter("p").effects, crate::contract::Effects::default(), "the nomination stays");
    }
    // Nominated elsewhere, the pod gets a new plan.
    world.pod(waiting().nominated("m"));
    assert_eq!(world.plan("p").map(|plan| plan.id), Ok(2));
    // With another pod leaving, a job of two waits for both.
    world.node("o", "cpu=2");
    world.pod(pod("w").requests("cpu=2").priority(5).label(SOFT_EVICTION, "true").on("o"));
    let member = |name| pod(name).job("j").requests("cpu=2").priority(4);
    world.remove_pod("p");
    world.pod(member("a"));
    world.pod(member("b"));
    let plan = world.plan("a").unwrap();
    assert_eq!((plan.nominations.len(), plan.victims.len()), (2, 0));
    world.apply(vec![Event::PlanAccepted(plan.id)]);
    for name in ["a", "b"] {
        let node = plan.nominations.get(&format!("default/{name}")).unwrap();
        world.pod(member(name).nominated(node));
    }
    assert_eq!(world.plan("a"), Err("engine/room-is-coming".to_owned()));
}

#[test]
fn a_refused_plan_is_void() {
    let mut world = world();
    let plan = world.plan("a").unwrap();
    world.apply(vec![Event::PlanRefused(plan.id)]);
    world.apply(vec![Event::PlanAccepted(plan.id)]);
    assert!(!is_in_flight(&mut world, "a"));
    let (mut world, plan) = in_flight();
    world.apply(vec![Event::PlanRefused(plan.id)]);
    assert!(!is_in_flight(&mut world, "a"), "what was accepted may still turn out not to work");
}

#[test]
fn a_victim_that_is_marked_or_terminating_has_not_left() {
    let (mut world, _) = in_flight();
    world.pod(pod("v1").requests("cpu=1").on("n").label(SOFT_EVICTION, "true"));
    world.pod(pod("v2").requests("cpu=1").on("n").with(|pod| pod.terminating = true));
    assert!(is_in_flight(&mut world, "a"));
}

#[test]
fn the_plan_is_done_when_the_last_victim_is_gone_or_has_ended() {
    let (mut world, _) = in_flight();
    world.remove_pod("v1");
    assert!(is_in_flight(&mut world, "a"));
    world.pod(pod("v2").requests("cpu=1").on("n").with(|pod| pod.phase = Phase::Failed));
    let plan = world.plan("a").unwrap();
    assert_eq!(plan.victims, Vec::<String>::new(), "there is room now");
}

#[test]
fn victims_of_a_plan_without_a_preemptor_make_room_for_the_next_one() {
    let (mut world, _) = in_flight();
    world.remove_pod("a");
    assert!(is_in_flight(&mut world, "b"), "one of the two still waits");
    world.pod(pod("b").job("j").requests("cpu=1").priority(1).with(|pod| pod.terminating = true));
    world.pod(pod("c").job("j").requests("cpu=1").priority(1));
    assert_eq!(
        world.plan("c").map(|plan| plan.victims),
        Ok(Vec::new()),
        "two victims are leaving, and `c` needs one of them"
    );
    world.remove_pod("v1");
    world.remove_pod("v2");
    world.pod(pod("v3").requests("cpu=1").on("n"));
    world.pod(pod("v4").requests("cpu=1").on("n"));
    assert_eq!(
        world.plan("c").map(|plan| plan.victims.len()),
        Ok(1),
        "the old plan is over, and others have taken the room"
    );
}

#[test]
fn another_job_is_not_held_up() {
    let (mut world, _) = in_flight();
    world.node("m", "cpu=1");
    world.pod(pod("v3").requests("cpu=1").on("m"));
    world.pod(pod("other").requests("cpu=1").priority(1));
    for name in ["a", "b"] {
        world.pod(pod(name).job("j").requests("cpu=1").priority(1).nominated("n"));
    }
    assert_eq!(world.plan("other").map(|plan| plan.victims), Ok(vec!["default/v3".to_owned()]));
}

#[test]
fn what_the_victims_of_another_plan_leave_is_room_for_whoever_outranks_its_preemptors() {
    let (mut world, _) = in_flight();
    for name in ["a", "b"] {
        world.pod(pod(name).job("j").requests("cpu=1").priority(1).nominated("n"));
    }
    world.pod(pod("boss").requests("cpu=1").priority(2));
    let id = world.id("boss");
    let answer = world.engine.post_filter(&[id], &Refuted::default()).unwrap();
    assert_eq!(answer.plan.map(|plan| plan.victims), Some(Vec::new()), "the room is coming already");
    assert_eq!(answer.effects.withdrawn, [world.id("a"), world.id("b")]);
}

#[test]
fn pruning_keeps_what_is_under_way_and_what_is_proposed() {
    let world = world();
    let [a, b, v1, v2] = ["a", "b", "v1", "v2"].map(|name| PodIx(world.id(name)));
    let mut ledger = PlansInFlight::default();
    let first = ledger.add_proposed(vec![a], vec![v1]);
    ledger.mark_accepted(first);
    let second = ledger.add_proposed(vec![b], vec![v2]);
    ledger.drop_finished(world.engine.cluster());
    assert_eq!(ledger.victims_left_for(world.engine.cluster(), &[a, b]), Some((first, 1)));
    assert_eq!((ledger.is_victim(v1), ledger.is_victim(v2)), (true, false), "a proposal evicts nobody");
    ledger.mark_accepted(second);
    assert_eq!(ledger.victims_left_for(world.engine.cluster(), &[b]), Some((second, 1)));
}

#[test]
fn a_victim_that_gave_its_node_up_is_none_on_another_node() {
    let mut world = world();
    let [a, held, running] = ["a", "v1", "v2"].map(|name| PodIx(world.id(name)));
    let mut ledger = PlansInFlight::default();
    let plan = ledger.add_proposed(vec![a], vec![held, running]);
    ledger.mark_accepted(plan);
    // `v1` was held at Permit: it is pending again, while `v2` still runs.
    world.pod(pod("v1").requests("cpu=1"));
    ledger.drop_finished(world.engine.cluster());
    assert_eq!((ledger.is_victim(held), ledger.is_victim(running)), (false, true));
    world.node("m", "cpu=1");
    world.pod(pod("v1").requests("cpu=1").on("m"));
    ledger.drop_finished(world.engine.cluster());
    assert!(!ledger.is_victim(held), "on another node, `v1` is a pod like others");
    assert_eq!(ledger.victims_left_for(world.engine.cluster(), &[a]), Some((plan, 1)));
    world.remove_pod("v2");
    ledger.drop_finished(world.engine.cluster());
    assert_eq!(ledger.leaving(world.engine.cluster()).len(), 0, "the plan is over");
}
