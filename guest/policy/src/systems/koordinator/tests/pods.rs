//! The attributes of pods.

use super::{job_of, read, reported};
use crate::contract::Severity;
use crate::model::Preemptibility;
use crate::testing::{INSIDE, JOB, OPT_OUT, PREEMPTIBLE, PodBuilder, PolicyHarness, SOFT_EVICTION, pod, reservation};

const OLD_JOB: &str = "pod-group.scheduling.sigs.k8s.io/name";
const GANG: &str = "gang.scheduling.koordinator.sh/name";
const PRIORITY: &str = "koordinator.sh/priority";

#[test]
fn only_the_label_false_makes_a_pod_non_preemptible_and_the_argument_one_without_a_label() {
    for (label, default, with_the_argument) in [
        (None, Preemptibility::Preemptible, Preemptibility::NonPreemptible),
        (Some("true"), Preemptibility::Preemptible, Preemptibility::Preemptible),
        (Some("false"), Preemptibility::NonPreemptible, Preemptibility::NonPreemptible),
        (Some("False"), Preemptibility::Preemptible, Preemptibility::Preemptible),
        (Some(""), Preemptibility::Preemptible, Preemptibility::Preemptible),
    ] {
        for (arguments, expected) in [("", default), (r#"{"disableDefaultPreemptiable": true}"#, with_the_argument)] {
            let mut world = PolicyHarness::with(arguments);
            world.pod(label.map_or(pod("p"), |label| pod("p").label(PREEMPTIBLE, label)));
            assert_eq!(read(&world, "p").attributes.preemptibility, expected, "{label:?} {arguments}");
        }
    }
}

#[test]
fn the_job_has_three_keys_of_which_the_first_that_is_not_empty_is_used() {
    let job = |draft: PodBuilder| {
        let mut world = PolicyHarness::new();
        let name = draft.name();
        world.pod(draft);
        job_of(&world, &name).map(|job| format!("{}/{}", job.key.0, job.key.1))
    };
    for (draft, expected) in [
        (pod("p"), None),
        (pod("p").label(JOB, "a"), Some("default/a")),
        (pod("p").label(OLD_JOB, "b"), Some("default/b")),
        (pod("p").annotation(GANG, "c"), Some("default/c")),
        (pod("p").annotation(GANG, "c").label(OLD_JOB, "b").label(JOB, "a"), Some("default/a")),
        (pod("p").annotation(GANG, "c").label(OLD_JOB, "b"), Some("default/b")),
        (pod("p").label(JOB, "").label(OLD_JOB, "").annotation(GANG, "c"), Some("default/c")),
        (pod("p").label(JOB, ""), None),
        (pod("ns/p").label(JOB, "a"), Some("ns/a")),
    ] {
        let case = format!("{draft:?}");
        assert_eq!(job(draft).as_deref(), expected, "{case}");
    }
}

#[test]
fn a_pod_that_changes_its_job_is_no_member_of_the_old_one() {
    let mut world = PolicyHarness::new();
    world.pod(pod("p").job("a"));
    world.pod(pod("q").job("a"));
    world.pod(pod("p").job("b"));
    let members = |name: &str| job_of(&world, name).map(|job| job.members.len());
    assert_eq!([members("p"), members("q")], [Some(1), Some(1)]);
}

#[test]
fn a_soft_eviction_label_with_any_value_means_that_the_pod_is_leaving() {
    for (draft, leaving) in [
        (pod("p"), false),
        (pod("p").label(SOFT_EVICTION, "true"), true),
        (pod("p").label(SOFT_EVICTION, "job2"), true),
        (pod("p").with(|pod| pod.terminating = true), true),
        (pod("p").label(OPT_OUT, "true"), false),
    ] {
        let mut world = PolicyHarness::new();
        let case = format!("{draft:?}");
        world.pod(draft);
        assert_eq!(read(&world, "p").is_leaving(), leaving, "{case}");
    }
}

#[test]
fn the_priority_of_a_reservation_is_its_label_or_that_of_its_template_or_the_highest() {
    let template = |priority: Option<i32>| reservation("r").with(|pod| pod.template_mut().priority = priority);
    for (draft, expected) in [
        (template(Some(7)).label(PRIORITY, "9"), 9),
        (template(Some(7)).label(PRIORITY, "-9"), -9),
        (template(Some(7)), 7),
        (template(None), i32::MAX),
        (template(None).label(PRIORITY, "9"), 9),
    ] {
        let mut world = PolicyHarness::new();
        let case = format!("{draft:?}");
        world.pod(draft);
        assert_eq!(read(&world, "Reservation/r").priority(), expected, "{case}");
        assert_eq!(reported(&world.findings), []);
    }
}

#[test]
fn the_priority_label_of_reservations_has_no_effect_on_a_pod() {
    let mut world = PolicyHarness::new();
    world.pod(pod("p").priority(3).label(PRIORITY, "9"));
    assert_eq!(read(&world, "p").priority(), 3);
}

#[test]
fn an_invalid_priority_of_a_reservation_is_reported() {
    let path = "/metadata/labels/koordinator.sh~1priority";
    for text in ["high", "2147483648", ""] {
        let mut world = PolicyHarness::new();
        world.pod(reservation("r").priority(7).label(PRIORITY, text));
        let message = format!("`{text}` is not a priority");
        assert_eq!(reported(&world.findings), [(Severity::Warning, "Reservation/r", path, message.as_str())]);
        assert_eq!(read(&world, "Reservation/r").priority(), 7);
    }
}

#[test]
fn an_annotation_without_a_reservation_name_is_reported_and_the_pod_is_outside() {
    let path = "/metadata/annotations/scheduling.koordinator.sh~1reservation-allocated";
    for text in ["r", "{}", r#"{"name": 1}"#, "[]", ""] {
        let mut world = PolicyHarness::new();
        world.pod(pod("p").annotation(INSIDE, text));
        let message =
            format!("`{text}` does not name a reservation; the pod is treated as outside of every reservation");
        assert_eq!(reported(&world.findings), [(Severity::Warning, "Pod/default/p", path, message.as_str())]);
        assert_eq!(read(&world, "p").attributes.reservation, None);
    }
    let mut world = PolicyHarness::new();
    world.pod(pod("p").annotation(INSIDE, r#"{"name": "r"}"#));
    assert_eq!(read(&world, "p").attributes.reservation, world.engine.cluster().name_id("r"));
    assert_eq!(reported(&world.findings), []);
}
