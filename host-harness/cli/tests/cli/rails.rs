//! `decide --rail`: what no policy may evict.

use serde_json::{Value, json};

use crate::run::{file, lictor};

/// Writes a cluster whose node is full with two ready pods; their budget allows one disruption, and an important pod waits. Returns the path.
fn cluster(name: &str) -> String {
    let pod = |name: &str, cpu: &str, more: Value| {
        let mut pod = json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"}},
            "spec": {"priority": 0, "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]}});
        let spec = pod["spec"].as_object_mut().unwrap();
        spec.extend(more.as_object().unwrap().clone());
        pod
    };
    let running = |name: &str| {
        let mut pod = pod(name, "2", json!({"nodeName": "n1"}));
        pod["status"] = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
        pod
    };
    let items = json!([
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}},
        running("web-0"), running("web-1"), pod("important", "4", json!({"priority": 9})),
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web", "namespace": "shop"},
         "spec": {"selector": {"matchLabels": {"app": "web"}}}, "status": {"disruptionsAllowed": 1}},
    ]);
    file(name, json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string())
}

#[test]
fn a_plan_that_a_budget_refuses_in_part_is_no_decision() {
    for system in ["kubernetes", "koordinator"] {
        let path = cluster(&format!("rails-{system}.json"));
        let arguments = ["decide", "--native", "--system", system, &path];
        let refused = lictor(&arguments).exits(0);
        let rail = "the rail `budgets` refuses 2 victims of the PodDisruptionBudget `shop/web`: it allows 1";
        assert!(refused.out.contains(rail), "{}", refused.out);
        assert!(refused.out.contains("1 unschedulable; no victims"), "{}", refused.out);
        assert!(!refused.out.contains("try again after"), "for those who ask why: {}", refused.out);
        let explained = lictor(&[&arguments[..], &["--explain"]].concat()).exits(0);
        let retry = explained.out.lines().find(|line| line.contains("try again after a change of ")).unwrap();
        assert!(retry.contains("PodDisruptionBudget, "), "when to try again: {retry}");
        assert!(!refused.out.contains("has no effect"), "the host reads the budget: {}", refused.out);
        let loosened = lictor(&[&arguments[..], &["--rail", "budgets=off"]].concat()).exits(0);
        assert!(loosened.out.contains("1 nominated; 2 victims"), "{}", loosened.out);
    }
}
