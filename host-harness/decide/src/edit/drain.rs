//! Draining a node, as `kubectl drain` does: the node is cordoned, and its pods leave, except those of DaemonSets and mirror pods. Their controllers
//! make them anew, so that they are pending again. Disruption budgets do not delay it.

use lictor_host::cluster::KubernetesObject;
use serde_json::{Value, json};

use super::super::priorities::value;
use super::super::problem::Problem;
use super::unknown;

/// The annotation of mirror pods, which the kubelet runs by itself.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// Returns the node, which takes no more pods, and its pods, which are pending again.
///
/// # Errors
/// The node does not exist.
pub(super) fn objects(objects: &[&KubernetesObject], node: &str) -> Result<Vec<Value>, Problem> {
    let cordoned = cordoned(objects, node)?;
    let pods = objects.iter().filter(|object| object.key().starts_with("Pod/")).filter_map(|object| value(object));
    let leaving = pods.filter(|pod| is_drained(pod, node)).map(pending);
    Ok([cordoned].into_iter().chain(leaving).collect())
}

/// Returns the node, which takes no more pods.
///
/// # Errors
/// The node does not exist.
pub(super) fn cordoned(objects: &[&KubernetesObject], node: &str) -> Result<Value, Problem> {
    let key = format!("Node/{node}");
    let found = objects.iter().rev().find(|object| object.key() == key).and_then(|object| value(object));
    let mut node = found.ok_or_else(|| unknown("node", node))?;
    if let Some(fields) = node.as_object_mut() {
        let spec = fields.entry("spec").or_insert_with(|| json!({}));
        spec.as_object_mut().into_iter().for_each(|spec| {
            spec.insert("unschedulable".to_owned(), Value::Bool(true));
        });
    }
    Ok(node)
}

fn is_drained(pod: &Value, node: &str) -> bool {
    let text = |pointer| pod.pointer(pointer).and_then(Value::as_str);
    let owners = pod.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let kinds = owners.into_iter().flatten().filter_map(|owner| owner.get("kind").and_then(Value::as_str));
    let annotations = pod.pointer("/metadata/annotations").and_then(Value::as_object);
    text("/spec/nodeName") == Some(node)
        && !matches!(text("/status/phase"), Some("Succeeded" | "Failed"))
        && !kinds.into_iter().any(|kind| kind == "DaemonSet")
        && !annotations.is_some_and(|annotations| annotations.contains_key(MIRROR))
}

/// Returns the pod as its controller makes it anew.
fn pending(mut pod: Value) -> Value {
    if let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) {
        spec.remove("nodeName");
    }
    if let Some(metadata) = pod.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("deletionTimestamp");
        metadata.remove("deletionGracePeriodSeconds");
    }
    if let Some(fields) = pod.as_object_mut() {
        fields.insert("status".to_owned(), json!({ "phase": "Pending" }));
    }
    pod
}
