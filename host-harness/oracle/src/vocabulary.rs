//! The fields of objects that the model knows: those of generated clusters.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::case::{FuzzCase, SystemKind};
use crate::generate::generate;
use crate::object::text;
use crate::world::{ModelCluster, ModelPod, OTHER_SCHEDULER};

/// The number of generated clusters whose fields are collected.
const CLUSTERS: u64 = 600;

/// The largest number of running pods for which the model tries every set of victims.
const MAX_RUNNING: usize = 12;

/// Fields that decide nothing, or that the model reads although generated clusters have them in some kinds of objects only.
const WITHOUT_EFFECT: [&str; 6] = [
    "/metadata/creationTimestamp",
    "/metadata/uid",
    "/metadata/ownerReferences/*/uid",
    "/spec/containers/0/image",
    "/spec/containers/0/name",
    "/status/phase=Running",
];

/// The fields that the model knows in the objects of a system. They are the fields of generated clusters. The model does not read other fields, so it
/// cannot judge decisions in a cluster that has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelVocabulary(BTreeSet<String>);

impl ModelVocabulary {
    /// Collects the fields of a system from 600 generated clusters.
    pub fn of(system: SystemKind) -> ModelVocabulary {
        let cases = (0..CLUSTERS).map(|index| generate(system, 1, index));
        ModelVocabulary(cases.flat_map(|case| fields(&case)).collect())
    }

    /// Returns why the model cannot judge a case: a field that the model does not know, or a cluster that is never generated. `None`: the model
    /// judges the case.
    pub fn unknown(&self, case: &FuzzCase) -> Option<String> {
        if let Some(field) = fields(case).into_iter().find(|field| !self.0.contains(field)) {
            return Some(format!("field {field}"));
        }
        let world = match ModelCluster::of(&case.objects) {
            Ok(world) => world,
            Err(error) => return Some(error.to_string()),
        };
        let running = world.pods.values().filter(|pod| pod.occupied_node().is_some()).count();
        let is_elsewhere = |pod: &ModelPod| {
            let scheduler = text(&pod.object, "/spec/schedulerName");
            ![OTHER_SCHEDULER, "", own_scheduler(case.system)].contains(&scheduler)
        };
        let reasons = [
            (world.count() < case.objects.len(), "two objects of a kind have one name"),
            (running > MAX_RUNNING, "too many pods run to try every set of victims"),
            (world.pods.values().any(is_elsewhere), "another scheduler, whose name the model does not know"),
            (!case.is_fair(), "the nodes or the queues are overcommitted at the beginning"),
        ];
        reasons.into_iter().find(|(holds, _)| *holds).map(|(_, reason)| reason.to_owned())
    }
}

/// Returns the name of the scheduler that a system stands for.
fn own_scheduler(system: SystemKind) -> &'static str {
    match system {
        SystemKind::Kubernetes | SystemKind::Coscheduling => "default-scheduler",
        SystemKind::Koordinator => "koord-scheduler",
        SystemKind::Yunikorn => "yunikorn",
        SystemKind::Volcano => "volcano",
    }
}

/// Returns the fields of the objects and the arguments of a case. Labels of nodes that no other object names are left out.
fn fields(case: &FuzzCase) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    case.args.iter().for_each(|(name, value)| collect(value, &format!("args/{name}"), "", &mut found));
    let is_node = |object: &Value| text(object, "/kind") == "Node";
    let others: String = case.objects.iter().filter(|object| !is_node(object)).map(Value::to_string).collect();
    for object in &case.objects {
        let kind = format!("{} {}", text(object, "/apiVersion"), text(object, "/kind"));
        let mut object = object.clone();
        let labels = if is_node(&object) { object.pointer_mut("/metadata/labels") } else { None };
        if let Some(labels) = labels.and_then(Value::as_object_mut) {
            labels.retain(|key, _| others.contains(&format!("\"{key}\"")));
        }
        collect(&object, &kind, "", &mut found);
    }
    found
}

/// Collects the fields of a value at a path of an object of a kind. Every element of a list has the same path, except containers. A text
/// that is JSON has the fields of that JSON.
fn collect(value: &Value, kind: &str, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| collect(value, kind, &format!("{path}/{key}"), found));
        }
        Value::Array(values) => {
            for (place, value) in values.iter().enumerate() {
                let place = if path.ends_with("ontainers") { place.to_string() } else { "*".to_owned() };
                collect(value, kind, &format!("{path}/{place}"), found);
            }
        }
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => collect(&inner, kind, path, found),
            _ => add(kind, &format!("{path}{}", choice(text)), found),
        },
        Value::Bool(value) => add(kind, &format!("{path}={value}"), found),
        Value::Number(_) => add(kind, path, found),
    }
}

/// Adds a field, unless the field decides nothing. Memory counts as cpu: the model reads both in the same way.
fn add(kind: &str, path: &str, found: &mut BTreeSet<String>) {
    if WITHOUT_EFFECT.contains(&path) {
        return;
    }
    let cpu = if kind.ends_with("ConfigMap") { "vcore" } else { "cpu" };
    let path = path.strip_suffix("/memory").map_or_else(|| path.to_owned(), |list| format!("{list}/{cpu}"));
    found.insert(format!("{kind} {path}"));
}

/// Returns a text that is one of few choices, such as `NoSchedule` or `true`, to be known with its field; empty for a name or an amount.
fn choice(text: &str) -> String {
    let is_word = text.chars().all(char::is_alphabetic) && text.starts_with(char::is_uppercase);
    if is_word || ["true", "false"].contains(&text) { format!("={text}") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::case::RoundKind;

    #[test]
    fn generated_clusters_are_known_and_other_fields_are_not() {
        let vocabulary = ModelVocabulary::of(SystemKind::Kubernetes);
        let node = |labels: Value| {
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": labels},
                "status": {"allocatable": {"cpu": "4", "memory": "4Gi", "pods": "9"}}})
        };
        let pod = |spec: Value| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"}, "spec": spec});
        let unknown = |node: Value, pod: Value| {
            vocabulary.unknown(&FuzzCase::by_hand(SystemKind::Kubernetes, RoundKind::Attempts, vec![node, pod]))
        };
        assert_eq!(unknown(node(json!({"unused": "x"})), pod(json!({"priority": 1}))), None);
        let volumes = json!({"volumes": [{"name": "v"}]});
        assert_eq!(unknown(node(json!({})), pod(volumes)).as_deref(), Some("field v1 Pod /spec/volumes/*/name"));
        let elsewhere = unknown(node(json!({})), pod(json!({"schedulerName": "mine"})));
        assert_eq!(elsewhere.as_deref(), Some("another scheduler, whose name the model does not know"));
    }
}
