//! The kinds that the stand-in of the API server serves, and its answers to discovery.

use serde_json::{Value, json};

/// A kind of objects.
pub struct Kind {
    pub group: &'static str,
    version: &'static str,
    pub kind: &'static str,
    pub plural: &'static str,
}

const fn kind(group: &'static str, version: &'static str, kind: &'static str, plural: &'static str) -> Kind {
    Kind { group, version, kind, plural }
}

/// All kinds that `lictor run --system koordinator` watches.
pub const KINDS: [Kind; 17] = [
    kind("", "v1", "Pod", "pods"),
    kind("", "v1", "Node", "nodes"),
    kind("", "v1", "Namespace", "namespaces"),
    kind("", "v1", "PersistentVolume", "persistentvolumes"),
    kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
    kind("storage.k8s.io", "v1", "StorageClass", "storageclasses"),
    kind("storage.k8s.io", "v1", "CSINode", "csinodes"),
    kind("storage.k8s.io", "v1", "CSIDriver", "csidrivers"),
    kind("storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities"),
    kind("storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments"),
    kind("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses"),
    kind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets"),
    kind("resource.k8s.io", "v1", "DeviceClass", "deviceclasses"),
    kind("scheduling.sigs.k8s.io", "v1alpha1", "PodGroup", "podgroups"),
    kind("scheduling.sigs.k8s.io", "v1alpha1", "ElasticQuota", "elasticquotas"),
    kind("scheduling.koordinator.sh", "v1alpha1", "Reservation", "reservations"),
    kind("events.k8s.io", "v1", "Event", "events"),
];

/// The index of pods among the kinds.
pub const PODS: usize = 0;

impl Kind {
    /// Returns the value of `apiVersion`.
    pub fn version(&self) -> String {
        if self.group.is_empty() { self.version.to_owned() } else { format!("{}/{}", self.group, self.version) }
    }
}

/// Returns the index of the kind of an object.
pub fn index_of(object: &Value) -> usize {
    let is_it = |kind: &Kind| object["kind"] == kind.kind && object["apiVersion"] == kind.version().as_str();
    KINDS.iter().position(is_it).unwrap()
}

/// Answers a request of discovery: the versions of the core, the groups, or the kinds of a version of a group.
pub fn discovery(path: &str) -> Option<Value> {
    match path {
        "/api" => return Some(json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})),
        "/apis" => return Some(groups()),
        _ => {}
    }
    let version = path.strip_prefix("/apis/").or_else(|| path.strip_prefix("/api/"))?;
    let of = KINDS.iter().filter(|kind| kind.version() == version);
    let resources: Vec<Value> = of
        .map(|kind| {
            let verbs = json!(["create", "delete", "get", "list", "patch", "watch"]);
            json!({"name": kind.plural, "singularName": "", "namespaced": true, "kind": kind.kind, "verbs": verbs})
        })
        .collect();
    let list = json!({"kind": "APIResourceList", "groupVersion": version, "resources": resources});
    (!resources.is_empty()).then_some(list)
}

fn groups() -> Value {
    let mut groups: Vec<Value> = Vec::new();
    for kind in KINDS.iter().filter(|kind| !kind.group.is_empty()) {
        let version = json!({"groupVersion": kind.version(), "version": kind.version});
        let group = json!({"name": kind.group, "versions": [version], "preferredVersion": version});
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}
