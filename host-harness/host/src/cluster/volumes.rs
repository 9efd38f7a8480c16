//! Claims, volumes and what drivers report: where the volumes of a pod can be used, and what they take of a node.

mod attachments;
mod facts;
mod needs;
mod offers;

use std::collections::{BTreeMap, BTreeSet};

use super::object::Storage;

pub(crate) use attachments::{ATTACHMENTS, csi_driver};
pub(crate) use facts::{
    AttachmentFacts, CapacityFacts, ClaimBinding, ClaimFacts, ClaimKey, ClaimRef, OwnerPod, PodVolumes, StorageFacts,
    VolumeFacts, VolumeState,
};
pub(crate) use needs::{ClaimDecision, ClaimUser};
pub(crate) use offers::{VolumeOffer, VolumeOffers, WaitingClaim};

/// The access mode of a claim that one pod alone may use.
const ONE_POD: &str = "ReadWriteOncePod";

/// Claims by namespace and name, volumes and storage classes by name.
#[derive(Debug, Default)]
pub(crate) struct Volumes {
    pub(crate) claims: BTreeMap<ClaimKey, ClaimFacts>,
    pub(crate) volumes: BTreeMap<String, VolumeFacts>,
    pub(crate) classes: BTreeMap<String, StorageFacts>,
    /// The extended resources that device classes stand for, by class.
    pub(crate) devices: BTreeMap<String, String>,
    /// How many volumes each driver can attach to a node, by node and driver.
    limits: BTreeMap<String, BTreeMap<String, i64>>,
    /// The number of nodes that have a limit, by driver.
    limited: BTreeMap<String, usize>,
    /// The drivers that report their remaining capacity.
    drivers: BTreeSet<String>,
    /// The reported capacities, by namespace and name of the object.
    capacities: BTreeMap<(String, String), CapacityFacts>,
    /// The volumes that are attached to nodes, by name of the VolumeAttachment.
    attachments: BTreeMap<String, AttachmentFacts>,
    changed: bool,
}

impl Volumes {
    /// Creates or replaces an object.
    pub(crate) fn set(&mut self, namespace: &str, name: &str, storage: Storage) {
        // The status of an attachment changes often, and does not matter here.
        let is_known = |facts: &AttachmentFacts| self.attachments.get(name) == Some(facts);
        self.changed |= !matches!(&storage, Storage::Attachment(facts) if is_known(facts));
        let (key, name) = ((namespace.to_owned(), name.to_owned()), name.to_owned());
        match storage {
            Storage::Claim(facts) => drop(self.claims.insert(key, *facts)),
            Storage::Volume(facts) => drop(self.volumes.insert(name, *facts)),
            Storage::Class(facts) => drop(self.classes.insert(name, facts)),
            Storage::Devices(Some(resource)) => drop(self.devices.insert(name, resource)),
            Storage::Devices(None) => drop(self.devices.remove(&name)),
            Storage::Limits(limits) => drop(self.set_limits(&name, Some(limits))),
            Storage::Driver(true) => drop(self.drivers.insert(name)),
            Storage::Driver(false) => drop(self.drivers.remove(&name)),
            Storage::Capacity(facts) => drop(self.capacities.insert(key, facts)),
            Storage::Attachment(facts) => drop(self.attachments.insert(name, facts)),
        }
    }

    /// Removes an object of this kind. Returns `false` where the object does not exist.
    pub(crate) fn remove(&mut self, kind: &str, namespace: &str, name: &str) -> bool {
        let key = (namespace.to_owned(), name.to_owned());
        let removed = match kind {
            "PersistentVolumeClaim" => self.claims.remove(&key).is_some(),
            "PersistentVolume" => self.volumes.remove(name).is_some(),
            "StorageClass" => self.classes.remove(name).is_some(),
            "DeviceClass" => self.devices.remove(name).is_some(),
            "CSINode" => self.set_limits(name, None),
            "CSIDriver" => self.drivers.remove(name),
            "CSIStorageCapacity" => self.capacities.remove(&key).is_some(),
            "VolumeAttachment" => self.attachments.remove(name).is_some(),
            _ => false,
        };
        self.changed |= removed;
        removed
    }

    /// Returns whether there is an object of this kind.
    pub(crate) fn contains(&self, kind: &str, namespace: &str, name: &str) -> bool {
        let key = || (namespace.to_owned(), name.to_owned());
        match kind {
            "PersistentVolumeClaim" => self.claims.contains_key(&key()),
            "PersistentVolume" => self.volumes.contains_key(name),
            "StorageClass" => self.classes.contains_key(name),
            "DeviceClass" => self.devices.contains_key(name),
            "CSINode" => self.limits.contains_key(name),
            "CSIDriver" => self.drivers.contains(name),
            "CSIStorageCapacity" => self.capacities.contains_key(&key()),
            "VolumeAttachment" => self.attachments.contains_key(name),
            _ => false,
        }
    }

    /// Returns whether one pod alone may use a claim.
    pub(crate) fn is_for_one_pod(&self, namespace: &str, claim: &str) -> bool {
        let claim = self.claims.get(&(namespace.to_owned(), claim.to_owned()));
        claim.is_some_and(|claim| claim.modes.contains(ONE_POD))
    }

    /// Returns whether anything has changed since the last call.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }
}

#[cfg(test)]
mod tests;
