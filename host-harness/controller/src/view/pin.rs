//! The pin of a pod that was let go: required node affinity by the name of the node, in every term.

use serde_json::{Value, json};

use super::{NODE, annotation};

/// Where the terms of the required node affinity stand.
pub const TERMS: &str = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";

/// The node that a pod is pinned to by us: our annotation names it, and every term of its required node affinity demands it.
///
/// The annotation alone is not believed: anybody can write one. Nor is the affinity: pods of a DaemonSet have the same.
pub fn pinned_to(pod: &Value) -> Option<&str> {
    let node = annotation(pod, NODE);
    let terms = pod.pointer(TERMS)?.as_array()?;
    let demands = |term: &Value| fields(term).any(|field| is_pin(field, node));
    (!node.is_empty() && !terms.is_empty() && terms.iter().all(demands)).then_some(node)
}

/// Takes our pin off a pod that has it: what the pod itself demands is left. Where it has its node the pin says nothing more, and without
/// this each such pod would look like one of a DaemonSet, and like no other pod.
pub fn take_off(pod: &mut Value) {
    let Some(node) = pinned_to(pod).map(str::to_owned) else { return };
    let Some(terms) = pod.pointer_mut(TERMS).and_then(Value::as_array_mut) else { return };
    for term in terms.iter_mut().filter_map(Value::as_object_mut) {
        if let Some(Value::Array(fields)) = term.get_mut("matchFields") {
            fields.retain(|field| !is_pin(field, &node));
            if fields.is_empty() {
                term.remove("matchFields");
            }
        }
    }
    terms.retain(|term| term.as_object().is_none_or(|term| !term.is_empty()));
    if !terms.is_empty() {
        return;
    }
    // What we have put around it goes with it.
    let around = [
        ("/spec/affinity/nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
        ("/spec/affinity", "nodeAffinity"),
        ("/spec", "affinity"),
    ];
    for (place, key) in around {
        let Some(fields) = pod.pointer_mut(place).and_then(Value::as_object_mut) else { return };
        fields.remove(key);
        if !fields.is_empty() {
            return;
        }
    }
}

/// The terms of a pod with the pin added to each of them.
pub fn pinned_terms(pod: &Value, node: &str) -> Vec<Value> {
    let pin = json!({"key": "metadata.name", "operator": "In", "values": [node]});
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
    *field == json!({"key": "metadata.name", "operator": "In", "values": [node]})
}
