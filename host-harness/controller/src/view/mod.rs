//! The view of a session on the objects of a living cluster.
//!
//! A session decides about pending pods. In the cluster such a pod is held by our scheduling gate, and one that was let go for its node is not bound
//! yet. Only this module knows the difference.

pub mod pin;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::names::{ASSIGNED_NODE, DEFAULT_SCHEDULER, EVICTED_FOR, EXTERNAL_SCHEDULER, SCHEDULING_GATE};

pub use pin::pinned_to;

/// The pods that are decided about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedPods {
    /// The schedulers (`spec.schedulerName`).
    pub schedulers: Vec<String>,
    /// Whether pods without our gate are decided about, too: nothing is carried out, and what the laws would do is only reported.
    pub ungated: bool,
}

/// The relation of a pending pod to this controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdmissionState {
    /// The pod is bound, or has ended, or is not of our schedulers.
    Unmanaged,
    /// Our gate holds the pod.
    Gated,
    /// We let the pod go for a node, and it is not bound yet.
    Admitted,
    /// The pod never had our gate: kube-scheduler decides about it.
    External,
}

/// Changes an object to what the session is to see. Returns the relation of the object to this controller.
///
/// A pod loses our gate; with another gate it stays gated. A pod that we let go is on the node that it was let go for: it keeps its room until
/// kube-scheduler binds it, there or elsewhere. Where that node is gone, the pod is kube-scheduler's alone. Then and later it demands and prefers
/// what its author wrote. A pod of our schedulers that never had our gate is one of another scheduler. A node keeps only what is read of it, so that
/// its heartbeats are no change.
pub fn normalize(object: &mut Value, ours: &ManagedPods, has_node: impl Fn(&str) -> bool) -> AdmissionState {
    strip(object);
    match (text(object, "/apiVersion"), text(object, "/kind")) {
        ("v1", "Pod") => normalize_pod(object, ours, has_node),
        ("v1", "Node") => {
            shrink_node(object);
            AdmissionState::Unmanaged
        }
        _ => AdmissionState::Unmanaged,
    }
}

/// Returns the relation of a pod to this controller.
pub fn admission_state(pod: &Value, ours: &ManagedPods) -> AdmissionState {
    let ended = matches!(text(pod, "/status/phase"), "Succeeded" | "Failed");
    if ended || !text(pod, "/spec/nodeName").is_empty() || !is_ours(pod, ours) {
        AdmissionState::Unmanaged
    } else if has_gate(pod) {
        AdmissionState::Gated
    } else if pinned_to(pod).is_some() {
        AdmissionState::Admitted
    } else {
        AdmissionState::External
    }
}

/// Returns whether our gate holds a pod.
pub fn has_gate(pod: &Value) -> bool {
    gates(pod).any(|gate| text(gate, "/name") == SCHEDULING_GATE)
}

/// Returns the scheduling gates of a pod.
pub fn gates(pod: &Value) -> impl Iterator<Item = &Value> {
    pod.pointer("/spec/schedulingGates").and_then(Value::as_array).into_iter().flatten()
}

/// Returns the text at a JSON pointer; empty where no text stands there.
pub fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the value of an annotation; empty where the object does not have it.
pub fn annotation<'a>(object: &'a Value, key: &str) -> &'a str {
    let annotations = object.pointer("/metadata/annotations");
    annotations.and_then(|all| all.get(key)).and_then(Value::as_str).unwrap_or_default()
}

fn is_ours(pod: &Value, ours: &ManagedPods) -> bool {
    let scheduler = match text(pod, "/spec/schedulerName") {
        "" => DEFAULT_SCHEDULER,
        named => named,
    };
    ours.schedulers.iter().any(|known| known == scheduler)
}

fn normalize_pod(pod: &mut Value, ours: &ManagedPods, has_node: impl Fn(&str) -> bool) -> AdmissionState {
    let standing = admission_state(pod, ours);
    match standing {
        AdmissionState::Gated => remove_gate(pod),
        AdmissionState::Admitted if pinned_to(pod).is_some_and(has_node) => put_on_its_node(pod),
        AdmissionState::Admitted | AdmissionState::External if !ours.ungated => {
            set(pod, "spec", "schedulerName", json!(EXTERNAL_SCHEDULER))
        }
        AdmissionState::Unmanaged | AdmissionState::Admitted | AdmissionState::External => {}
    }
    pin::remove_pin(pod);
    name_the_preemption(pod);
    if let Some(conditions) = pod.pointer_mut("/status/conditions").and_then(Value::as_array_mut) {
        // Our own reports about a pod are no change to us.
        conditions.retain(|condition| text(condition, "/type") != crate::report::ADMITTED);
    }
    crate::mark::StandingMark::remove_from(pod);
    standing
}

fn remove_gate(pod: &mut Value) {
    if let Some(Value::Array(gates)) = pod.pointer_mut("/spec/schedulingGates") {
        gates.retain(|gate| text(gate, "/name") != SCHEDULING_GATE);
    }
}

/// Puts a pod that was let go on its node, as a binding does: a binding also clears the nomination.
fn put_on_its_node(pod: &mut Value) {
    if let Some(node) = pinned_to(pod).map(str::to_owned) {
        set(pod, "spec", "nodeName", json!(node));
        if let Some(status) = pod.get_mut("status").and_then(Value::as_object_mut) {
            status.remove("nominatedNodeName");
        }
    }
}

/// Sets the reason of a victim's `DisruptionTarget` condition to preemption. The Eviction API writes its own reason there; for the laws our victim is
/// one that a scheduler preempts.
fn name_the_preemption(pod: &mut Value) {
    if annotation(pod, EVICTED_FOR).is_empty() || text(pod, "/metadata/deletionTimestamp").is_empty() {
        return;
    }
    let conditions = pod.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten().filter_map(Value::as_object_mut) {
        if condition.get("type").and_then(Value::as_str) == Some("DisruptionTarget") {
            condition.insert("reason".to_owned(), json!("PreemptionByScheduler"));
        }
    }
}

/// Removes the metadata that change often and that no decision needs.
fn strip(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for key in ["managedFields", "resourceVersion", "generation", "selfLink"] {
            metadata.remove(key);
        }
    }
}

fn shrink_node(node: &mut Value) {
    let allocatable = node.pointer_mut("/status/allocatable").map(Value::take).unwrap_or_default();
    if let Some(node) = node.as_object_mut() {
        node.insert("status".to_owned(), json!({"allocatable": allocatable}));
    }
    if let Some(metadata) = node.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("annotations");
    }
}

/// Sets a field of a part of an object.
fn set(object: &mut Value, part: &str, key: &str, to: Value) {
    if let Some(object) = object.as_object_mut() {
        let part = object.entry(part).or_insert_with(|| Value::Object(Map::new()));
        if let Some(part) = part.as_object_mut() {
            part.insert(key.to_owned(), to);
        }
    }
}
