//! Reads what says on which nodes the volumes of a pod can be used: claims, volumes and storage classes.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec, PodSpec, TopologySelectorLabelRequirement,
    TopologySelectorTerm, Volume,
};
use k8s_openapi::api::storage::v1::StorageClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::labels::{one_of, selector};
use super::subject::ObjectContext;
use super::{ObjectIdentity, Storage, constraints, disks, drivers, quantities};
use crate::cluster::InputError;
use crate::cluster::eligibility::{LabelRequirement, NodeTerm, ZONES};
use crate::cluster::volumes::{
    ClaimBinding, ClaimFacts, ClaimRef, OwnerPod, PodVolumes, StorageFacts, VolumeFacts, VolumeState,
};

/// The annotation of a claim whose volume is being provisioned for a node.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// The annotation of a claim whose binding the volume controller has completed.
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";

/// The older annotation with the class of a claim or volume.
const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// The provisioner of classes whose volumes are not provisioned dynamically.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// The mode of volumes that are devices and not file systems.
const BLOCK: &str = "Block";

/// Reads the volumes of a pod. The claim of an ephemeral volume has the name of the pod and of the volume.
pub(super) fn volumes_of_pod(spec: &PodSpec, pod: &str) -> PodVolumes {
    let made = |volume: &Volume| volume.ephemeral.as_ref().map(|_| format!("{pod}-{}", volume.name));
    let name = |volume: &Volume| match &volume.persistent_volume_claim {
        Some(claim) => Some(claim.claim_name.clone()),
        None => made(volume),
    };
    let volumes = || spec.volumes.iter().flatten();
    let made = volumes().filter(|volume| volume.persistent_volume_claim.is_none()).filter_map(made);
    PodVolumes {
        claims: volumes().filter_map(name).collect(),
        ephemeral: made.collect(),
        inline: disks::attached(spec),
    }
}

/// Reads an object of the storage kinds. `None`: the object is of another kind.
pub(super) fn read(
    id: &ObjectIdentity,
    value: &Value,
    subject: &ObjectContext<'_>,
) -> Result<Option<Storage>, InputError> {
    Ok(Some(match (&*id.group, &*id.kind) {
        ("", "PersistentVolumeClaim") => Storage::Claim(Box::new(claim(value, subject)?)),
        ("", "PersistentVolume") => Storage::Volume(Box::new(volume(value, subject)?)),
        ("storage.k8s.io", "StorageClass") => Storage::Class(class(value, subject)?),
        ("storage.k8s.io", "CSINode") => Storage::Limits(drivers::limits(value, subject)?),
        ("storage.k8s.io", "CSIDriver") => Storage::Driver(drivers::reports_capacity(value, subject)?),
        ("storage.k8s.io", "CSIStorageCapacity") => Storage::Capacity(drivers::capacity(value, subject)?),
        ("storage.k8s.io", "VolumeAttachment") => Storage::Attachment(drivers::attachment(value, subject)?),
        ("resource.k8s.io", "DeviceClass") => Storage::Devices(extended_resource(value)),
        _ => return Ok(None),
    }))
}

/// Reads a claim.
fn claim(value: &Value, subject: &ObjectContext<'_>) -> Result<ClaimFacts, InputError> {
    let mut value = value.clone();
    quantities::as_texts(&mut value);
    let PersistentVolumeClaim { metadata, spec, status } = subject.typed(&value, "")?;
    let (spec, status) = (spec.unwrap_or_default(), status.unwrap_or_default());
    let pod = pod_of(&metadata);
    let annotations = metadata.annotations.unwrap_or_default();
    let binding = match status.phase.as_deref() {
        Some("Lost") => ClaimBinding::Lost,
        Some("Pending") if !annotations.contains_key(BIND_COMPLETED) => ClaimBinding::Pending,
        _ => ClaimBinding::Bound,
    };
    let requests = spec.resources.and_then(|resources| resources.requests);
    let requests = quantities::read(requests.as_ref(), "/spec/resources/requests", subject)?;
    Ok(ClaimFacts {
        uid: metadata.uid.unwrap_or_default(),
        pod,
        volume: spec.volume_name.unwrap_or_default(),
        class: annotations.get(CLASS).cloned().or(spec.storage_class_name).unwrap_or_default(),
        modes: spec.access_modes.into_iter().flatten().collect(),
        storage: requests.get("storage").copied().unwrap_or(0),
        selector: spec.selector.map(|written| selector(&written, "/spec/selector", subject)).transpose()?,
        is_block: spec.volume_mode.as_deref() == Some(BLOCK),
        attributes_class: spec.volume_attributes_class_name.unwrap_or_default(),
        selected_node: annotations.get(SELECTED_NODE).cloned(),
        is_being_deleted: metadata.deletion_timestamp.is_some(),
        binding,
    })
}

