//! Tests of the victim filters: which pods may be evicted.

use super::*;
use crate::laws::guard::*;
use crate::testing::{CAN_PREEMPT, INSIDE, OPT_OUT, PodBuilder, ROOT, SOFT_EVICTION, pod, quota, reservation};

/// Checks a guard for a candidate and a preemptor, on a node of 64 cores.
fn between(guard: Guard, preemptor: PodBuilder, candidate: PodBuilder) -> Result<(), Denial> {
    between_in(&mut PolicyHarness::new(), guard, preemptor, candidate)
}

fn between_in(
    world: &mut PolicyHarness,
    guard: Guard,
    preemptor: PodBuilder,
    candidate: PodBuilder,
) -> Result<(), Denial> {
    let (asking, asked) = (preemptor.name(), candidate.name());
    world.node("n", "cpu=64");
    world.pod(preemptor);
    world.pod(candidate);
    verdict(world, guard, &asking, &asked)
}

#[test]
fn equal_priority_is_not_lower() {
    for (priority, spared) in [(99, false), (100, true), (101, true), (i32::MIN, false), (i32::MAX, true)] {
        let candidate = pod("v").priority(priority).on("n");
        let expected = if spared { Err(Denial::Priority { victim: priority, preemptor: 100 }) } else { Ok(()) };
        assert_eq!(between(victim_ranks_lower::LAW.function, pod("a").priority(100), candidate), expected);
    }
}

#[test]
fn a_pod_without_a_priority_has_0() {
    let bare = |name: &str| pod(name).with(|pod| pod.template_mut().priority = None);
    assert_eq!(between(victim_ranks_lower::LAW.function, pod("a").priority(1), bare("v").on("n")), Ok(()));
    let equal = Err(Denial::Priority { victim: 0, preemptor: 0 });
    assert_eq!(between(victim_ranks_lower::LAW.function, bare("a"), bare("v").on("n")), equal);
}

