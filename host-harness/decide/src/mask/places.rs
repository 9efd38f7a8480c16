//! Where names stand in objects, and what is left out before they are shared.

use serde_json::{Map, Value};

/// What no decision depends on, and what may tell more than names.
const LEFT_OUT: [&str; 31] = [
    "env",
    "envFrom",
    "args",
    "command",
    "image",
    "imagePullPolicy",
    "imagePullSecrets",
    "lifecycle",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "workingDir",
    "volumeMounts",
    "volumeDevices",
    "securityContext",
    "managedFields",
    "generateName",
    "containerStatuses",
    "initContainerStatuses",
    "hostIP",
    "hostIPs",
    "podIP",
    "podIPs",
    "addresses",
    "nodeInfo",
    "images",
    "message",
    "description",
    "serviceAccount",
    "hostname",
    "subdomain",
];

/// Fields that have a name.
const NAMES: [&str; 11] = [
    "name",
    "namespace",
    "nodeName",
    "nominatedNodeName",
    "claimName",
    "volumeName",
    "queue",
    "parent",
    "serviceAccountName",
    "podGroupName",
    "workloadName",
];

/// Fields whose values are labels or select by them.
const LABELS: [&str; 5] = ["labels", "matchLabels", "nodeSelector", "selector", "annotations"];

/// Volumes that are kept: the others are of no matter to a decision, and tell where data is.
const VOLUMES: [&str; 3] = ["name", "persistentVolumeClaim", "ephemeral"];

/// The groups whose annotations are kept.
const SYSTEMS: [&str; 6] =
    ["scheduling.k8s.io", "koordinator.sh", "volcano.sh", "sigs.k8s.io", "x-k8s.io", "yunikorn.apache.org"];

/// How the keys of labels and annotations of those groups end where the value is a name.
const ENDS: [&str; 17] = [
    "group-name",
    "parentqueue",
    "name",
    "parent",
    "queue",
    "queue-name",
    "pod-group",
    "job-name",
    "app-id",
    "tree-id",
    "groups",
    "namespaces",
    "task-spec",
    "task-group-name",
    "zone",
    "region",
    "hostname",
];

/// Visits every name of an object, and leaves out what is not to be shared.
pub(super) fn each(value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| each(item, visit)),
        Value::Object(fields) => each_field(fields, visit),
        _ => {}
    }
}

fn each_field(fields: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut String)) {
    fields.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
    // A requirement or a toleration: its key says what its values are.
    let key = fields.get("key").and_then(Value::as_str).map(str::to_owned);
    for (field, value) in fields.iter_mut() {
        match (field.as_str(), value) {
            // The names of gates say who opens them, and those of classes what a pod is.
            ("schedulingGates", _) => {}
            ("values" | "value", value) if key.is_some() => {
                each_value(key.as_deref().unwrap_or_default(), value, visit);
            }
            (field, Value::Object(labels)) if LABELS.contains(&field) => {
                if field == "annotations" {
                    labels.retain(|key, _| is_of_system(key));
                    labels.values_mut().for_each(|value| each_within(value, visit));
                }
                // A selector of matchLabels, not of labels.
                let (mut plain, nested) = (Vec::new(), labels.values().any(|value| !value.is_string()));
                if nested {
                    each_field(labels, visit);
                } else {
                    plain.extend(labels.iter_mut());
                }
                plain.into_iter().for_each(|(key, value)| each_value(key, value, visit));
            }
            // Pods and tasks by name.
            ("disruptedPods" | "minTaskMember", Value::Object(pods)) => {
                let named = std::mem::take(pods).into_iter().map(|(mut pod, time)| {
                    visit(&mut pod);
                    (pod, time)
                });
                *pods = named.collect();
            }
            ("volumes", Value::Array(volumes)) => {
                for volume in volumes.iter_mut().filter_map(Value::as_object_mut) {
                    volume.retain(|name, _| VOLUMES.contains(&name.as_str()));
                    each_field(volume, visit);
                }
            }
            (field, Value::String(text)) if NAMES.contains(&field) => visit(text),
            ("namespaces", Value::Array(names)) => names.iter_mut().for_each(|name| visit_text(name, visit)),
            (_, value) => each(value, visit),
        }
    }
}

/// The value of a label, or all values of a requirement.
fn each_value(key: &str, value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    if !is_name(key) {
        return;
    }
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| visit_text(value, visit)),
        value => visit_text(value, visit),
    }
}

/// Visits the names in an annotation that is written in JSON.
fn each_within(value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    let Value::String(text) = value else { return };
    if !text.starts_with(['{', '[']) {
        return;
    }
    let Ok(mut written) = serde_json::from_str::<Value>(text) else { return };
    let before = written.clone();
    each(&mut written, visit);
    if written != before {
        *text = written.to_string();
    }
}

/// Numbers and truth are no names.
fn visit_text(value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    if let Value::String(text) = value
        && text.parse::<f64>().is_err()
        && !matches!(text.as_str(), "true" | "false")
    {
        visit(text);
    }
}

/// Whether the value of a label or annotation may be a name: where it is of a system, only by its key.
fn is_name(key: &str) -> bool {
    let (_, end) = key.rsplit_once('/').unwrap_or(("", key));
    let is_kept = matches!(key, "kubernetes.io/os" | "kubernetes.io/arch");
    !is_kept && (!is_of_system(key) || ENDS.contains(&end))
}

fn is_of_system(key: &str) -> bool {
    let Some((group, _)) = key.split_once('/') else { return false };
    SYSTEMS.iter().any(|system| group.ends_with(system))
}
