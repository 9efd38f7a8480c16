//! Kinds that are certainly mistakes. What Kubernetes leaves open (every group with a domain) is taken as it is.

use super::subject::Subject;
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

pub(super) fn is_priority_class(group: &str, kind: &str) -> bool {
    group == SCHEDULING && kind == "PriorityClass"
}

/// Whether these are Koordinator's reservations, which are placed like pods.
pub(super) fn is_reservation(group: &str, kind: &str) -> bool {
    group == "scheduling.koordinator.sh" && kind == "Reservation"
}

/// Whether objects of this kind, of those that the host reads itself, belong to the cluster and to no namespace.
pub(super) fn has_no_namespace(group: &str, kind: &str) -> bool {
    is_node(group, kind) || is_priority_class(group, kind) || is_reservation(group, kind)
}

/// Refuses a kind that the group and version it names does not have.
pub(super) fn check(group: &str, version: &str, kind: &str, subject: &Subject<'_>) -> Result<(), InputError> {
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let unknown = |remedy: String| {
        Err(subject.mistake("/kind", format_args!("there is no kind `{kind}` in `{api_version}`"), &remedy))
    };
    if kind == "List" {
        return Err(subject.mistake("/kind", "a list stands inside of something", "write its items in its place"));
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
    if is_priority_class(group, kind) && version != "v1" {
        return unknown(format!("write `apiVersion: {SCHEDULING}/v1`"));
    }
    if group == SCHEDULING && kind != "PriorityClass" && is_like("PriorityClass", kind) {
        return unknown("write `kind: PriorityClass`".to_owned());
    }
    Ok(())
}

/// Whether a kind is another in wrong case or in the plural.
fn is_like(known: &str, kind: &str) -> bool {
    let (known, kind) = (known.to_ascii_lowercase(), kind.to_ascii_lowercase());
    [known.clone(), format!("{known}s"), format!("{known}es")].contains(&kind)
}
