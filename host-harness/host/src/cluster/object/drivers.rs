//! Reads what CSI drivers report: how many volumes a node takes, which are attached to it, and how much can still be made.

use std::collections::BTreeMap;

use k8s_openapi::api::storage::v1::{CSIDriver, CSINode, CSIStorageCapacity, VolumeAttachment};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use lictor_contract::quantity::Unit;
use serde_json::Value;

use super::labels::selector;
use super::quantities;
use super::subject::ObjectContext;
use crate::cluster::InputError;
use crate::cluster::volumes::{AttachmentFacts, CapacityFacts};

/// Reads how many volumes each driver can attach to a node. A driver without a count has no limit.
pub(super) fn limits(value: &Value, subject: &ObjectContext<'_>) -> Result<BTreeMap<String, i64>, InputError> {
    let node: CSINode = subject.typed(value, "")?;
    let limit = |driver: k8s_openapi::api::storage::v1::CSINodeDriver| {
        Some((driver.name, i64::from(driver.allocatable?.count?).max(0)))
    };
    Ok(node.spec.drivers.into_iter().filter_map(limit).collect())
}

/// Reads whether a driver reports its remaining capacity.
pub(super) fn reports_capacity(value: &Value, subject: &ObjectContext<'_>) -> Result<bool, InputError> {
    let driver: CSIDriver = subject.typed(value, "")?;
    Ok(driver.spec.storage_capacity == Some(true))
}

/// Reads the remaining capacity of a driver. An amount beyond 64 bits is the largest number, like the request of a claim (K32).
pub(super) fn capacity(value: &Value, subject: &ObjectContext<'_>) -> Result<CapacityFacts, InputError> {
    let mut value = value.clone();
    for field in ["capacity", "maximumVolumeSize"] {
        value.get_mut(field).into_iter().for_each(quantities::as_text);
    }
    let CSIStorageCapacity { storage_class_name, node_topology, capacity, maximum_volume_size, .. } =
        subject.typed(&value, "")?;
    let amount = |quantity: Option<Quantity>, field: &str| {
        let amount = quantity.map(|Quantity(text)| quantities::clamped(&text, Unit::of("storage")));
        amount.transpose().map_err(|error| subject.mistake(field, error, "write a quantity such as `4Gi`"))
    };
    let (most, capacity) = (amount(maximum_volume_size, "/maximumVolumeSize")?, amount(capacity, "/capacity")?);
    Ok(CapacityFacts {
        class: storage_class_name,
        nodes: node_topology.map(|written| selector(&written, "/nodeTopology", subject)).transpose()?,
        largest: most.or(capacity),
    })
}

/// Reads which volume is attached to which node. The volume is empty where the attachment names no PersistentVolume.
pub(super) fn attachment(value: &Value, subject: &ObjectContext<'_>) -> Result<AttachmentFacts, InputError> {
    let VolumeAttachment { spec, .. } = subject.typed(value, "")?;
    Ok(AttachmentFacts { node: spec.node_name, volume: spec.source.persistent_volume_name.unwrap_or_default() })
}
