//! Which running pods are safe, in every system. Expected values follow from the sentence of each law.

use serde_json::json;

use crate::contract::{Object, PodId, PolicyError, by};
use crate::testing::{Draft, World, object, pod, quota};

/// Returns a cluster of this system with one node.
fn world(system: &str, arguments: &str) -> World {
    let mut world = World::of(system, arguments);
    world.node("n", "cpu=64");
    world
}

/// Returns the threats to a pod, a line each: the kind of preemptors, and the least priority of theirs or the law that spares the pod.
fn threats(world: &mut World, name: &str) -> Vec<String> {
    let id = world.id(name);
    let standings = world.engine.standings(&[id]).unwrap();
    let line = |threat: &crate::contract::Threat| match (&threat.spared, threat.priority) {
        (Some(reason), _) => format!("{}: {}", threat.by, reason.code),
        (None, Some(priority)) => format!("{}: from {priority}", threat.by),
        (None, None) => format!("{}: any", threat.by),
    };
    standings.first().unwrap().iter().map(line).collect()
}

/// Returns the threats to one pod on the node of the cluster.
fn of(world: &mut World, draft: Draft) -> Vec<String> {
    let name = draft.name();
    world.pod(draft.on("n"));
    threats(world, &name)
}

#[test]
fn a_pod_of_kubernetes_is_safe_from_all_but_higher_priorities() {
    let mut world = world("kubernetes", "");
    assert_eq!(of(&mut world, pod("a").asks("cpu=1").priority(5)), ["pod: from 6"]);
    let critical = pod("b").asks("cpu=1").priority(2_000_001_000);
    assert_eq!(of(&mut world, critical), ["pod: kubernetes/victim-ranks-lower"], "no pod has a higher priority");
    assert_eq!(of(&mut world, pod("c").priority(i32::MIN)), ["pod: from -2147483647"]);
    assert_eq!(by::POD, "pod");
}

#[test]
fn a_pod_that_waits_or_leaves_has_no_standing_and_one_that_is_not_there_is_an_error() {
    let mut world = world("kubernetes", "");
    world.pod(pod("a"));
    assert_eq!(threats(&mut world, "a"), [""; 0]);
    assert_eq!(of(&mut world, pod("b").with(|pod| pod.terminating = true)), [""; 0]);
    assert_eq!(world.engine.standings(&[PodId::MAX]), Err(PolicyError::UnknownPod(PodId::MAX)));
}

#[test]
fn a_non_preemptible_pod_of_koordinator_is_safe_in_every_quota() {
    let mut world = world("koordinator", "");
    world.object(quota("q", "", "cpu=2", "cpu=9"));
    let law = "koordinator/victim-is-preemptible";
    let safe = [format!("same-queue: {law}"), format!("other-queue: {law}")];
    assert_eq!(of(&mut world, pod("a").quota("q").asks("cpu=1").preemptible(false)), safe);
    let opted_out = pod("b").quota("q").label("scheduling.koordinator.sh/disable-preemptible", "true");
    assert_eq!(of(&mut world, opted_out), safe);
    let other = pod("c").quota("q").asks("cpu=1").priority(7);
    assert_eq!(of(&mut world, other), ["same-queue: from 8", "other-queue: from 8"]);
}

#[test]
fn a_quota_of_coscheduling_protects_its_pods_within_its_min_from_other_quotas() {
    let mut world = world("coscheduling", "");
    for namespace in ["a", "b"] {
        let quota = object(
            "ElasticQuota",
            &format!("{namespace}/{namespace}"),
            [&[], &[]],
            json!({"spec": {"min": {"cpu": "2"}}}),
        );
        world.object(Object { group: "scheduling.x-k8s.io".to_owned(), ..quota });
    }
    let within = "other-queue: coscheduling/victim-quota-is-over-min".to_owned();
    assert_eq!(of(&mut world, pod("a/p").asks("cpu=2").priority(5)), ["same-queue: from 6".to_owned(), within]);
    // With 4 of 2, a pod that takes back evicts whatever the priority.
    assert_eq!(of(&mut world, pod("a/q").asks("cpu=2").priority(5)), ["same-queue: from 6", "other-queue: any"]);
    let none = "other-queue: coscheduling/victim-is-of-the-quota-that-gives";
    assert_eq!(of(&mut world, pod("c/r").asks("cpu=2").priority(5)), ["same-queue: from 6", none]);
}

