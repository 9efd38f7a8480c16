//! Objects as raw JSON: to make, to create, to read, to wait for.

use std::time::{Duration, Instant};

use kube::Client;
use kube::api::{Api, DeleteParams, PostParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::{Value, json};

/// How long to wait for what is to come. A watch of client-go that lost its API server is taken up again after up to a minute: half a minute
/// in the end, and as much again by chance (upstream `tools/cache/reflector.go`).
pub const SOON: Duration = Duration::from_secs(150);

/// Returns a node of this name with so many cores, 32 GiB and capacity for 110 pods.
pub fn node(name: &str, cpu: u32) -> Value {
    let has = json!({"cpu": cpu.to_string(), "memory": "32Gi", "pods": "110"});
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {"capacity": has, "allocatable": has},
    })
}

/// Returns a pod that requests so much cpu (`500m`), and stops at once when it is deleted.
pub fn pod(namespace: &str, name: &str, cpu: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": namespace, "name": name, "annotations": {"testbed.lictor.dev/stop-seconds": "0"}},
        "spec": {"containers": [{"name": "main", "image": "none", "resources": {"requests": {"cpu": cpu}}}]},
    })
}

/// Changes an object by a JSON merge patch.
pub fn merge(mut object: Value, patch: &Value) -> Value {
    json_patch::merge(&mut object, patch);
    object
}

/// Returns access to the objects of a kind: in a namespace, or, where it is empty, to those without one.
pub fn api(client: &Client, version: &str, kind: &str, namespace: &str) -> Api<DynamicObject> {
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    if namespace.is_empty() {
        Api::all_with(client.clone(), &resource)
    } else {
        Api::namespaced_with(client.clone(), namespace, &resource)
    }
}

/// Returns access to the pods of a namespace.
pub fn pods(client: &Client, namespace: &str) -> Api<DynamicObject> {
    api(client, "v1", "Pod", namespace)
}

/// Creates an object. Its answer is the object as the API server has it.
pub async fn try_create(client: &Client, object: &Value) -> kube::Result<Value> {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let api = api(client, text("/apiVersion"), text("/kind"), text("/metadata/namespace"));
    let object: DynamicObject = serde_json::from_value(object.clone()).map_err(kube::Error::SerdeError)?;
    api.create(&PostParams::default(), &object).await.map(|created| serde_json::to_value(created).unwrap())
}

/// Creates an object.
///
/// # Panics
///
/// Where the API server refuses it.
pub async fn create(client: &Client, object: &Value) -> Value {
    try_create(client, object).await.unwrap_or_else(|error| panic!("create {object}: {error}"))
}

/// Creates a namespace.
pub async fn create_namespace(client: &Client, name: &str) {
    create(client, &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})).await;
}

/// Reads a pod as it is now. `None`: it is gone.
pub async fn get_pod(client: &Client, namespace: &str, name: &str) -> Option<Value> {
    let pod =
        pods(client, namespace).get_opt(name).await.unwrap_or_else(|error| panic!("get {namespace}/{name}: {error}"));
    pod.map(|pod| serde_json::to_value(pod).unwrap())
}

/// Deletes a pod, with its own grace.
pub async fn delete_pod(client: &Client, namespace: &str, name: &str) {
    let deleted = pods(client, namespace).delete(name, &DeleteParams::default()).await;
    deleted.unwrap_or_else(|error| panic!("delete {namespace}/{name}: {error}"));
}

/// Binds a pod to a node, whether it fits there or not.
pub async fn bind(client: &Client, namespace: &str, name: &str, node: &str) -> kube::Result<Value> {
    let binding = json!({
        "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    });
    pods(client, namespace).create_subresource("binding", name, &PostParams::default(), &binding).await
}

/// Evicts a pod, whichever of this name it is.
pub async fn evict(client: &Client, namespace: &str, name: &str) -> kube::Result<Value> {
    let eviction =
        json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"namespace": namespace, "name": name}});
    pods(client, namespace).create_subresource("eviction", name, &PostParams::default(), &eviction).await
}

/// Returns the node of a pod; empty while it has none.
pub fn node_of(pod: &Value) -> &str {
    pod.pointer("/spec/nodeName").and_then(Value::as_str).unwrap_or_default()
}

/// Returns the phase of a pod; empty while it has none.
pub fn phase_of(pod: &Value) -> &str {
    pod.pointer("/status/phase").and_then(Value::as_str).unwrap_or_default()
}

/// Asks again and again until there is an answer.
///
/// # Panics
///
/// Where there is none in this time.
pub async fn wait_for<T>(what: &str, within: Duration, ask: impl AsyncFnMut() -> Option<T>) -> T {
    comes(within, ask).await.unwrap_or_else(|| panic!("not within {within:?}: {what}"))
}

/// Repeats a request until it has an answer. `None`: no answer arrived within this time.
pub async fn comes<T>(within: Duration, mut ask: impl AsyncFnMut() -> Option<T>) -> Option<T> {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return Some(answer);
        }
        if began.elapsed() >= within {
            return None;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
