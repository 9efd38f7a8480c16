//! Where the volumes of a pod can be used, by the rules of kube-scheduler (plugins VolumeBinding and VolumeZone).
//!
//! A bound claim goes with the nodes of its volume. An unbound one whose class waits for its first pod goes with the nodes for which a
//! volume can be made, or is there. Every other claim keeps its pod from every node.

use std::collections::{BTreeMap, BTreeSet};

use super::eligibility::{NameTest, Need, Requirement, Term};
use super::object::Storage;

/// The access mode of a claim that one pod alone may use.
const ONE_POD: &str = "ReadWriteOncePod";

/// A claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClaimFacts {
    /// The volume it is bound to; empty for none.
    pub(crate) volume: String,
    /// Its storage class; empty for none.
    pub(crate) class: String,
    pub(crate) modes: BTreeSet<String>,
    /// Bytes.
    pub(crate) storage: i64,
    /// What the labels of its volume must be, where it says so.
    pub(crate) selector: Option<BTreeSet<Requirement>>,
    pub(crate) is_block: bool,
    /// The node for which its volume is being made.
    pub(crate) selected_node: Option<String>,
    pub(crate) is_being_deleted: bool,
    pub(crate) is_lost: bool,
}

/// A volume.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct VolumeFacts {
    /// One of the terms must hold of a node; none: every node will do.
    pub(crate) affinity: Option<BTreeSet<Term>>,
    /// What its labels say of zones and regions.
    pub(crate) zones: BTreeSet<Requirement>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) is_block: bool,
    pub(crate) class: String,
    pub(crate) modes: BTreeSet<String>,
    /// Bytes.
    pub(crate) storage: i64,
    /// The claim it is bound to, or kept for: namespace and name.
    pub(crate) claim: Option<(String, String)>,
    pub(crate) is_available: bool,
}

/// A storage class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StorageFacts {
    /// Claims are bound when their first pod has a node.
    pub(crate) waits: bool,
    pub(crate) makes_volumes: bool,
    /// Where volumes can be made; empty: everywhere.
    pub(crate) topologies: BTreeSet<Term>,
}

/// Claims by namespace and name, volumes and storage classes by name.
#[derive(Debug, Default)]
pub(crate) struct Volumes {
    pub(crate) claims: BTreeMap<(String, String), ClaimFacts>,
    pub(crate) volumes: BTreeMap<String, VolumeFacts>,
    pub(crate) classes: BTreeMap<String, StorageFacts>,
    /// The extended resources that device classes stand for, by class.
    pub(crate) devices: BTreeMap<String, String>,
    changed: bool,
}

impl Volumes {
    /// Creates or replaces an object.
    pub(crate) fn set(&mut self, namespace: &str, name: &str, storage: Storage) {
        self.changed = true;
        let name = name.to_owned();
        match storage {
            Storage::Claim(facts) => drop(self.claims.insert((namespace.to_owned(), name), facts)),
            Storage::Volume(facts) => drop(self.volumes.insert(name, facts)),
            Storage::Class(facts) => drop(self.classes.insert(name, facts)),
            Storage::Devices(Some(resource)) => drop(self.devices.insert(name, resource)),
            Storage::Devices(None) => drop(self.devices.remove(&name)),
        }
    }

    /// Removes an object of this kind; false where there is none.
    pub(crate) fn remove(&mut self, kind: &str, namespace: &str, name: &str) -> bool {
        let removed = match kind {
            "PersistentVolumeClaim" => self.claims.remove(&(namespace.to_owned(), name.to_owned())).is_some(),
            "PersistentVolume" => self.volumes.remove(name).is_some(),
            "StorageClass" => self.classes.remove(name).is_some(),
            "DeviceClass" => self.devices.remove(name).is_some(),
            _ => false,
        };
        self.changed |= removed;
        removed
    }

