//! The versions in which objects of Kubernetes' own kinds are read.

use serde_json::Value;

use super::ObjectIdentity;
use super::subject::ObjectContext;
use crate::cluster::InputError;

/// A kind: its API group, its name, and the versions in which it is read, newest first. All versions have, or had, the fields that are read, with the
/// same meaning. The policy handles the differences of `policy/v1beta1`.
type KnownKind = (&'static str, &'static str, &'static [&'static str]);

/// The kinds of groups of Kubernetes that the host or a policy may read. Other kinds are read in any version. Their groups have a domain of their
/// own, and the host does not know their versions.
const KNOWN: [KnownKind; 9] = [
    ("scheduling.k8s.io", "PriorityClass", &["v1", "v1beta1", "v1alpha1"]),
    ("scheduling.k8s.io", "PodGroup", &["v1beta1", "v1alpha3", "v1alpha2"]),
    ("policy", "PodDisruptionBudget", &["v1", "v1beta1"]),
    ("storage.k8s.io", "StorageClass", &["v1", "v1beta1"]),
    ("storage.k8s.io", "CSINode", &["v1", "v1beta1"]),
    ("storage.k8s.io", "CSIDriver", &["v1", "v1beta1"]),
    ("storage.k8s.io", "CSIStorageCapacity", &["v1", "v1beta1", "v1alpha1"]),
    ("storage.k8s.io", "VolumeAttachment", &["v1", "v1beta1", "v1alpha1"]),
    ("resource.k8s.io", "DeviceClass", &["v1", "v1beta2", "v1beta1", "v1alpha3"]),
];

/// Returns the mistake of an object whose kind is read, but not in this version. Such an object is left out. `None`: the version is read, or unknown
/// here.
pub(super) fn unsupported_version(id: &ObjectIdentity, subject: &ObjectContext<'_>) -> Option<InputError> {
    let (group, kind, versions) = known(id)?;
    if versions.contains(&&*id.version) {
        return None;
    }
    let named: Vec<String> = versions.iter().map(|version| format!("`{group}/{version}`")).collect();
    let what = format!("`{group}/{}` has no kind `{kind}` that is read, so the object is left out", id.version);
    let remedy = format!("write it as {}, as `kubectl convert` does", named.join(" or "));
    Some(subject.mistake("/apiVersion", what, &remedy))
}

/// Writes the newest version into an object of an older version, for types that know only the newest.
pub(super) fn to_newest(id: &ObjectIdentity, value: &mut Value) {
    let newest = known(id).and_then(|(group, _, versions)| Some(format!("{group}/{}", versions.first()?)));
    if let Some((newest, written)) = newest.zip(value.get_mut("apiVersion"))
        && written.as_str() != Some(&newest)
    {
        *written = Value::String(newest);
    }
}

fn known(id: &ObjectIdentity) -> Option<&'static KnownKind> {
    KNOWN.iter().find(|(group, kind, _)| *group == id.group && *kind == id.kind)
}
