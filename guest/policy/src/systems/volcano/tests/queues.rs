//! The bounds of queues and their real capability.

use serde_json::{Value, json};

use super::world;
use crate::contract::Severity;
use crate::testing::{PolicyHarness, object};

/// Returns the real capability of each queue for cpu, with one node of 64 cores.
fn real(arguments: &str, queues: &[(&str, Value)]) -> Vec<(String, Option<i64>)> {
    let mut world = PolicyHarness::of("volcano", arguments);
    world.node("n", "cpu=64");
    for (name, spec) in queues {
        world.object(object("Queue", &format!("/{name}"), [&[], &[]], json!({ "spec": spec })));
    }
    world.engine.act().unwrap();
    let cpu = world.engine.cluster().resource_named("cpu").unwrap();
    let queues = world.engine.cluster().queues();
    let mut real: Vec<_> =
        queues.map(|(_, queue)| (queue.name.clone(), queue.effective_max().1.get(cpu).map(|max| max.0))).collect();
    real.sort();
    real
}

#[test]
fn a_negative_amount_is_refused_and_the_queue_stays_unchanged() {
    let mut world = world();
    for deserved in ["4", "-4"] {
        world.object(object("Queue", "/q", [&[], &[]], json!({"spec": {"deserved": {"cpu": deserved}}})));
    }
    let reported: Vec<_> =
        world.findings.iter().map(|one| (one.severity, one.object.as_str(), one.path.as_str())).collect();
    assert_eq!(reported, [(Severity::Error, "Queue/q", "/spec/deserved/cpu")]);
    let cluster = world.engine.cluster();
    let cpu = cluster.resource_named("cpu").unwrap();
    let (_, queue) = cluster.queues().find(|(_, queue)| queue.name == "q").unwrap();
    assert_eq!(queue.bounds.deserved.get(cpu), Some(crate::model::Deserved(4000)));
}

#[test]
fn the_guarantees_of_other_queues_reduce_the_real_capability() {
    let guarantee = |cores: &str| json!({"resource": {"cpu": cores}});
    let queues = [
        ("a", json!({"guarantee": guarantee("10")})),
        ("b", json!({"guarantee": guarantee("4"), "capability": {"cpu": "20"}})),
        ("c", json!({"capability": {"memory": "1Gi"}})),
    ];
    // 64 - 14, plus the queue's own guarantee.
    let expected = [("a", 60_000), ("b", 20_000), ("c", 50_000), ("default", 50_000)];
    assert_eq!(real("", &queues), expected.map(|(name, cores)| (name.to_owned(), Some(cores))));
}

#[test]
fn in_a_tree_the_parent_bounds_the_real_capability() {
    let queues = [
        ("p", json!({"capability": {"cpu": "10"}})),
        ("c", json!({"parent": "p", "guarantee": {"resource": {"cpu": "3"}}})),
        ("d", json!({"parent": "p", "capability": {"cpu": "40"}})),
        ("e", json!({"parent": "nobody"})),
    ];
    let expected = [("c", 10_000), ("d", 7_000), ("default", 64_000), ("e", 64_000), ("p", 10_000), ("root", 64_000)];
    let real = real(r#"{"enableHierarchy": true}"#, &queues);
    assert_eq!(real, expected.map(|(name, cores)| (name.to_owned(), Some(cores))));
}

#[test]
fn a_weight_without_a_bound_is_a_warning() {
    for (name, spec, warned) in [
        ("q", json!({"weight": 1}), true),
        ("q", json!({"weight": 3, "deserved": {"cpu": "4"}}), false),
        ("q", json!({"weight": 3, "capability": {"cpu": "4"}}), false),
        ("q", json!({"weight": 3, "guarantee": {"resource": {"cpu": "4"}}}), false),
        ("q", json!({}), false),
        ("default", json!({"weight": 1}), false),
        ("root", json!({"weight": 1}), false),
        ("default", json!({"weight": 2}), true),
    ] {
        let mut world = world();
        world.object(object("Queue", &format!("/{name}"), [&[], &[]], json!({ "spec": spec })));
        let found: Vec<_> = world.findings.iter().map(|one| (one.severity, one.path.as_str())).collect();
        let expected: &[(Severity, &str)] = if warned { &[(Severity::Warning, "/spec/weight")] } else { &[] };
        assert_eq!(found, expected, "{name}: {spec}");
    }
}

#[test]
fn a_queue_that_does_not_exist_is_a_finding_that_names_it() {
    let mut world = world();
    let group = |name: &str, queue: &str| {
        object("PodGroup", &format!("ns/{name}"), [&[], &[]], json!({"spec": {"queue": queue}}))
    };
    world.object(group("a", "typo"));
    world.object(group("b", "typo"));
    world.object(group("c", "default"));
    let about = |found: &crate::contract::Finding| found.message.contains("does not exist");
    let said: Vec<_> = world
        .findings
        .iter()
        .filter(|found| about(found))
        .map(|found| (&*found.object, &*found.path, &*found.message))
        .collect();
    assert_eq!(said, [("PodGroup/ns/a", "/spec/queue", "queue `typo` does not exist: its pods are not tried")]);
}
