//! Findings about invalid values: each once, by object and path.

use serde_json::json;

use super::{ELASTIC, group, job, member, pod_group_of, world};
use crate::contract::Severity;
use crate::testing::{PodBuilder, PolicyHarness, object, pod};

#[test]
fn a_finding_is_reported_once_by_object_and_path() {
    let mut world = world();
    for minimum in [2, 3] {
        group(&mut world, &[ELASTIC, ("volcano.sh/elastic-train-factor", "0")], json!({"minMember": minimum}));
    }
    let reported = world.findings.first().unwrap();
    assert_eq!(world.findings.len(), 1);
    assert_eq!((reported.severity, reported.object.as_str()), (Severity::Warning, "PodGroup/default/g"));
    assert_eq!(reported.message, "`0` is not a factor; 1 is used");
}

#[test]
fn invalid_numbers_are_reported_once_and_replaced_as_the_message_says() {
    let mut world = world();
    for _ in 0..2 {
        let roles = json!({"ps": -1, "worker/gpu": "two", "master": 1});
        group(&mut world, &[], json!({"minMember": -3, "minTaskMember": roles}));
        let tasks = json!([{"replicas": -2}, {"replicas": 3}]);
        world.object(object("Job", "default/j", [&[], &[]], json!({"spec": {"minAvailable": -1, "tasks": tasks}})));
        let member = member("p").label("volcano.sh/task-index", "first").label("volcano.sh/elastic-train", "yes");
        world.pod(member.label("volcano.sh/cooldown-time", "-1s"));
    }
    let reported: Vec<_> = world.findings.iter().map(|one| (one.object.as_str(), one.path.as_str())).collect();
    assert_eq!(
        reported,
        [
            ("PodGroup/default/g", "/spec/minMember"),
            ("PodGroup/default/g", "/spec/minTaskMember/ps"),
            ("PodGroup/default/g", "/spec/minTaskMember/worker~1gpu"),
            ("Job/default/j", "/spec/tasks/0/replicas"),
            ("Job/default/j", "/spec/minAvailable"),
            ("Pod/default/p", "/metadata/labels/volcano.sh~1cooldown-time"),
            ("Pod/default/p", "/metadata/labels/volcano.sh~1task-index"),
            ("Pod/default/p", "/metadata/labels/volcano.sh~1elastic-train"),
        ]
    );
    let cluster = world.engine.cluster();
    assert_eq!(cluster.job(job(cluster)).unwrap().gang().unwrap().minimum, 0);
    assert_eq!(pod_group_of(&world).roles, [], "the role with 1 pod exceeds the minimum of 0");
}

#[test]
fn a_pod_that_no_action_places_is_reported() {
    let reported = |actions: &str, draft: PodBuilder| {
        let mut world = PolicyHarness::of("volcano", &json!({ "actions": actions }).to_string());
        world.node("n", "cpu=64");
        world.pod(draft);
        world.findings.len()
    };
    let ours = |asks: &str| pod("p").requests(asks).with(|pod| pod.template_mut().scheduler = "volcano".to_owned());
    assert_eq!(reported("allocate, reclaim, elastic", ours("")), 1);
    assert_eq!(reported("allocate, backfill", ours("")), 0, "backfill places it");
    assert_eq!(reported("allocate", ours("cpu=1")), 0, "allocate places it");
    assert_eq!(reported("allocate", ours("").on("n")), 0, "it has its node");
    assert_eq!(
        reported("allocate", pod("p").requests("").with(|pod| pod.template_mut().scheduler.clear())),
        0,
        "another scheduler places it"
    );
}
