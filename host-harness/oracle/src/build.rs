//! Writes objects as `kubectl get -o yaml` prints them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::object::stamp;

/// Labels or annotations.
pub(crate) type Tags = BTreeMap<String, String>;

/// The resources of a pod or node, in whole units.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    pub(crate) cpu: i64,
    /// Omitted where it is 0.
    pub(crate) gpu: i64,
}

impl Size {
    pub(crate) fn written(self) -> Map<String, Value> {
        let mut written = Map::new();
        written.insert("cpu".to_owned(), json!(self.cpu.to_string()));
        if self.gpu > 0 {
            written.insert("nvidia.com/gpu".to_owned(), json!(self.gpu.to_string()));
        }
        written
    }
}

/// Builds a node of this size that takes at most `pods` pods.
pub(crate) fn node(name: &str, size: Size, pods: i64, labels: &Tags) -> Value {
    let mut allocatable = size.written();
    allocatable.insert("pods".to_owned(), json!(pods.to_string()));
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": allocatable},
    })
}

/// The fields of a pod to generate.
#[derive(Debug, Clone, Default)]
pub(crate) struct PodPlan {
    pub(crate) name: String,
    pub(crate) size: Size,
    pub(crate) priority: i64,
    pub(crate) node: Option<String>,
    pub(crate) created: i64,
    pub(crate) started: Option<i64>,
    pub(crate) labels: Tags,
    pub(crate) annotations: Tags,
    /// Further fields of its spec.
    pub(crate) spec: Map<String, Value>,
    /// Further fields of its metadata.
    pub(crate) metadata: Map<String, Value>,
}

/// Builds a pod in the namespace `default`: running if the plan names its node, otherwise pending.
pub(crate) fn pod(plan: &PodPlan) -> Value {
    let mut metadata = plan.metadata.clone();
    metadata.insert("name".to_owned(), json!(plan.name));
    metadata.insert("namespace".to_owned(), json!("default"));
    metadata.insert("creationTimestamp".to_owned(), json!(stamp(plan.created)));
    if !plan.labels.is_empty() {
        metadata.insert("labels".to_owned(), json!(plan.labels));
    }
    if !plan.annotations.is_empty() {
        metadata.insert("annotations".to_owned(), json!(plan.annotations));
    }
    let mut spec = plan.spec.clone();
    spec.insert("priority".to_owned(), json!(plan.priority));
    spec.insert("containers".to_owned(), json!([{"name": "main", "resources": {"requests": plan.size.written()}}]));
    let mut status = json!({"phase": "Pending"});
    if let Some(node) = &plan.node {
        spec.insert("nodeName".to_owned(), json!(node));
        status = json!({"phase": "Running"});
    }
    if let Some(started) = plan.started {
        put(&mut status, "", "startTime", json!(stamp(started)));
    }
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status})
}

/// Sets a field in the part of an object at a JSON pointer. Does nothing where that part is absent.
pub(crate) fn put(object: &mut Value, pointer: &str, key: &str, value: Value) {
    if let Some(part) = object.pointer_mut(pointer).and_then(Value::as_object_mut) {
        part.insert(key.to_owned(), value);
    }
}

/// Returns labels or annotations made of these pairs.
pub(crate) fn tags<const N: usize>(pairs: [(&str, &str); N]) -> Tags {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}
