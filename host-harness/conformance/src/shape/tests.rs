#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use std::collections::BTreeMap;

use lictor_oracle::SystemKind;
use serde_json::Value;

use super::*;

/// Returns the sum of the cores of the pods on each node.
fn held(objects: &[Value]) -> BTreeMap<&str, u64> {
    let mut held = BTreeMap::new();
    for pod in objects.iter().filter(|object| object["kind"] == "Pod") {
        if let Some(node) = pod["spec"]["nodeName"].as_str() {
            let cores = pod["spec"]["containers"][0]["resources"]["requests"]["cpu"].as_str().unwrap();
            *held.entry(node).or_default() += cores.parse::<u64>().unwrap();
        }
    }
    held
}

#[test]
fn every_node_is_full_and_one_job_and_one_pod_wait() {
    for system in SystemKind::ALL {
        let shape: ClusterSize = format!("{system}-30").parse().unwrap();
        let objects: Vec<Value> = shape.objects().collect();
        let held = held(&objects);
        let nodes: Vec<&Value> = objects.iter().filter(|object| object["kind"] == "Node").collect();
        assert_eq!(nodes.len(), 30);
        for node in nodes {
            let cores = held[node["metadata"]["name"].as_str().unwrap()].to_string();
            assert_eq!(node["status"]["allocatable"]["cpu"], cores.as_str(), "{system}");
        }
        let waiting = objects.iter().filter(|object| object["kind"] == "Pod" && object["status"]["phase"] == "Pending");
        assert_eq!(waiting.count(), shape.gang + 1);
    }
}

#[test]
fn a_shape_is_the_same_each_time_and_another_seed_gives_another_one() {
    let shape: ClusterSize = "yunikorn-10".parse().unwrap();
    assert_eq!(shape.text(), shape.text());
    assert_ne!(shape.text(), ClusterSize { seed: 2, ..shape.clone() }.text());
}

/// Checks that of ten queues, the pods of the first three are covered: three of the ten pods on each node.
#[test]
fn budgets_cover_the_pods_of_the_first_queues() {
    let shape = ClusterSize { budgets: 3, ..ClusterSize::from_str("kubernetes-4").unwrap() };
    let objects: Vec<Value> = shape.objects().collect();
    let budgets = objects.iter().filter(|object| object["kind"] == "PodDisruptionBudget");
    let covers: Vec<&str> = budgets.map(|it| it["spec"]["selector"]["matchLabels"]["app"].as_str().unwrap()).collect();
    assert_eq!(covers, ["queue-000", "queue-001", "queue-002"]);
    let covered =
        objects.iter().filter(|it| it["metadata"]["labels"]["app"].as_str().is_some_and(|app| covers.contains(&app)));
    assert_eq!(covered.count(), 3 * 4);
}

#[test]
fn a_name_that_is_no_shape_is_refused() {
    for name in ["koordinator", "koordinator-0", "other-10", "-5", "koordinator-x"] {
        assert!(name.parse::<ClusterSize>().unwrap_err().to_string().contains("koordinator-5000"), "{name}");
    }
    assert_eq!("koordinator-5000".parse::<ClusterSize>().unwrap().to_string(), "koordinator-5000");
}
