//! What is written, and about which objects.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::discovery::ApiResource;
use serde_json::{Value, json};

/// Names an object.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty where the kind has none.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// An object as it was told last.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subject {
    /// Its name.
    pub name: Name,
    /// The version of its API group, such as `v1`.
    pub version: String,
    /// The word for its kind in paths, such as `pods`.
    pub plural: String,
    /// Its uid.
    pub uid: String,
    /// Its generation; none where it has none.
    pub generation: Option<i64>,
    /// How many pods it needs, where it is a group that says so (`spec.minMember`).
    pub minimum: u64,
    /// Its status; may be left out for pods.
    pub status: Value,
    /// Its annotations, as JSON; may be left out for pods.
    pub annotations: Value,
}

/// How many pods of a PodGroup are how far. Who waits for a node or is leaving does not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Members {
    /// They have a node and do not run yet.
    pub bound: usize,
    /// They run.
    pub running: usize,
    /// They have succeeded.
    pub succeeded: usize,
    /// They have failed.
    pub failed: usize,
}

impl Members {
    /// How many have or had a node.
    pub fn scheduled(&self) -> u64 {
        let all = [self.bound, self.running, self.succeeded, self.failed].into_iter().fold(0, usize::saturating_add);
        u64::try_from(all).unwrap_or(u64::MAX)
    }
}

/// The objects of the cluster, as the watches told them.
pub trait Objects {
    /// A pod, or what is placed like one, by the name that the session gives it: `namespace/name`, or `Kind/name`.
    fn pod(&self, name: &str) -> Option<Subject>;
    /// An object by its name.
    fn object(&self, name: &Name) -> Option<Subject>;
    /// An object by what findings call it: `Kind/namespace/name` or `Kind/name`.
    fn called(&self, key: &str) -> Option<Subject>;
    /// The PodGroup of a pod, where it has one: [`super::group_of`] reads it from the pod.
    fn group_of(&self, pod: &str) -> Option<Name>;
    /// How far the pods of a PodGroup are.
    fn members(&self, group: &Name) -> Members;
    /// All objects of a kind.
    fn all(&self, group: &str, kind: &str) -> Vec<Subject>;
}

/// Something to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// The kind of the object.
    pub resource: ApiResource,
    /// Its namespace; none where the kind has none.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// What is written.
    pub change: Change,
}

/// What is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// It is created.
    Create(Value),
    /// Merged into the object, as JSON.
    Merge(Value),
    /// Merged into the status, as JSON: lists are replaced.
    Status(Value),
    /// Merged into the status of a built-in kind: conditions are merged by their type.
    StrategicStatus(Value),
}

impl Subject {
    /// The API that serves it.
    pub fn resource(&self) -> ApiResource {
        let Name { group, kind, .. } = &self.name;
        let api_version = if group.is_empty() { self.version.clone() } else { format!("{group}/{}", self.version) };
        let (group, version) = (group.clone(), self.version.clone());
        ApiResource { group, version, api_version, kind: kind.clone(), plural: self.plural.clone() }
    }

    /// How events refer to it.
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

    /// A change of it.
    pub(crate) fn write(&self, change: Change) -> Write {
        Write {
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

/// A moment as conditions have it.
pub(crate) fn time(nanoseconds: i64) -> Value {
    let time = Timestamp::from_nanosecond(nanoseconds.into()).unwrap_or(Timestamp::UNIX_EPOCH);
    serde_json::to_value(Time(time)).unwrap_or_default()
}
