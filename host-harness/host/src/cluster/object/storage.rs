//! Reads what says on which nodes the volumes of a pod can be used: claims, volumes and storage classes.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec, PodSpec, TopologySelectorLabelRequirement,
    TopologySelectorTerm, Volume,
};
use k8s_openapi::api::storage::v1::StorageClass;
use serde_json::Value;

use super::labels::{one_of, selector};
use super::subject::Subject;
use super::{Identity, Storage, constraints, quantities};
use crate::cluster::InputError;
use crate::cluster::eligibility::{Requirement, Term, ZONES};
use crate::cluster::volumes::{ClaimFacts, StorageFacts, VolumeFacts};

/// The annotation of a claim whose volume is being made for a node.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// The older way to name the class of a claim or volume.
const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// The provisioner of classes for which nobody makes volumes.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// The mode of volumes that are devices and not file systems.
const BLOCK: &str = "Block";

/// The names of the claims of a pod. The claim of an ephemeral volume has the name of the pod and of the volume.
pub(super) fn claims_of_pod(spec: &PodSpec, pod: &str) -> Vec<String> {
    let name = |volume: &Volume| match (&volume.persistent_volume_claim, &volume.ephemeral) {
        (Some(claim), _) => Some(claim.claim_name.clone()),
        (None, Some(_)) => Some(format!("{pod}-{}", volume.name)),
        (None, None) => None,
    };
    spec.volumes.iter().flatten().filter_map(name).collect()
}

/// Reads an object of one of these kinds; none where it is of another.
pub(super) fn read(id: &Identity, value: &Value, subject: &Subject<'_>) -> Result<Option<Storage>, InputError> {
    Ok(Some(match (&*id.group, &*id.kind) {
        ("", "PersistentVolumeClaim") => Storage::Claim(claim(value, subject)?),
        ("", "PersistentVolume") => Storage::Volume(volume(value, subject)?),
        ("storage.k8s.io", "StorageClass") => Storage::Class(class(value, subject)?),
        ("resource.k8s.io", "DeviceClass") => Storage::Devices(extended_resource(value)),
        _ => return Ok(None),
    }))
}

/// Reads a claim.
fn claim(value: &Value, subject: &Subject<'_>) -> Result<ClaimFacts, InputError> {
    let mut value = value.clone();
    quantities::as_texts(&mut value);
    let PersistentVolumeClaim { metadata, spec, status } = subject.typed(&value, "")?;
    let (spec, status) = (spec.unwrap_or_default(), status.unwrap_or_default());
    let annotations = metadata.annotations.unwrap_or_default();
    let requests = spec.resources.and_then(|resources| resources.requests);
    let requests = quantities::read(requests.as_ref(), "/spec/resources/requests", subject)?;
    Ok(ClaimFacts {
        volume: spec.volume_name.unwrap_or_default(),
        class: annotations.get(CLASS).cloned().or(spec.storage_class_name).unwrap_or_default(),
        modes: spec.access_modes.into_iter().flatten().collect(),
        storage: requests.get("storage").copied().unwrap_or(0),
        selector: spec.selector.map(|written| selector(&written, "/spec/selector", subject)).transpose()?,
        is_block: spec.volume_mode.as_deref() == Some(BLOCK),
        selected_node: annotations.get(SELECTED_NODE).cloned(),
        is_being_deleted: metadata.deletion_timestamp.is_some(),
        is_lost: status.phase.as_deref() == Some("Lost"),
    })
}

/// Reads a volume.
fn volume(value: &Value, subject: &Subject<'_>) -> Result<VolumeFacts, InputError> {
    let mut value = value.clone();
    quantities::as_texts(&mut value);
    let PersistentVolume { metadata, spec, status } = subject.typed(&value, "")?;
    let PersistentVolumeSpec {
        node_affinity, claim_ref, storage_class_name, access_modes, capacity, volume_mode, ..
    } = spec.unwrap_or_default();
    let labels = metadata.labels.unwrap_or_default();
    let storage = quantities::read(capacity.as_ref(), "/spec/capacity", subject)?.get("storage").copied();
    let required = node_affinity.and_then(|affinity| affinity.required);
    let terms = |terms: &[_]| constraints::terms(terms, "/spec/nodeAffinity/required", subject);
    let phase = status.unwrap_or_default().phase.unwrap_or_default();
    Ok(VolumeFacts {
        affinity: required.map(|required| terms(&required.node_selector_terms)).transpose()?,
        zones: ZONES.iter().filter_map(|key| Some(zone(key, labels.get(*key)?))).collect(),
        class: storage_class_name.unwrap_or_default(),
        modes: access_modes.into_iter().flatten().collect(),
        storage: storage.unwrap_or(0),
        claim: claim_ref.map(|claim| (claim.namespace.unwrap_or_default(), claim.name.unwrap_or_default())),
        labels,
        is_block: volume_mode.as_deref() == Some(BLOCK),
        is_available: matches!(phase.as_str(), "" | "Available") && metadata.deletion_timestamp.is_none(),
    })
}

/// A label of a volume: one zone, or several in the form `a__b`.
fn zone(key: &str, value: &str) -> Requirement {
    one_of(key, value.split("__").map(str::to_owned))
}

/// Reads a storage class.
fn class(value: &Value, subject: &Subject<'_>) -> Result<StorageFacts, InputError> {
    let class: StorageClass = subject.typed(value, "")?;
    let requirement = |of: &TopologySelectorLabelRequirement| one_of(&of.key, of.values.iter().cloned());
    let term = |term: &TopologySelectorTerm| Term {
        labels: term.match_label_expressions.iter().flatten().map(requirement).collect(),
        names: BTreeSet::new(),
    };
    Ok(StorageFacts {
        waits: class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer"),
        makes_volumes: class.provisioner != NO_PROVISIONER,
        topologies: class.allowed_topologies.iter().flatten().map(term).collect(),
    })
}

/// The extended resource that stands for the devices of a class: pods request it, and it is allocated by claims.
fn extended_resource(value: &Value) -> Option<String> {
    let name = value.pointer("/spec/extendedResourceName").and_then(Value::as_str);
    name.filter(|name| !name.is_empty()).map(str::to_owned)
}
