//! Reads objects and outcomes.

use std::collections::BTreeMap;

use serde_json::Value;

/// Returns the pods among objects.
pub(crate) fn pods(objects: &[Value]) -> impl Iterator<Item = &Value> {
    objects.iter().filter(|object| text(object, "/kind") == "Pod")
}

/// Returns `namespace/name` of a pod.
pub(crate) fn name(pod: &Value) -> String {
    let namespace = pod.pointer("/metadata/namespace").and_then(Value::as_str);
    format!("{}/{}", namespace.unwrap_or("default"), text(pod, "/metadata/name"))
}

/// Returns whether a pod has no node, and is promised one.
pub(crate) fn is_nominated(pod: &Value) -> bool {
    text(pod, "/spec/nodeName").is_empty() && !text(pod, "/status/nominatedNodeName").is_empty()
}

/// Returns whether a pod has constraints between pods.
pub(crate) fn is_constrained(pod: &Value) -> bool {
    let fields = ["/spec/affinity/podAffinity", "/spec/affinity/podAntiAffinity", "/spec/topologySpreadConstraints"];
    fields.iter().any(|field| pod.pointer(field).is_some())
}

/// Returns whether a pod is being deleted.
pub(crate) fn is_terminating(pod: &Value) -> bool {
    pod.pointer("/metadata/deletionTimestamp").is_some()
}

/// Returns the text at a JSON pointer; empty where there is none.
pub(crate) fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a list of texts under a key of an outcome.
pub(crate) fn list(outcome: &Value, key: &str) -> Vec<String> {
    let entries = outcome.get(key).and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns a map of texts under a key of an outcome.
pub(crate) fn texts(outcome: &Value, key: &str) -> BTreeMap<String, String> {
    let entries = outcome.get(key).and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// Returns whether an outcome is that a pod is turned away, because its gang has failed in this round.
pub(crate) fn is_rejected_early(outcome: &Value) -> bool {
    text(outcome, "/result") == "Rejected" && text(outcome, "/reasons/0/code").ends_with("/gang-has-not-failed")
}
