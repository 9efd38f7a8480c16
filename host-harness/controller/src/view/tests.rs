use serde_json::{Value, json};

use super::*;

fn ours() -> ManagedPods {
    ManagedPods { schedulers: vec!["default-scheduler".to_owned()], ungated: false }
}

/// Returns a pending pod with these gates.
fn gated(gates: &[&str]) -> Value {
    let gates: Vec<Value> = gates.iter().map(|gate| json!({"name": gate})).collect();
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "a", "namespace": "default", "uid": "1", "resourceVersion": "7", "managedFields": [{}]},
        "spec": {"schedulerName": "default-scheduler", "schedulingGates": gates, "containers": [{"name": "c"}]},
        "status": {"phase": "Pending", "nominatedNodeName": "n1"},
    })
}

/// Returns a pod that was let go for a node: without gate, annotated, pinned in each of these terms.
fn let_go(annotated: &str, pins: &[&str]) -> Value {
    let mut pod = gated(&[]);
    pod["metadata"]["annotations"] = json!({ASSIGNED_NODE: annotated});
    let term = |node: &&str| {
        let zone = json!({"key": "zone", "operator": "Exists"});
        json!({"matchExpressions": [zone],
               "matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]})
    };
    let terms: Vec<Value> = pins.iter().map(term).collect();
    let required = json!({"nodeSelectorTerms": terms});
    pod["spec"]["affinity"] = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}});
    pod
}

fn shown(mut pod: Value) -> (AdmissionState, Value) {
    let standing = normalize(&mut pod, &ours(), |_| true);
    (standing, pod)
}

#[test]
fn our_gate_is_not_shown() {
    let (standing, pod) = shown(gated(&[SCHEDULING_GATE]));
    assert_eq!(standing, AdmissionState::Gated);
    assert_eq!(pod["spec"]["schedulingGates"], json!([]));
    assert_eq!(pod["spec"]["schedulerName"], "default-scheduler");
    assert_eq!(pod["status"]["nominatedNodeName"], "n1", "a nomination is kept over a restart");
}

#[test]
fn the_gate_of_somebody_else_is_shown() {
    let (standing, pod) = shown(gated(&["example.com/quota", SCHEDULING_GATE]));
    assert_eq!(standing, AdmissionState::Gated);
    assert_eq!(pod["spec"]["schedulingGates"], json!([{"name": "example.com/quota"}]));
}

#[test]
fn a_pod_that_was_let_go_is_on_the_node_it_is_pinned_to() {
    let (standing, pod) = shown(let_go("n2", &["n2", "n2"]));
    assert_eq!(standing, AdmissionState::Admitted);
    assert_eq!(pod["spec"]["nodeName"], "n2");
    assert_eq!(pod["status"].get("nominatedNodeName"), None);
}

#[test]
fn an_annotation_without_the_pin_is_not_believed() {
    for pod in [let_go("n2", &[]), let_go("n2", &["n2", "n1"]), let_go("", &["n2"])] {
        let (standing, pod) = shown(pod);
        assert_eq!((standing, pod["spec"].get("nodeName")), (AdmissionState::External, None));
    }
}

#[test]
fn a_pod_that_never_had_our_gate_is_left_to_others() {
    let (standing, pod) = shown(gated(&[]));
    assert_eq!(standing, AdmissionState::External);
    assert_eq!(pod["spec"]["schedulerName"], EXTERNAL_SCHEDULER);
    // Another gate does not make the pod ours.
    assert_eq!(shown(gated(&["example.com/quota"])).0, AdmissionState::External);
}

#[test]
fn one_who_only_observes_sees_pods_without_gate_as_pending() {
    let mut pod = gated(&[]);
    normalize(&mut pod, &ManagedPods { ungated: true, ..ours() }, |_| true);
    assert_eq!(pod["spec"]["schedulerName"], "default-scheduler");
}

#[test]
fn what_is_bound_or_has_ended_or_is_of_another_scheduler_stays_as_it_is() {
    let bound = with(gated(&[]), "/spec", "nodeName", json!("n1"));
    let ended = with(gated(&[]), "/status", "phase", json!("Failed"));
    let other = with(gated(&[SCHEDULING_GATE]), "/spec", "schedulerName", json!("other"));
    for mut pod in [bound, ended, other] {
        let mut stripped = pod.clone();
        strip(&mut stripped);
        assert_eq!(normalize(&mut pod, &ours(), |_| true), AdmissionState::Unmanaged);
        assert_eq!(pod, stripped);
    }
}

