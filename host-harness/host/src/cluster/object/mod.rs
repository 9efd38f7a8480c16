//! Reads those parts of Kubernetes objects that the mirror needs.

mod budget;
mod constraints;
mod disks;
mod drivers;
mod identity;
mod inter_pod;
mod json;
mod kept;
mod kinds;
mod labels;
mod node;
pub(crate) mod placed;
mod pod;
pub(crate) mod ports;
mod priority_class;
mod quantities;
mod requests;
mod storage;
mod subject;
mod typed;
mod versions;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Namespace;
use lictor_contract::Phase;
use serde_json::Value;

use super::InputError;
use super::load::{DocumentOrigin, SourceDocument};
use super::volumes::{AttachmentFacts, CapacityFacts, ClaimFacts, StorageFacts, VolumeFacts};

pub(crate) use budget::disruption_budget;
pub(crate) use disks::DISK;
pub(crate) use identity::ObjectIdentity;
pub(crate) use kept::RawJson;
pub(crate) use node::NodeFacts;
pub use placed::{BadPlacedKind, check_placed_kinds};
pub(crate) use pod::PodFacts;
pub(crate) use priority_class::ClassFacts;
pub(crate) use quantities::{MAX_AMOUNT, NO_NUMBER, ResourceAmounts, as_texts, holds_quantities};
use subject::ObjectContext;
pub use subject::{dotted, step};
pub(in crate::cluster) use typed::{FieldError, typed};

/// A Kubernetes object without mistakes.
#[derive(Debug, Clone)]
pub struct KubernetesObject {
    pub(crate) id: ObjectIdentity,
    pub(crate) location: SourceLocation,
    pub(crate) body: Body,
}

/// The place where an object begins.
#[derive(Debug, Clone)]
pub(crate) struct SourceLocation {
    pub(crate) file: Arc<str>,
    pub(crate) line: u32,
}

impl SourceLocation {
    /// Returns a warning for the author of the object, at the line where the object begins.
    pub(crate) fn warning(&self, message: String, remedy: &str) -> InputError {
        InputError { file: self.file.clone(), line: self.line, message, remedy: remedy.to_owned() }
    }
}

/// The part of an object that the mirror needs.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Node(Box<NodeFacts>),
    Pod(Box<PodFacts>),
    PriorityClass(ClassFacts, Value),
    Storage(Storage, Value),
    /// A namespace: its labels.
    Namespace(BTreeMap<String, String>, Value),
    /// Any other object, and its place in the file. Only the mirror knows whether its kind is placed like a pod.
    Other(Value, DocumentOrigin),
    /// An object whose version is not read. The object is left out.
    UnsupportedVersion(Value, InputError),
}

/// An object that decides where the volumes of pods can be used, or which resources are allocated by claims.
#[derive(Debug, Clone)]
pub(crate) enum Storage {
    Claim(Box<ClaimFacts>),
    Volume(Box<VolumeFacts>),
    Class(StorageFacts),
    /// How many volumes each driver can attach to a node (CSINode).
    Limits(BTreeMap<String, i64>),
    /// Whether a driver reports its remaining capacity (CSIDriver).
    Driver(bool),
    /// The remaining capacity of a driver (CSIStorageCapacity).
    Capacity(CapacityFacts),
    /// A volume that is attached to a node (VolumeAttachment).
    Attachment(AttachmentFacts),
    /// The extended resource that stands for the devices of a class (DeviceClass). `None`: the class has no such resource.
    Devices(Option<String>),
}

impl KubernetesObject {
    /// Reads a document.
    pub fn from_document(document: SourceDocument) -> Result<KubernetesObject, InputError> {
        KubernetesObject::from_value(document.value, &document.origin, "")
    }

    /// Reads a part of a document: `value` is the value at `pointer` of `origin`.
    ///
    /// # Errors
    /// The value is not an object, its group does not have its kind, a field does not have the type of Kubernetes, or a quantity or selector is
    /// invalid. Each error has its line. A version in which the kind is not read is no error: a mirror leaves the object out and reports it
    /// ([`Mirror::drain_invalid_objects`](super::mirror::Mirror::drain_invalid_objects)).
    pub fn from_value(
        mut value: Value,
        origin: &DocumentOrigin,
        pointer: &str,
    ) -> Result<KubernetesObject, InputError> {
        let origin = &origin.below(pointer);
        let id = ObjectIdentity::read(&value, origin)?;
        let subject = &id.subject(origin);
        let place = SourceLocation { file: origin.file().clone(), line: origin.line("") };
        if let Some(mistake) = versions::unsupported_version(&id, subject) {
            return Ok(KubernetesObject { id, location: place, body: Body::UnsupportedVersion(value, mistake) });
        }
        if kinds::is_own(&id.kind) {
            versions::to_newest(&id, &mut value);
        }
        let body = match &*id.kind {
            kind if kinds::is_node(&id.group, kind) => Body::Node(Box::new(NodeFacts::read(value, subject)?)),
            kind if kinds::is_pod(&id.group, kind) => Body::Pod(Box::new(PodFacts::read(value, subject)?)),
            kind if kinds::is_priority_class(&id.group, kind) => {
                Body::PriorityClass(ClassFacts::read(&value, subject)?, value)
            }
            kind if kinds::is_namespace(&id.group, kind) => {
                let Namespace { metadata, .. } = subject.typed(&value, "")?;
                Body::Namespace(metadata.labels.unwrap_or_default(), value)
            }
            _ => match storage::read(&id, &value, subject)? {
                Some(storage) => Body::Storage(storage, value),
                None => Body::Other(value, origin.clone()),
            },
        };
        Ok(KubernetesObject { id, location: place, body })
    }

    /// Reads a pod from JSON without spaces. `line` is the line of the original text on which the pod begins. `None`: the pod is unusual or has a
    /// mistake, and must be read as a document. `origin` is used only for mistakes, which are dropped here.
    pub(crate) fn pod_from_text(
        json: &str,
        written: RawJson,
        origin: &DocumentOrigin,
        line: u32,
    ) -> Option<KubernetesObject> {
        let subject = ObjectContext { origin, name: String::new() };
        let pod = PodFacts::from_text(json, written, &subject)?;
        if pod.metadata.name.is_empty() || pod.metadata.name.contains('/') || pod.metadata.namespace.contains('/') {
            return None;
        }
        let id = ObjectIdentity::of_pod(&pod.metadata.namespace, &pod.metadata.name);
        Some(KubernetesObject {
            id,
            location: SourceLocation { file: origin.file().clone(), line },
            body: Body::Pod(Box::new(pod)),
        })
    }

    /// Returns `Kind/namespace/name`, or `Kind/name` for an object without namespace.
    pub fn key(&self) -> String {
        self.id.key()
    }

    /// Returns the group of the kind (empty for the core group), the kind, and the name.
    pub fn identity(&self) -> (&str, &str, &str) {
        (&self.id.group, &self.id.kind, &self.id.name)
    }

    /// Returns the scheduler of a pod, and whether the pod is pending without a node. `None`: the object is not a pod.
    pub fn scheduler(&self) -> Option<(&str, bool)> {
        let Body::Pod(pod) = &self.body else { return None };
        Some((&pod.scheduling.scheduler, pod.node.is_none() && pod.status.phase == Phase::Pending))
    }

    /// Returns the key with the group of the kind, where it has a group: `Kind.group/namespace/name`. Kinds of two groups may share a name.
    pub fn full_key(&self) -> String {
        self.id.full_key()
    }
}

#[cfg(test)]
mod tests;
