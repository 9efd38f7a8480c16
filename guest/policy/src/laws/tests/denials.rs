//! The reasons people read, as data: both sides' numbers, in their units.

use super::*;
use crate::contract::Admission;
use crate::testing::{pod, pod_group, quota, render_reason};

/// Returns whether a refusal is final, its code, and its case and facts. `None`: the pod passes.
fn said(admission: &Admission) -> Option<(bool, &str, String)> {
    match admission {
        Admission::Pass => None,
        Admission::Refused(reason) => Some((false, &reason.code, render_reason(reason))),
        Admission::Final(reason) => Some((true, &reason.code, render_reason(reason))),
    }
}

#[test]
fn a_bound_is_told_with_every_part_of_the_sum() {
    let mut world = PolicyHarness::new();
    world.object(quota("team", "", "cpu=4 memory=4Gi", "cpu=8 memory=8Gi"));
    world.node("n", "cpu=64");
    world.pod(pod("np").quota("team").preemptible(false).requests("cpu=1500m").on("n"));
    world.pod(pod("p").quota("team").requests("cpu=5").on("n"));
    world.pod(pod("a").quota("team").preemptible(false).requests("cpu=3"));
    world.pod(pod("b").quota("team").preemptible(false).requests("cpu=2"));
    world.pod(pod("c").quota("team").requests("cpu=1"));
    world.pod(pod("d").quota("team").preemptible(false).requests("memory=5Gi"));
    for (name, law, message) in [
        ("a", "koordinator/non-preemptible-job-fits-min", "queue team, used cpu 1500m, requested cpu 3, min cpu 4"),
        (
            "b",
            "koordinator/non-preemptible-job-fits-max",
            "queue team, preemptible-used cpu 5, non-preemptible-used cpu 1500m, requested cpu 2, max cpu 8",
        ),
        (
            "c",
            "koordinator/preemptible-job-leaves-min",
            "queue team, set-aside cpu 4, preemptible-used cpu 5, requested cpu 1, max cpu 8",
        ),
        (
            "d",
            "koordinator/non-preemptible-job-fits-min",
            "queue team, used memory 0, requested memory 5Gi, min memory 4Gi",
        ),
    ] {
        assert_eq!(said(&world.pre_filter(name)), Some((false, law, message.to_owned())));
    }
}

#[test]
fn a_gang_that_cannot_be_complete_is_refused_for_good() {
    let mut world = PolicyHarness::new();
    world.pod(pod("a").job("g"));
    let law = "koordinator/gang-has-its-members";
    let undeclared = "undeclared: gang default/g".to_owned();
    assert_eq!(said(&world.pre_filter("a")), Some((true, law, undeclared)));
    world.object(pod_group("g", 2, &[]));
    let short = "pods: gang default/g, have 1, need 2".to_owned();
    assert_eq!(said(&world.pre_filter("a")), Some((true, law, short)));
    world.pod(pod("b").job("g"));
    assert_eq!(world.pre_filter("a"), Admission::Pass);
}

#[test]
fn a_law_about_time_says_when_it_holds_and_no_other_does() {
    // 10 of 30 have passed at 100: at 120 all have.
    assert_eq!(Denial::TooSoon { waited: 10, delay: 30 }.retry_at(100), Some(120));
    assert_eq!(Denial::NotBefore(150).retry_at(100), Some(150));
    assert_eq!(Denial::Case("").retry_at(100), None);
    assert_eq!(Denial::PlanInFlight { plan: 1, left: 2 }.retry_at(100), None);
}
