//! The patches by which commands are carried out, built from the last known copy of the object.

use std::collections::BTreeMap;

use lictor_contract::{Mark, MarkPlace};
use serde_json::{Map, Value, json};

use crate::names::{ASSIGNED_NODE, EVICTED_FOR, SCHEDULING_GATE};
use crate::view::pin::{pinned_terms, preferences};
use crate::view::{gates, has_gate, pinned_to, text};

/// Makes the patch that lets a pod go for its node, with the marks. The API server refuses the patch for any other version of the pod.
///
/// The pod prefers its node. Marks name a thing on the node, such as a reservation: a pod with marks may run nowhere else.
///
/// # Errors
/// Why the pod cannot be let go.
pub fn bind(pod: &Value, node: &str, marks: &[Mark]) -> Result<Value, String> {
    let bound = text(pod, "/spec/nodeName");
    if !bound.is_empty() {
        return Err(format!("it is bound to {bound} already"));
    }
    if !has_gate(pod) {
        return Err(match pinned_to(pod) {
            Some(other) => format!("it was let go for {other} already"),
            None => format!("somebody else took its gate `{SCHEDULING_GATE}` away"),
        });
    }
    if !text(pod, "/metadata/deletionTimestamp").is_empty() {
        return Err("it is being deleted".to_owned());
    }
    let gates: Vec<Value> = gates(pod).filter(|gate| text(gate, "/name") != SCHEDULING_GATE).cloned().collect();
    let mut metadata = marked(marks);
    set_annotation(&mut metadata, ASSIGNED_NODE, node.into());
    precondition(&mut metadata, pod, true);
    let affinity = match marks.is_empty() {
        true => json!({"preferredDuringSchedulingIgnoredDuringExecution": preferences(pod, node)}),
        false => {
            let terms = pinned_terms(pod, node);
            json!({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}})
        }
    };
    Ok(json!({"metadata": metadata, "spec": {"schedulingGates": gates, "affinity": {"nodeAffinity": affinity}}}))
}

/// Makes the patch that nominates a pod to a node. `None`: the patch takes the nomination back.
pub fn nominate(uid: &str, node: Option<&str>) -> Value {
    json!({"metadata": {"uid": uid}, "status": {"nominatedNodeName": node}})
}

/// Makes the patch that marks a victim before its eviction, for this plan and since this time, as RFC 3339.
pub fn mark_victim(uid: &str, marks: &[Mark], plan: u64, since: &str) -> Value {
    let mut metadata = marked(marks);
    set_annotation(&mut metadata, EVICTED_FOR, format!("plan {plan} since {since}").into());
    metadata.insert("uid".to_owned(), uid.into());
    json!({"metadata": metadata})
}

/// Makes the patch that removes what [`mark_victim`] has written on a victim that is not evicted after all.
pub fn unmark_victim(uid: &str, marks: &[Mark]) -> Value {
    let mut metadata = marked(marks);
    let places = metadata.values_mut().filter_map(Value::as_object_mut);
    places.flat_map(Map::values_mut).for_each(|mark| *mark = Value::Null);
    set_annotation(&mut metadata, EVICTED_FOR, Value::Null);
    metadata.insert("uid".to_owned(), uid.into());
    json!({"metadata": metadata})
}

/// Returns whether an object carries all of these marks.
pub fn has_marks(object: &Value, marks: &[Mark]) -> bool {
    marks.iter().all(|mark| {
        let place = object.pointer(&format!("/metadata/{}", field(mark.place)));
        place.and_then(|all| all.get(&mark.key)).and_then(Value::as_str) == Some(&mark.value)
    })
}

/// Makes the metadata of a patch that sets these labels and annotations.
pub(super) fn marked(marks: &[Mark]) -> Map<String, Value> {
    let mut places: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for mark in marks {
        places.entry(field(mark.place)).or_default().insert(mark.key.clone(), mark.value.clone().into());
    }
    places.into_iter().map(|(place, marks)| (place.to_owned(), Value::Object(marks))).collect()
}

/// Sets an annotation in the metadata of a patch; null removes the annotation.
pub(super) fn set_annotation(metadata: &mut Map<String, Value>, key: &str, value: Value) {
    let annotations = metadata.entry("annotations").or_insert_with(|| Value::Object(Map::new()));
    if let Some(annotations) = annotations.as_object_mut() {
        annotations.insert(key.to_owned(), value);
    }
}

/// Adds the precondition of a patch: only the object of this uid takes it, and where `version` is true only this version of the object.
pub(super) fn precondition(metadata: &mut Map<String, Value>, object: &Value, version: bool) {
    metadata.insert("uid".to_owned(), text(object, "/metadata/uid").into());
    if version {
        metadata.insert("resourceVersion".to_owned(), text(object, "/metadata/resourceVersion").into());
    }
}

fn field(place: MarkPlace) -> &'static str {
    match place {
        MarkPlace::Label => "labels",
        MarkPlace::Annotation => "annotations",
    }
}
