//! Which pods of an elastic job are above its minimum.

use serde_json::json;

use super::{ELASTIC, group, member, read, world};
use crate::model::{PodIx, Preemptibility};
use crate::testing::PolicyHarness;

#[test]
fn without_labels_the_pods_above_the_minimum_are_elastic_in_any_order_of_reports() {
    let mut world = world();
    let classes = |world: &PolicyHarness| {
        let cluster = world.engine.cluster();
        let class = |name: &str| {
            cluster.pod(PodIx(world.id(name))).unwrap().attributes.preemptibility == Preemptibility::Preemptible
        };
        ["a", "b", "c"].map(class)
    };
    // By index: b, c, a.
    for (name, index) in [("a", "7"), ("b", "0"), ("c", "3")] {
        world.pod(member(name).label("volcano.sh/task-index", index));
    }
    group(&mut world, &[ELASTIC], json!({"minMember": 2}));
    assert_eq!(classes(&world), [true, false, false]);
    group(&mut world, &[ELASTIC], json!({"minMember": 1}));
    assert_eq!(classes(&world), [true, false, true]);
    world.pod(member("a").label("volcano.sh/task-index", "1"));
    group(&mut world, &[ELASTIC], json!({"minMember": 2}));
    assert_eq!(classes(&world), [false, false, true], "a comes before c now");
    world.pod(member("b").label("volcano.sh/task-index", "0").label("volcano.sh/elastic-train", "true"));
    assert_eq!(classes(&world), [false, true, false], "labels decide where they exist");
    group(&mut world, &[], json!({"minMember": 2}));
    assert_eq!(classes(&world), [false; 3]);
}

#[test]
fn a_pod_is_elastic_by_its_label_if_its_job_is() {
    let labelled = || member("p").label("volcano.sh/elastic-train", "true");
    assert_eq!(read(labelled()).0.attributes.preemptibility, Preemptibility::Preemptible);
    assert_eq!(read(member("p")).0.attributes.preemptibility, Preemptibility::NonPreemptible);
    let mut world = world();
    world.pod(labelled());
    group(&mut world, &[], json!({"minMember": 1}));
    let class =
        |world: &PolicyHarness| world.engine.cluster().pod(PodIx(world.id("p"))).unwrap().attributes.preemptibility;
    assert_eq!(class(&world), Preemptibility::NonPreemptible);
    group(&mut world, &[ELASTIC], json!({"minMember": 1}));
    assert_eq!(class(&world), Preemptibility::Preemptible, "the pod was reported before its group became elastic");
}
