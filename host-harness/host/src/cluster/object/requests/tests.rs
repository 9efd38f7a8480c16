use serde_json::{Value, json};

use super::super::quantities::as_texts;
use super::*;
use crate::cluster::load::{self, DocumentOrigin};

fn origin() -> DocumentOrigin {
    load::read("p.yaml", "spec: 1\n").unwrap().remove(0).origin
}

fn requests(spec: Value, status: Value) -> Result<ResourceAmounts, InputError> {
    let (mut spec, mut status) = (spec, status);
    as_texts(&mut spec);
    as_texts(&mut status);
    let (spec, status) = (serde_json::from_value(spec).unwrap(), serde_json::from_value(status).unwrap());
    let subject = ObjectContext { origin: &origin(), name: "Pod default/a".to_owned() };
    of_pod(&spec, Some(&status), "/spec", &subject)
}

fn amounts<const N: usize>(of: [(&str, i64); N]) -> ResourceAmounts {
    of.into_iter().chain([("pods", 1)]).map(|(name, amount)| (name.to_owned(), amount)).collect()
}

fn cpu(name: &str, cores: i64) -> Value {
    json!({"name": name, "resources": {"requests": {"cpu": cores}}})
}

fn sidecar(name: &str, cores: i64) -> Value {
    json!({"name": name, "restartPolicy": "Always", "resources": {"requests": {"cpu": cores}}})
}

#[test]
fn containers_are_added_and_init_containers_run_alone() {
    let spec = json!({"containers": [cpu("a", 1), cpu("b", 2)], "initContainers": [cpu("i", 2), cpu("j", 4)]});
    assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 4000)])));
    let spec = json!({"containers": [cpu("a", 1), cpu("b", 2)], "initContainers": [cpu("i", 2)]});
    assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 3000)])));
}

#[test]
fn sidecars_run_beside_containers_and_later_init_containers() {
    // i runs alone (5). Then s (1) stays running, and j runs with s (3 + 1). At last a runs with s (2 + 1).
    let spec = json!({"containers": [cpu("a", 2)], "initContainers": [cpu("i", 5), sidecar("s", 1), cpu("j", 3)]});
    assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 5000)])));
    let spec = json!({"containers": [cpu("a", 2)], "initContainers": [sidecar("s", 1), cpu("j", 5)]});
    assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 6000)])));
    let spec = json!({"containers": [cpu("a", 2)], "initContainers": [sidecar("s", 1), sidecar("t", 4)]});
    assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 7000)])));
}

#[test]
fn overhead_is_added_to_everything() {
    let spec = json!({"containers": [cpu("a", 1)], "initContainers": [cpu("i", 3)], "overhead": {"cpu": "250m", "memory": "1Mi"}});
    assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 3250), ("memory", 1 << 20)])));
}

#[test]
fn limits_stand_in_for_requests_that_are_not_given() {
    let resources =
        json!({"requests": {"cpu": "1"}, "limits": {"cpu": "2", "nvidia.com/gpu": 4, "hugepages-2Mi": "4Mi"}});
    let spec = json!({"containers": [{"name": "a", "resources": resources}]});
    let expected = amounts([("cpu", 1000), ("nvidia.com/gpu", 4), ("hugepages-2Mi", 4 << 20)]);
    assert_eq!(requests(spec, json!({})), Ok(expected));
}

#[test]
fn what_is_given_for_the_whole_pod_replaces_the_sum() {
    let whole = json!({"requests": {"cpu": "1500m", "nvidia.com/gpu": 9}, "limits": {"cpu": "3", "memory": "1Gi"}});
    let gpu = json!({"name": "g", "resources": {"requests": {"nvidia.com/gpu": 1}}});
    let spec = json!({"containers": [cpu("a", 1), cpu("b", 2), gpu], "resources": whole, "overhead": {"cpu": "100m"}});
    let expected = amounts([("cpu", 1600), ("memory", 1 << 30), ("nvidia.com/gpu", 1)]);
    assert_eq!(requests(spec, json!({})), Ok(expected));
    let spec = json!({"containers": [cpu("a", 1)], "resources": {"limits": {"cpu": "3"}}});
    assert_eq!(requests(spec, json!({})), Ok(amounts([("cpu", 1000)])));
}

