//! Finds kinds that are certainly mistakes. Kinds of groups with a domain are always accepted.

use super::subject::ObjectContext;
use crate::cluster::InputError;

/// All kinds of the core group.
const CORE: [&str; 17] = [
    "Binding",
    "ComponentStatus",
    "ConfigMap",
    "Endpoints",
    "Event",
    "LimitRange",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodTemplate",
    "ReplicationController",
    "ResourceQuota",
    "Secret",
    "Service",
    "ServiceAccount",
];

/// The group of priority classes.
const SCHEDULING: &str = "scheduling.k8s.io";

pub(super) fn is_pod(group: &str, kind: &str) -> bool {
    group.is_empty() && kind == "Pod"
}

pub(super) fn is_node(group: &str, kind: &str) -> bool {
    group.is_empty() && kind == "Node"
}

pub(super) fn is_namespace(group: &str, kind: &str) -> bool {
    group.is_empty() && kind == "Namespace"
}

pub(super) fn is_priority_class(group: &str, kind: &str) -> bool {
    group == SCHEDULING && kind == "PriorityClass"
}

/// Returns whether the host reads objects of this kind itself, in some group.
pub(super) fn is_own(kind: &str) -> bool {
    let storage = [
        "PersistentVolumeClaim",
        "PersistentVolume",
        "StorageClass",
        "DeviceClass",
        "CSINode",
        "CSIDriver",
        "CSIStorageCapacity",
        "VolumeAttachment",
    ];
    matches!(kind, "Pod" | "Node" | "Namespace" | "PriorityClass") || storage.contains(&kind)
}

/// Returns whether objects of this kind are cluster-scoped. Only kinds that the host reads itself are known.
pub(super) fn has_no_namespace(group: &str, kind: &str) -> bool {
    is_node(group, kind) || is_namespace(group, kind) || is_priority_class(group, kind)
}

/// Refuses a kind that its group and version do not have.
pub(super) fn check(group: &str, version: &str, kind: &str, subject: &ObjectContext<'_>) -> Result<(), InputError> {
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let unknown =
        |remedy: String| Err(subject.mistake("/kind", format_args!("`{api_version}` has no kind `{kind}`"), &remedy));
    if kind == "List" {
        return Err(subject.mistake(
            "/kind",
            "a List is nested in another object",
            "write its items instead of the List",
        ));
    }
    if group.is_empty() && !(version == "v1" && CORE.contains(&kind)) {
        return match CORE.iter().find(|known| is_like(known, kind)) {
            Some(known) => unknown(format!("write `apiVersion: v1` and `kind: {known}`")),
            None => unknown("correct kind or apiVersion".to_owned()),
        };
    }
    let built_in = !group.contains('.') || group.ends_with(".k8s.io");
    if !group.is_empty() && built_in && matches!(kind, "Pod" | "Node") {
        return unknown("write `apiVersion: v1`".to_owned());
    }
    if group == SCHEDULING && kind != "PriorityClass" && is_like("PriorityClass", kind) {
        return unknown("write `kind: PriorityClass`".to_owned());
    }
    Ok(())
}

/// Returns whether a kind is a known kind in wrong case or in the plural.
fn is_like(known: &str, kind: &str) -> bool {
    let (known, kind) = (known.to_ascii_lowercase(), kind.to_ascii_lowercase());
    [known.clone(), format!("{known}s"), format!("{known}es")].contains(&kind)
}
