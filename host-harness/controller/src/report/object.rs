//! Writes, and the objects that they are about.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::discovery::ApiResource;
use serde_json::{Value, json};

/// The name of an object, with its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct QualifiedName {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty where the kind has none.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// An object as it was seen last.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportedObject {
    /// The name of the object.
    pub name: QualifiedName,
    /// The version of its API group, such as `v1`.
    pub version: String,
    /// The plural of the kind in paths, such as `pods`.
    pub plural: String,
    /// The uid of the object.
    pub uid: String,
    /// Its generation. `None`: the object has none.
    pub generation: Option<i64>,
    /// The number of pods that the object needs, where it is a group with such a field (`spec.minMember`); else 0.
    pub minimum: u64,
    /// Its status; may be left out for pods.
    pub status: Value,
    /// Its annotations, as JSON; may be left out for pods.
    pub annotations: Value,
}

/// The numbers of a PodGroup's pods in each stage. A pod that waits for a node or is being deleted does not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemberCounts {
    /// Pods that have a node and do not run yet.
    pub bound: usize,
    /// Pods that run.
    pub running: usize,
    /// Pods that have succeeded.
    pub succeeded: usize,
    /// Pods that have failed.
    pub failed: usize,
}

impl MemberCounts {
    /// Returns how many pods have or had a node.
    pub fn scheduled(&self) -> u64 {
        let all = [self.bound, self.running, self.succeeded, self.failed].into_iter().fold(0, usize::saturating_add);
        u64::try_from(all).unwrap_or(u64::MAX)
    }
}

/// The objects of the cluster, as the watches show them.
pub trait ObjectLookup {
    /// Returns a pod, or an object that is placed like one, by the name that the session gives it: `namespace/name`, or `Kind/name`.
    fn pod(&self, name: &str) -> Option<ReportedObject>;
    /// Returns an object by its name. `None`: the object is not known.
    fn object(&self, name: &QualifiedName) -> Option<ReportedObject>;
    /// Returns an object by the name that findings give it: `Kind/namespace/name` or `Kind/name`.
    fn object_by_key(&self, key: &str) -> Option<ReportedObject>;
    /// Returns the PodGroup of a pod. `None`: the pod has none. [`super::group_of`] reads it from the pod.
    fn group_of(&self, pod: &str) -> Option<QualifiedName>;
    /// Returns the stages of the pods of a PodGroup.
    fn members(&self, group: &QualifiedName) -> MemberCounts;
    /// Returns all objects of a kind.
    fn all(&self, group: &str, kind: &str) -> Vec<ReportedObject>;
}

/// A write to an object of the cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiWrite {
    /// The kind of the object.
    pub resource: ApiResource,
    /// The namespace of the object; `None` where the kind has none.
    pub namespace: Option<String>,
    /// The name of the object.
    pub name: String,
    /// The change that is written.
    pub change: WriteOperation,
}

/// A change of an object.
#[derive(Debug, Clone, PartialEq)]
pub enum WriteOperation {
    /// Create the object.
    Create(Value),
    /// Merge this JSON into the object.
    Merge(Value),
    /// Merge this JSON into the status: lists are replaced.
    Status(Value),
    /// Merge this JSON into the status of a built-in kind: conditions are merged by their type.
    StrategicStatus(Value),
}

impl ReportedObject {
    /// Returns the API resource that serves the object.
    pub fn resource(&self) -> ApiResource {
        let QualifiedName { group, kind, .. } = &self.name;
        let api_version = if group.is_empty() { self.version.clone() } else { format!("{group}/{}", self.version) };
        let (group, version) = (group.clone(), self.version.clone());
        ApiResource { group, version, api_version, kind: kind.clone(), plural: self.plural.clone() }
    }

    /// Returns the reference by which events name the object.
    pub(super) fn reference(&self) -> Value {
        let mut reference = json!({
            "apiVersion": self.resource().api_version,
            "kind": self.name.kind,
            "name": self.name.name,
            "uid": self.uid,
        });
        if !self.name.namespace.is_empty() {
            put(&mut reference, "namespace", self.name.namespace.clone().into());
        }
        reference
    }

    /// Makes a write that changes the object.
    pub(crate) fn write(&self, change: WriteOperation) -> ApiWrite {
        ApiWrite {
            resource: self.resource(),
            namespace: Some(self.name.namespace.clone()).filter(|namespace| !namespace.is_empty()),
            name: self.name.name.clone(),
            change,
        }
    }
}

/// Sets a field of an object.
pub(super) fn put(object: &mut Value, key: &str, to: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(key.to_owned(), to);
    }
}

/// Returns a moment, in nanoseconds since 1970, in the format of conditions.
pub(crate) fn time(nanoseconds: i64) -> Value {
    let time = Timestamp::from_nanosecond(nanoseconds.into()).unwrap_or(Timestamp::UNIX_EPOCH);
    serde_json::to_value(Time(time)).unwrap_or_default()
}
