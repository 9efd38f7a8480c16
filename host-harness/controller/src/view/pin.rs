//! The node of a pod that was let go, in its node affinity: preferred, or required where a law demands the node.
//!
//! A gate cannot be added to a pod again, nor can a required affinity change then. A pod that only prefers its node starts on another one when others
//! have taken its room.

use serde_json::{Map, Value, json};

use super::{ASSIGNED_NODE, annotation};

/// The JSON pointer to the terms of the required node affinity.
pub const TERMS: &str = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";

/// The JSON pointer to the terms of the preferred node affinity.
pub const PREFERRED: &str = "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";

/// The weight of our preference: the highest that is allowed.
const WEIGHT: u32 = 100;

/// Returns the node that we let a pod go for: our annotation names it, and the pod's node affinity prefers it as we do, or every term of the required
/// affinity demands it. `None`: we did not let the pod go.
///
/// The annotation alone is not enough: any client can write one. Nor is the affinity: pods of a DaemonSet have the same.
pub fn pinned_to(pod: &Value) -> Option<&str> {
    let node = annotation(pod, ASSIGNED_NODE);
    (!node.is_empty() && (is_required(pod, node) || is_preferred(pod, node))).then_some(node)
}

fn is_required(pod: &Value, node: &str) -> bool {
    let terms = pod.pointer(TERMS).and_then(Value::as_array).filter(|terms| !terms.is_empty());
    let demands = |term: &Value| fields(term).any(|field| is_pin(field, node));
    terms.is_some_and(|terms| terms.iter().all(demands))
}

fn is_preferred(pod: &Value, node: &str) -> bool {
    let wishes = pod.pointer(PREFERRED).and_then(Value::as_array);
    wishes.into_iter().flatten().any(|wish| *wish == preference(node))
}

/// Removes what we have written on a pod that was let go: what the pod itself demands and prefers is left. Once the pod has its node, our part says
/// nothing more. With it each such pod would look like one of a DaemonSet, and would share its shape with no other pod.
pub fn remove_pin(pod: &mut Value) {
    let Some(node) = pinned_to(pod).map(str::to_owned) else { return };
    if let Some(terms) = pod.pointer_mut(TERMS).and_then(Value::as_array_mut) {
        for term in terms.iter_mut().filter_map(Value::as_object_mut) {
            if let Some(Value::Array(fields)) = term.get_mut("matchFields") {
                fields.retain(|field| !is_pin(field, &node));
                if fields.is_empty() {
                    term.remove("matchFields");
                }
            }
        }
        terms.retain(|term| term.as_object().is_none_or(|term| !term.is_empty()));
    }
    if let Some(wishes) = pod.pointer_mut(PREFERRED).and_then(Value::as_array_mut) {
        wishes.retain(|wish| *wish != preference(&node));
    }
    // The empty fields that we have created are removed with it.
    let is_empty_list = |pod: &Value, list| pod.pointer(list).and_then(Value::as_array).is_some_and(Vec::is_empty);
    for (list, key) in [
        (TERMS, "requiredDuringSchedulingIgnoredDuringExecution"),
        (PREFERRED, "preferredDuringSchedulingIgnoredDuringExecution"),
    ] {
        if is_empty_list(pod, list) {
            remove(pod, "/spec/affinity/nodeAffinity", key);
        }
    }
    for (place, key) in [("/spec/affinity", "nodeAffinity"), ("/spec", "affinity")] {
        let fields = pod.pointer(place).and_then(|fields| fields.get(key)).and_then(Value::as_object);
        if fields.is_some_and(Map::is_empty) {
            remove(pod, place, key);
        }
    }
}

fn remove(pod: &mut Value, place: &str, key: &str) {
    if let Some(fields) = pod.pointer_mut(place).and_then(Value::as_object_mut) {
        fields.remove(key);
    }
}

/// Returns the preferences of a pod with the one for this node.
pub fn preferences(pod: &Value, node: &str) -> Vec<Value> {
    let known = pod.pointer(PREFERRED).and_then(Value::as_array).into_iter().flatten();
    let others = known.filter(|wish| **wish != preference(node)).cloned();
    others.chain([preference(node)]).collect()
}

fn preference(node: &str) -> Value {
    json!({"weight": WEIGHT, "preference": {"matchFields": [pin(node)]}})
}

/// Returns the terms of a pod with the pin added to each of them.
pub fn pinned_terms(pod: &Value, node: &str) -> Vec<Value> {
    let pin = pin(node);
    let terms = pod.pointer(TERMS).and_then(Value::as_array).filter(|terms| !terms.is_empty());
    let Some(terms) = terms else { return vec![json!({"matchFields": [pin]})] };
    let pinned = |term: &Value| {
        let mut all: Vec<Value> = fields(term).cloned().collect();
        if !all.iter().any(|field| is_pin(field, node)) {
            all.push(pin.clone());
        }
        let mut term = term.clone();
        if let Some(term) = term.as_object_mut() {
            term.insert("matchFields".to_owned(), Value::Array(all));
        }
        term
    };
    terms.iter().map(pinned).collect()
}

fn fields(term: &Value) -> impl Iterator<Item = &Value> {
    term.get("matchFields").and_then(Value::as_array).into_iter().flatten()
}

fn is_pin(field: &Value, node: &str) -> bool {
    *field == pin(node)
}

fn pin(node: &str) -> Value {
    json!({"key": "metadata.name", "operator": "In", "values": [node]})
}
