//! How victims are evicted: marked for another component, or deleted.

use crate::contract::{Event, Eviction, Mark, MarkPlace, Plan};
use crate::testing::{INSIDE, PolicyHarness, SOFT_EVICTION, pod, reservation};

/// Returns the plan of `preemptor` against one victim, at 2026-01-01T00:00:00Z.
fn plan(arguments: &str, job: Option<&str>) -> Option<Plan> {
    let mut world = PolicyHarness::with(arguments);
    world.node("n", "cpu=1");
    world.pod(pod("v").requests("cpu=1").on("n"));
    let preemptor = pod("preemptor").requests("cpu=1").priority(1);
    world.pod(match job {
        Some(job) => preemptor.job(job),
        None => preemptor,
    });
    world.apply(vec![Event::Clock(1_767_225_600_000_000_000)]);
    world.post_filter("preemptor").plan
}

#[test]
fn a_victim_is_marked_with_a_label_and_with_details_in_an_annotation() {
    for (job, by) in [(None, "default/preemptor"), (Some("train"), "default/train")] {
        let plan = plan("", job).unwrap_or_else(|| panic!("there is a plan"));
        assert!(plan.victims.iter().all(|victim| victim.eviction == Eviction::Soft));
        let details = format!(
            r#"{{"initiator":"lictor","preemptJob":"{by}","reason":"preempted by a job of higher priority",{when}}}"#,
            when = r#""timestamp":"2026-01-01T00:00:00Z""#
        );
        let mark = |place, value: &str| Mark { place, key: SOFT_EVICTION.to_owned(), value: value.to_owned() };
        assert_eq!(plan.marks, [mark(MarkPlace::Label, "true"), mark(MarkPlace::Annotation, &details)]);
    }
}

#[test]
fn the_scheduler_writes_no_mark_where_it_deletes() {
    let plan = plan(r#"{"podShouldBeDeletedWhenPreempted": true}"#, None).unwrap_or_else(|| panic!("there is a plan"));
    assert!(plan.victims.iter().all(|victim| victim.eviction == Eviction::Delete));
    assert_eq!(plan.marks, []);
}

#[test]
fn the_pods_inside_a_reservation_are_deleted_with_it_and_only_marked_through_it() {
    for (arguments, victims) in [
        ("", vec!["Reservation/low"]),
        (r#"{"podShouldBeDeletedWhenPreempted": true}"#, vec!["Reservation/low", "default/inside"]),
    ] {
        let mut world = PolicyHarness::with(arguments);
        world.node("n", "cpu=4");
        world.pod(reservation("low").requests("cpu=4").on("n"));
        world.pod(pod("inside").priority(99).requests("cpu=2").annotation(INSIDE, r#"{"name": "low"}"#).on("n"));
        world.pod(
            reservation("high").priority(1).requests("cpu=3").label("scheduling.koordinator.sh/can-preempt", "true"),
        );
        assert_eq!(
            world.plan("Reservation/high").map(|plan| plan.victims),
            Ok(victims.iter().map(|one| (*one).to_owned()).collect())
        );
    }
}
