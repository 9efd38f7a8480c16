//! The sentences people read: both sides' numbers, in their units.

use super::*;
use crate::contract::Admission;
use crate::laws::Detail;
use crate::testing::{pod, pod_group, quota};

fn refused(law: &str, message: &str) -> Admission {
    Admission::Refused(Detail::from(message.to_owned()).reason(law))
}

fn finally(law: &str, message: &str) -> Admission {
    Admission::Final(Detail::from(message.to_owned()).reason(law))
}

#[test]
fn a_bound_is_told_with_every_part_of_the_sum() {
    let mut world = World::new();
    world.object(quota("team", "", "cpu=4 memory=4Gi", "cpu=8 memory=8Gi"));
    world.node("n", "cpu=64");
    world.pod(pod("np").quota("team").preemptible(false).asks("cpu=1500m").on("n"));
    world.pod(pod("p").quota("team").asks("cpu=5").on("n"));
    world.pod(pod("a").quota("team").preemptible(false).asks("cpu=3"));
    world.pod(pod("b").quota("team").preemptible(false).asks("cpu=2"));
    world.pod(pod("c").quota("team").asks("cpu=1"));
    world.pod(pod("d").quota("team").preemptible(false).asks("memory=5Gi"));
    for (name, law, message) in [
        (
            "a",
            "koordinator/non-preemptible-job-fits-min",
            "quota `team`, cpu: non-preemptible used 1500m + asked 3 is more than min 4",
        ),
        (
            "b",
            "koordinator/non-preemptible-job-fits-max",
            "quota `team`, cpu: preemptible used 5 + non-preemptible used 1500m + asked 2 is more than max 8",
        ),
        (
            "c",
            "koordinator/preemptible-job-leaves-min",
            "quota `team`, cpu: set aside for non-preemptible pods 4 + preemptible used 5 + asked 1 is more than max 8",
        ),
        ("d", "koordinator/non-preemptible-job-fits-min", "quota `team`, memory: asked 5Gi is more than min 4Gi"),
    ] {
        assert_eq!(world.pre_filter(name), refused(law, message));
    }
}

#[test]
fn a_gang_that_cannot_be_complete_is_refused_for_good() {
    let mut world = World::new();
    world.pod(pod("a").job("g"));
    let law = "koordinator/gang-has-its-members";
    let message = "there is no PodGroup `default/g`, and no pod says what the gang needs";
    assert_eq!(world.pre_filter("a"), finally(law, message));
    world.object(pod_group("g", 2, &[]));
    assert_eq!(world.pre_filter("a"), finally(law, "gang `default/g` has 1 pods of the 2 it needs"));
    world.pod(pod("b").job("g"));
    assert_eq!(world.pre_filter("a"), Admission::Pass);
}