/// Returns the requests of a pod on a node with this status.
fn on_node(mut spec: Value, status: Value) -> ResourceAmounts {
    spec["nodeName"] = "n1".into();
    requests(spec, status).unwrap()
}

fn running(name: &str, allocated: Value, actuated: Value) -> Value {
    let mut status = json!({"name": name, "image": "", "imageID": "", "ready": true, "restartCount": 0});
    if !allocated.is_null() {
        status["allocatedResources"] = allocated;
    }
    if !actuated.is_null() {
        status["resources"] = json!({"requests": actuated});
    }
    status
}

fn infeasible() -> Value {
    json!([{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}])
}

#[test]
fn a_resized_pod_holds_the_largest_of_three_sums() {
    // containerAllocatedRequests: 2 + the spec of b (1) = 3; containerActuatedRequests: 3 + 1 = 4; spec: 1 + 1 = 2.
    let status = json!({"containerStatuses": [running("a", json!({"cpu": 2, "memory": "1Mi"}), json!({"cpu": 3}))]});
    let spec = json!({"containers": [cpu("a", 1), cpu("b", 1)]});
    assert_eq!(on_node(spec.clone(), status.clone()), amounts([("cpu", 4000), ("memory", 1 << 20)]));
    assert_eq!(requests(spec, status), Ok(amounts([("cpu", 2000)])), "a pod without a node has not been resized");
    // One grows from 1 to 3, the other shrinks from 3 to 1: spec 3 + 1, allocated and actuated 1 + 3. Never 3 + 3.
    let small = json!({"cpu": 1});
    let large = json!({"cpu": 3});
    let status = json!({"containerStatuses": [running("a", small.clone(), small), running("b", large.clone(), large)]});
    assert_eq!(on_node(json!({"containers": [cpu("a", 3), cpu("b", 1)]}), status), amounts([("cpu", 4000)]));
}

#[test]
fn what_is_allocated_counts_where_the_status_has_no_resources() {
    let status = json!({"containerStatuses": [running("a", json!({"cpu": 2}), Value::Null)]});
    assert_eq!(on_node(json!({"containers": [cpu("a", 1)]}), status), amounts([("cpu", 2000)]));
    // Resources without requests count as no requests: the allocated amounts stand for the actuated ones.
    let mut bare = running("a", json!({"cpu": 2}), Value::Null);
    bare["resources"] = json!({});
    let status = json!({"containerStatuses": [bare], "conditions": infeasible()});
    assert_eq!(on_node(json!({"containers": [cpu("a", 9)]}), status), amounts([("cpu", 2000)]));
}