/// Returns the pod that controls a claim.
fn pod_of(metadata: &ObjectMeta) -> Option<OwnerPod> {
    let mut owners = metadata.owner_references.iter().flatten();
    let pod = owners.find(|owner| owner.controller == Some(true) && owner.kind == "Pod")?;
    Some(OwnerPod { name: pod.name.clone(), uid: pod.uid.clone() })
}

/// Reads a volume.
fn volume(value: &Value, subject: &ObjectContext<'_>) -> Result<VolumeFacts, InputError> {
    let mut value = value.clone();
    quantities::as_texts(&mut value);
    let PersistentVolume { metadata, spec, status } = subject.typed(&value, "")?;
    let spec = spec.unwrap_or_default();
    let attached_by = disks::attached_by(&spec);
    let PersistentVolumeSpec {
        node_affinity,
        claim_ref,
        storage_class_name,
        access_modes,
        capacity,
        volume_mode,
        volume_attributes_class_name,
        ..
    } = spec;
    let labels = metadata.labels.unwrap_or_default();
    let storage = quantities::read(capacity.as_ref(), "/spec/capacity", subject)?.get("storage").copied();
    let required = node_affinity.and_then(|affinity| affinity.required);
    let terms = |terms: &[_]| constraints::terms(terms, "/spec/nodeAffinity/required", subject);
    let state = match status.unwrap_or_default().phase.as_deref() {
        _ if metadata.deletion_timestamp.is_some() => VolumeState::Unavailable,
        None | Some("" | "Available") => VolumeState::Available,
        Some("Released" | "Failed") => VolumeState::Unavailable,
        Some(_) => VolumeState::Reserved,
    };
    let claim = claim_ref.map(|claim| ClaimRef {
        namespace: claim.namespace.unwrap_or_default(),
        name: claim.name.unwrap_or_default(),
        uid: claim.uid.unwrap_or_default(),
    });
    Ok(VolumeFacts {
        affinity: required.map(|required| terms(&required.node_selector_terms)).transpose()?,
        zones: ZONES.iter().filter_map(|key| Some(zone(key, labels.get(*key)?))).collect(),
        class: storage_class_name.unwrap_or_default(),
        modes: access_modes.into_iter().flatten().collect(),
        storage: storage.unwrap_or(0),
        claim,
        state,
        attached_by,
        labels,
        is_block: volume_mode.as_deref() == Some(BLOCK),
        attributes_class: volume_attributes_class_name.unwrap_or_default(),
    })
}

/// Returns the requirement of a zone label of a volume: one zone, or several in the form `a__b`.
fn zone(key: &str, value: &str) -> LabelRequirement {
    one_of(key, value.split("__").map(str::to_owned))
}

/// Reads a storage class.
fn class(value: &Value, subject: &ObjectContext<'_>) -> Result<StorageFacts, InputError> {
    let class: StorageClass = subject.typed(value, "")?;
    let requirement = |of: &TopologySelectorLabelRequirement| one_of(&of.key, of.values.iter().cloned());
    let term = |term: &TopologySelectorTerm| NodeTerm {
        labels: term.match_label_expressions.iter().flatten().map(requirement).collect(),
        names: BTreeSet::new(),
    };
    Ok(StorageFacts {
        waits_for_consumer: class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer"),
        provisions_volumes: class.provisioner != NO_PROVISIONER,
        provisioner: class.provisioner,
        topologies: class.allowed_topologies.iter().flatten().map(term).collect(),
    })
}

/// Returns the extended resource that stands for the devices of a class. Pods request the resource, and claims allocate it. `None`: the class has
/// none.
fn extended_resource(value: &Value) -> Option<String> {
    let name = value.pointer("/spec/extendedResourceName").and_then(Value::as_str);
    name.filter(|name| !name.is_empty()).map(str::to_owned)
}