#[test]
fn only_the_class_and_the_opt_out_decide_whether_a_pod_is_preemptible() {
    let barred = Err(Denial::Case("non-preemptible"));
    let opted_out = Err(Denial::Case("opted-out"));
    let plain = || pod("v").on("n");
    for (arguments, candidate, expected) in [
        ("", plain(), Ok(())),
        ("", plain().preemptible(true), Ok(())),
        ("", plain().preemptible(false), barred.clone()),
        ("", plain().label(OPT_OUT, "true"), opted_out.clone()),
        ("", plain().label(OPT_OUT, "false"), Ok(())),
        ("", plain().label(OPT_OUT, "true").preemptible(true), opted_out),
        // Whether it may preempt others does not matter.
        ("", plain().label(CAN_PREEMPT, "true"), Ok(())),
        ("", plain().label(CAN_PREEMPT, "false"), Ok(())),
        (r#"{"disableDefaultPreemptiable": true}"#, plain(), barred.clone()),
        (r#"{"disableDefaultPreemptiable": true}"#, plain().preemptible(true), Ok(())),
        (r#"{"disableDefaultPreemptiable": true}"#, plain().preemptible(false), barred),
    ] {
        let mut world = PolicyHarness::with(arguments);
        let verdict =
            between_in(&mut world, victim_is_preemptible::LAW.function, pod("a").priority(1), candidate.clone());
        assert_eq!(verdict, expected, "{arguments} {candidate:?}");
    }
}

#[test]
fn a_pod_held_at_permit_is_no_victim_and_a_bound_one_is() {
    let mut world = PolicyHarness::new();
    assert_eq!(between_in(&mut world, victim_is_bound::LAW.function, pod("a").priority(1), pod("v").on("n")), Ok(()));
    world.pod(pod("held"));
    world.reserve("held", "n");
    let held = Err(Denial::Case(""));
    assert_eq!(verdict(&mut world, victim_is_bound::LAW.function, "a", "held"), held);
}

#[test]
fn a_job_is_namespace_and_name() {
    let same = Err(Denial::Case(""));
    for (preemptor, candidate, expected) in [
        (pod("a").job("j"), pod("v").job("j"), same),
        (pod("a").job("j"), pod("other/v").job("j"), Ok(())),
        (pod("a").job("j"), pod("v").job("k"), Ok(())),
        (pod("a").job("j"), pod("v"), Ok(())),
        // Two pods without a job are two jobs.
        (pod("a"), pod("v"), Ok(())),
    ] {
        let said = format!("{preemptor:?} {candidate:?}");
        assert_eq!(between(victim_is_of_another_job::LAW.function, preemptor, candidate.on("n")), expected, "{said}");
    }
}

#[test]
fn pods_make_way_for_pods_and_reservations_for_reservations() {
    let [is_reservation, is_pod] = [Err(Denial::Case("reservation")), Err(Denial::Case("pod"))];
    let make = |kind, name| pod(name).with(|pod| pod.kind = kind);
    for (preemptor, candidate, expected) in
        [(None, None, Ok(())), (None, Some(0), is_reservation), (Some(0), None, is_pod), (Some(0), Some(0), Ok(()))]
    {
        let verdict =
            between(victim_is_of_the_same_kind::LAW.function, make(preemptor, "a"), make(candidate, "v").on("n"));
        assert_eq!(verdict, expected, "{preemptor:?} {candidate:?}");
    }
}

#[test]
fn a_pod_inside_a_reservation_on_its_node_stays() {
    let inside = || pod("v").annotation(INSIDE, r#"{"name": "r", "uid": "u"}"#).on("n");
    let keeps = Err(Denial::Case(""));
    for (nominated_on, expected) in [
        (Some(reservation("r").on("n")), keeps),
        (Some(reservation("r").on("m")), Ok(())),
        (Some(reservation("r")), Ok(())),
        (Some(reservation("s").on("n")), Ok(())),
        (None, Ok(())),
    ] {
        let mut world = PolicyHarness::new();
        world.node("m", "cpu=64");
        let said = format!("{nominated_on:?}");
        nominated_on.into_iter().for_each(|nominated_on| world.pod(nominated_on));
        let verdict =
            between_in(&mut world, victim_is_outside_reservations::LAW.function, pod("a").priority(1), inside());
        assert_eq!(verdict, expected, "{said}");
    }
}

#[test]
fn the_default_quota_is_spared_and_no_other() {
    let spared = Err(Denial::Case(""));
    for (candidate, expected) in [
        (pod("v"), spared.clone()),
        (pod("v").quota("nobody-knows-it"), spared),
        (pod("v").quota("team"), Ok(())),
        (pod("v").quota("koordinator-system-quota"), Ok(())),
        (pod("v").quota(ROOT), Ok(())),
    ] {
        let mut world = PolicyHarness::new();
        world.object(quota("team", "", "", ""));
        let said = format!("{candidate:?}");
        let verdict =
            between_in(&mut world, victim_outside_default_queue::LAW.function, pod("a").priority(1), candidate.on("n"));
        assert_eq!(verdict, expected, "{said}");
    }
}

#[test]
fn the_table_spares_the_default_quota_where_the_argument_says_so() {
    for (arguments, victims) in [("", 1), (r#"{"disableDefaultQuotaPreemption": true}"#, 0)] {
        let mut world = PolicyHarness::with(arguments);
        world.node("n", "cpu=1");
        world.pod(pod("v").requests("cpu=1").on("n"));
        world.pod(pod("a").requests("cpu=1").priority(1));
        assert_eq!(world.plan("a").map_or(0, |plan| plan.victims.len()), victims, "{arguments}");
    }
}

#[test]
fn whoever_is_leaving_already_is_no_victim_of_a_plan() {
    for leaving in [pod("v").label(SOFT_EVICTION, "true"), pod("v").with(|pod| pod.terminating = true)] {
        let mut world = PolicyHarness::new();
        world.node("n", "cpu=2");
        world.pod(leaving.quota("nobody-knows-it").requests("cpu=1").on("n"));
        world.pod(pod("w").requests("cpu=1").on("n"));
        world.pod(pod("a").requests("cpu=1").priority(1));
        assert_eq!(world.plan("a").map(|plan| plan.victims), Ok(Vec::new()), "its room is as good as free");
    }
}