    /// Whether there is an object of this kind.
    pub(crate) fn contains(&self, kind: &str, namespace: &str, name: &str) -> bool {
        match kind {
            "PersistentVolumeClaim" => self.claims.contains_key(&(namespace.to_owned(), name.to_owned())),
            "PersistentVolume" => self.volumes.contains_key(name),
            "StorageClass" => self.classes.contains_key(name),
            "DeviceClass" => self.devices.contains_key(name),
            _ => false,
        }
    }

    /// Whether one pod alone may use a claim.
    pub(crate) fn is_for_one_pod(&self, namespace: &str, claim: &str) -> bool {
        let claim = self.claims.get(&(namespace.to_owned(), claim.to_owned()));
        claim.is_some_and(|claim| claim.modes.contains(ONE_POD))
    }

    /// Whether anything has changed since the last call.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// What these claims of a pod demand of its node.
    pub(crate) fn needs(&self, namespace: &str, claims: &[String]) -> BTreeSet<Need> {
        claims.iter().flat_map(|claim| self.of_claim(namespace, claim)).collect()
    }

    fn of_claim(&self, namespace: &str, name: &str) -> Vec<Need> {
        let nowhere = |case: &'static str| vec![Need::Nowhere { case, claim: name.to_owned() }];
        let key = (namespace.to_owned(), name.to_owned());
        let Some(claim) = self.claims.get(&key) else { return nowhere("claim-missing") };
        if claim.is_being_deleted {
            return nowhere("claim-deleted");
        }
        if claim.is_lost {
            return nowhere("volume-missing");
        }
        if !claim.volume.is_empty() {
            return match self.volumes.get(&claim.volume) {
                Some(volume) => of_volume(volume),
                None => nowhere("volume-missing"),
            };
        }
        let Some(class) = self.classes.get(&claim.class) else {
            return nowhere(if claim.class.is_empty() { "claim-unbound" } else { "class-missing" });
        };
        match &claim.selected_node {
            _ if !class.waits => nowhere("claim-unbound"),
            Some(node) => vec![Need::Volume(BTreeSet::from([on_node(node)]))],
            None => self.to_be_bound(&key, claim, class),
        }
    }

    /// Where a volume is there for a claim, or can be made.
    fn to_be_bound(&self, key: &(String, String), claim: &ClaimFacts, class: &StorageFacts) -> Vec<Need> {
        if class.makes_volumes && class.topologies.is_empty() {
            return Vec::new();
        }
        let mut terms = if class.makes_volumes { class.topologies.clone() } else { BTreeSet::new() };
        for volume in self.volumes.values().filter(|volume| volume.serves(key, claim)) {
            match &volume.affinity {
                Some(affinity) => terms.extend(affinity.iter().cloned()),
                None => return Vec::new(),
            }
        }
        vec![Need::Volume(terms)]
    }
}

impl VolumeFacts {
    /// Whether the volume can be bound to a claim of this namespace and name.
    fn serves(&self, key: &(String, String), claim: &ClaimFacts) -> bool {
        let is_selected = claim.selector.iter().flatten().all(|requirement| requirement.holds(&self.labels));
        let is_free = match &self.claim {
            Some(other) => other == key,
            None => self.is_available,
        };
        is_free
            && is_selected
            && self.is_block == claim.is_block
            && self.class == claim.class
            && self.storage >= claim.storage
            && claim.modes.is_subset(&self.modes)
    }
}

/// What a volume demands of a node.
fn of_volume(volume: &VolumeFacts) -> Vec<Need> {
    let affinity = volume.affinity.iter().map(|terms| Need::BoundVolume(terms.clone()));
    let zones = (!volume.zones.is_empty()).then(|| Need::Zones(volume.zones.clone()));
    affinity.chain(zones).collect()
}

/// The node of this name, and no other.
fn on_node(name: &str) -> Term {
    Term { labels: BTreeSet::new(), names: BTreeSet::from([NameTest::Is(name.to_owned())]) }
}

#[cfg(test)]
mod tests;