#[test]
fn a_guarantee_of_yunikorn_protects_from_other_queues_and_no_queue_evicts_its_own_pods() {
    let mut world = world("yunikorn", "");
    let queue = |name: &str, cores: u32| json!({"name": name, "resources": {"guaranteed": {"vcore": cores}}});
    let root = json!({"name": "root", "queues": [queue("a", 2), queue("b", 8)]});
    let rules = json!([{"name": "provided", "create": true}]);
    // JSON is YAML.
    let text = json!({"partitions": [{"name": "default", "placementrules": rules, "queues": [root]}]}).to_string();
    let body = json!({"data": {"queues.yaml": text}});
    let config = object("ConfigMap", "yunikorn/yunikorn-configs", [&[], &[]], body);
    world.object(Object { group: String::new(), ..config });
    let of_queue =
        |name: &str, queue: &str, app: &str| pod(name).asks("cpu=4").label("queue", queue).label("applicationId", app);
    let own = "same-queue: yunikorn/4";
    assert_eq!(of(&mut world, of_queue("p", "root.a", "1")), [own, "other-queue: from 0", "daemon-set: from 0"]);
    let within = ["same-queue: yunikorn/5", "other-queue: yunikorn/5", "daemon-set: from 0"];
    assert_eq!(of(&mut world, of_queue("q", "root.b", "2")), within);
    let law = "yunikorn/victim-is-of-no-daemon-set";
    let daemon = of_queue("r", "root.a", "3").with(|pod| {
        pod.template_mut().owner =
            Some(crate::contract::Owner { kind: "DaemonSet".to_owned(), name: "d".to_owned(), uid: String::new() });
    });
    assert_eq!(of(&mut world, daemon), [own.to_owned(), format!("other-queue: {law}"), format!("daemon-set: {law}")]);
}

#[test]
fn where_no_action_evicts_pods_there_is_no_threat() {
    let mut world = world("volcano", r#"{"actions": "allocate"}"#);
    assert_eq!(of(&mut world, pod("a").asks("cpu=1").annotation("scheduling.k8s.io/group-name", "g")), [""; 0]);
}

#[test]
fn a_job_of_volcano_is_safe_from_other_queues_within_what_its_queue_deserves() {
    let mut world = world("volcano", r#"{"actions": "allocate, reclaim, preempt"}"#);
    for name in ["q", "r"] {
        let queue = object("Queue", &format!("/{name}"), [&[], &[]], json!({"spec": {"deserved": {"cpu": "4"}}}));
        world.object(Object { group: "scheduling.volcano.sh".to_owned(), ..queue });
    }
    let group = object("PodGroup", "default/g", [&[], &[]], json!({"spec": {"minMember": 1, "queue": "q"}}));
    world.object(Object { group: "scheduling.volcano.sh".to_owned(), ..group });
    let member = |name| pod(name).asks("cpu=3").annotation("scheduling.k8s.io/group-name", "g");
    let above = "other-queue: volcano/normal-victim-queue-is-above-deserved";
    assert_eq!(of(&mut world, member("a")), ["same-queue: from 1", above]);
    // With 6 of 4 the queue gives back, whatever the priority.
    assert_eq!(of(&mut world, member("b")), ["same-queue: from 1", "other-queue: any"]);
    let law = "volcano/victim-did-not-opt-out";
    let safe = member("c").annotation("volcano.sh/preemptable", "false");
    assert_eq!(of(&mut world, safe), [format!("same-queue: {law}"), format!("other-queue: {law}")]);
}
