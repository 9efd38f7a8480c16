//! Groups of pods, as scheduler-plugins knows them.

use serde_json::{Value, json};

use crate::object::{name, pods, text};
use crate::question::JudgeRequest;

/// Where a pod names its PodGroup.
const POD_GROUP: &str = "/metadata/labels/scheduling.x-k8s.io~1pod-group";

/// Where a pod of the proposal names its group.
const PROPOSED: &str = "/metadata/labels/pod-group~1name";

/// Where a pod of the proposal says how many its group needs.
const MINIMUM: &str = "/metadata/labels/pod-group~1min-available";

/// Returns the group that a pod names, `namespace/name`.
pub(super) fn group(pod: &Value) -> Option<String> {
    let named = text(pod, POD_GROUP);
    (!named.is_empty()).then(|| format!("{}/{named}", namespace(pod)))
}

/// Returns the namespace of an object.
pub(super) fn namespace(object: &Value) -> &str {
    object.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or("default")
}

/// Returns how many pods a group needs; none where its PodGroup is missing.
pub(super) fn minimum(objects: &[Value], group: &str) -> Option<usize> {
    let object = objects.iter().find(|object| is_pod_group(object) && name(object) == group)?;
    let written = object.pointer("/spec/minMember").and_then(Value::as_u64).unwrap_or(1);
    usize::try_from(written).ok()
}

fn is_pod_group(object: &Value) -> bool {
    text(object, "/kind") == "PodGroup" && text(object, "/apiVersion").starts_with("scheduling.x-k8s.io/")
}

/// Returns the least that all nodes together must have free for a group, where its PodGroup names it.
pub(super) fn least_resources<'o>(objects: &'o mut [Value], group: &str) -> Option<&'o mut Value> {
    let object = objects.iter_mut().find(|object| is_pod_group(object) && name(object) == group)?;
    object.pointer_mut("/spec/minResources")
}

/// Takes a pod out of its group.
pub(super) fn leave_group(pod: &mut Value) {
    if let Some(labels) = pod.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.remove("scheduling.x-k8s.io/pod-group");
    }
}

/// Returns the question with groups by the labels of the proposal as PodGroups, which are all that upstream knows. The minimum is that of the
/// oldest member.
pub(crate) fn translated(question: &JudgeRequest) -> JudgeRequest {
    let mut question = question.clone();
    let mut minimums: Vec<(String, Value, u64)> = Vec::new();
    let mut oldest: Vec<&Value> = pods(&question.objects).filter(|pod| proposed(pod).is_some()).collect();
    oldest.sort_by_key(|pod| (text(pod, "/metadata/creationTimestamp"), name(pod)));
    for pod in oldest {
        let Some((group, minimum)) = proposed(pod) else { continue };
        let metadata = json!({"name": group, "namespace": namespace(pod)});
        let key = format!("{}/{group}", namespace(pod));
        if minimums.iter().all(|(known, ..)| *known != key) {
            minimums.push((key, metadata, minimum));
        }
    }
    for pod in &mut question.objects {
        let Some((group, _)) = proposed(pod) else { continue };
        if let Some(labels) = pod.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
            labels.insert("scheduling.x-k8s.io/pod-group".to_owned(), json!(group));
        }
    }
    question.objects.extend(minimums.into_iter().map(|(_, metadata, minimum)| {
        json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": metadata,
            "spec": {"minMember": minimum}})
    }));
    question
}

/// Returns the name of the PodGroup that stands for the group of a pod by the labels of the proposal, and its minimum.
fn proposed(pod: &Value) -> Option<(String, u64)> {
    let named = text(pod, PROPOSED);
    let minimum = text(pod, MINIMUM).parse().ok().filter(|minimum| *minimum > 0)?;
    let is_one = text(pod, "/kind") == "Pod" && !named.is_empty() && text(pod, POD_GROUP).is_empty();
    is_one.then(|| (format!("{named}.by-label"), minimum))
}