#[test]
fn the_spec_of_an_infeasible_resize_does_not_count() {
    let two = json!({"cpu": 2});
    let status = json!({"containerStatuses": [running("a", two.clone(), two)], "conditions": infeasible()});
    // A container without a status holds nothing then (containerAllocatedRequests returns nil).
    let spec = json!({"containers": [cpu("a", 100), cpu("b", 1)]});
    assert_eq!(on_node(spec.clone(), status.clone()), amounts([("cpu", 2000)]));
    let mut deferred = status.clone();
    deferred["conditions"][0]["reason"] = "Deferred".into();
    assert_eq!(on_node(spec.clone(), deferred), amounts([("cpu", 101_000)]));
    // Upstream looks at the first condition of the type alone, whatever its status is.
    let mut second = status.clone();
    second["conditions"] = json!([{"type": "PodResizePending", "status": "True", "reason": "Deferred"},
                                  {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]);
    assert_eq!(on_node(spec.clone(), second), amounts([("cpu", 101_000)]));
    let mut over = status;
    over["conditions"][0]["status"] = "False".into();
    assert_eq!(on_node(spec, over), amounts([("cpu", 2000)]));
}

#[test]
fn init_containers_are_resized_like_others() {
    let four = json!({"cpu": 4});
    let status = json!({"initContainerStatuses": [running("i", four.clone(), four)]});
    let spec = json!({"containers": [cpu("a", 1)], "initContainers": [cpu("i", 2)]});
    assert_eq!(on_node(spec, status.clone()), amounts([("cpu", 4000)]));
    // A sidecar runs with the containers: 1 + 4.
    let spec = json!({"containers": [cpu("a", 1)], "initContainers": [sidecar("i", 2)]});
    assert_eq!(on_node(spec, status), amounts([("cpu", 5000)]));
}

#[test]
fn what_the_status_says_of_the_whole_pod_counts() {
    let whole = json!({"requests": {"cpu": 2}});
    let spec = json!({"containers": [cpu("a", 1)], "resources": whole});
    let six = json!({"cpu": 6});
    let status = json!({"allocatedResources": six, "resources": {"requests": {"cpu": 5}}});
    assert_eq!(on_node(spec.clone(), status.clone()), amounts([("cpu", 6000)]));
    let mut refused = status.clone();
    refused["conditions"] = infeasible();
    let mut large = spec.clone();
    large["resources"]["requests"]["cpu"] = 100.into();
    assert_eq!(on_node(large.clone(), refused), amounts([("cpu", 6000)]));
    assert_eq!(on_node(large, status.clone()), amounts([("cpu", 100_000)]), "a deferred resize counts as asked");
    // effectivePodLevelResources is for a pod whose status has `resources`.
    assert_eq!(on_node(spec, json!({"allocatedResources": {"cpu": 6}})), amounts([("cpu", 2000)]));
    // Without pod-level requests the status of the pod stands for the sum of its containers (AggregateContainerRequests).
    assert_eq!(on_node(json!({"containers": [cpu("a", 1)]}), status), amounts([("cpu", 6000)]));
}

#[test]
fn a_request_that_no_node_can_have_is_one_amount() {
    let huge = |memory: &str| json!({"name": "a", "resources": {"requests": {"memory": memory}}});
    for containers in [vec![huge("50E")], vec![huge("2Ei")], vec![huge("5Ei"), huge("5Ei")], vec![huge("1025Pi")]] {
        assert_eq!(requests(json!({"containers": containers}), json!({})), Ok(amounts([("memory", OVER_MAX_AMOUNT)])));
    }
    let most = json!({"containers": [huge("1Pi")]});
    assert_eq!(requests(most, json!({})), Ok(amounts([("memory", 1 << 50)])));
    let overhead = json!({"containers": [huge("1Pi")], "overhead": {"memory": "9E"}});
    assert_eq!(requests(overhead, json!({})), Ok(amounts([("memory", OVER_MAX_AMOUNT)])));
}

#[test]
fn an_invalid_quantity_is_a_mistake() {
    let path = requests(
        json!({"containers": [cpu("a", 0), {"name": "b", "resources": {"limits": {"a/b": "9Q"}}}]}),
        json!({}),
    );
    assert!(path.unwrap_err().message.starts_with("spec.containers[1].resources.limits[a/b] of Pod default/a"));
    let name = json!({"containers": [{"name": "b", "resources": {"limits": {"a/b/c": 1}}}]});
    assert!(requests(name, json!({})).unwrap_err().message.contains("more than one `/`"));
    let status = json!({"containerStatuses": [running("a", json!({"cpu": "x"}), Value::Null)]});
    let spec = json!({"nodeName": "n1", "containers": [cpu("a", 1)]});
    let mistake = requests(spec, status).unwrap_err();
    assert!(mistake.message.starts_with("status.containerStatuses[0].allocatedResources.cpu"), "{mistake}");
}