#[test]
fn a_victim_of_ours_that_is_being_deleted_is_preempted_and_another_is_not() {
    let evicted = |annotations: Value| {
        let mut pod = with(gated(&[]), "/spec", "nodeName", json!("n1"));
        pod["metadata"]["annotations"] = annotations;
        pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        pod["status"]["conditions"] =
            json!([{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}]);
        shown(pod).1["status"]["conditions"][0]["reason"].clone()
    };
    assert_eq!(evicted(json!({EVICTED_FOR: "default/p (plan 1)"})), "PreemptionByScheduler");
    assert_eq!(evicted(json!({})), "EvictionByEvictionAPI");
}

#[test]
fn the_heartbeat_of_a_node_is_no_change() {
    let node = |version: &str, heartbeat: &str| {
        let mut node = json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": "n1", "resourceVersion": version, "labels": {"zone": "z"}},
            "spec": {"unschedulable": false},
            "status": {"allocatable": {"cpu": "4"}, "conditions": [{"lastHeartbeatTime": heartbeat}]},
        });
        normalize(&mut node, &ours(), |_| true);
        node
    };
    assert_eq!(node("1", "00:01"), node("2", "00:02"));
    assert_eq!(node("1", "00:01")["status"], json!({"allocatable": {"cpu": "4"}}));
    assert_eq!(node("1", "00:01")["metadata"]["labels"]["zone"], "z");
}

#[test]
fn the_pin_is_added_to_every_term_and_once() {
    let pin = json!({"key": "metadata.name", "operator": "In", "values": ["n1"]});
    assert_eq!(pin::pinned_terms(&gated(&[]), "n1"), [json!({"matchFields": [pin]})]);
    let terms = pin::pinned_terms(&let_go("n1", &["n1", "n2"]), "n1");
    assert_eq!(terms[0]["matchFields"], json!([pin]));
    assert_eq!(terms[1]["matchFields"][1], pin);
    assert_eq!(terms[1]["matchExpressions"][0]["key"], "zone");
}

/// Returns the pod with a field of a part set.
fn with(mut pod: Value, part: &str, key: &str, to: Value) -> Value {
    pod.pointer_mut(part).unwrap()[key] = to;
    pod
}

#[test]
fn a_pod_that_has_its_node_shows_what_its_author_demands_and_not_our_pin() {
    let zone = json!([{"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]);
    let other = json!([{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n9"]}]}]);
    let required = |terms: &Value| json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}});
    let near = json!({"podAffinity": {}});
    for affinity in [None, Some(required(&zone)), Some(required(&other)), Some(near)] {
        let mut pod = with(gated(&[]), "/metadata", "annotations", json!({ASSIGNED_NODE: "n1"}));
        if let Some(affinity) = &affinity {
            pod = with(pod, "/spec", "affinity", affinity.clone());
        }
        let mut expected = pod["spec"].clone();
        expected["nodeName"] = json!("n1");
        let terms = pin::pinned_terms(&pod, "n1");
        pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
            json!({"nodeSelectorTerms": terms});
        assert_eq!(pinned_to(&pod), Some("n1"));
        let (standing, let_go) = shown(pod.clone());
        assert_eq!((standing, &let_go["spec"]), (AdmissionState::Admitted, &expected));
        let (standing, bound) = shown(with(pod, "/spec", "nodeName", json!("n1")));
        assert_eq!((standing, &bound["spec"]), (AdmissionState::Unmanaged, &expected));
    }
}

#[test]
fn a_pod_that_prefers_its_node_as_we_write_it_was_let_go_and_shows_what_its_author_wrote() {
    let zone = json!({"weight": 100, "preference": {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}});
    for author in [None, Some(json!({"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [zone]}}))] {
        let mut pod = with(gated(&[]), "/metadata", "annotations", json!({ASSIGNED_NODE: "n1"}));
        if let Some(affinity) = &author {
            pod = with(pod, "/spec", "affinity", affinity.clone());
        }
        assert_eq!(pinned_to(&pod), None, "the annotation alone is not believed");
        let mut expected = pod["spec"].clone();
        let wishes = pin::preferences(&pod, "n1");
        pod["spec"]["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = json!(wishes);
        assert_eq!((pinned_to(&pod), pin::preferences(&pod, "n1")), (Some("n1"), wishes));
        // kube-scheduler has bound the pod elsewhere.
        let (standing, bound) = shown(with(pod.clone(), "/spec", "nodeName", json!("n2")));
        expected["nodeName"] = json!("n2");
        assert_eq!((standing, &bound["spec"]), (AdmissionState::Unmanaged, &expected));
        let (standing, let_go) = shown(pod);
        expected["nodeName"] = json!("n1");
        assert_eq!((standing, &let_go["spec"]), (AdmissionState::Admitted, &expected));
    }
}
