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
mod tests {
    use super::super::eligibility::LabelTest;
    use super::*;

    fn zone(name: &str) -> Requirement {
        let key = "topology.kubernetes.io/zone".to_owned();
        Requirement { key, test: LabelTest::In(BTreeSet::from([name.to_owned()])) }
    }

    fn term(name: &str) -> Term {
        Term { labels: BTreeSet::from([zone(name)]), names: BTreeSet::new() }
    }

    fn modes(of: &[&str]) -> BTreeSet<String> {
        of.iter().map(|mode| (*mode).to_owned()).collect()
    }

    /// A cluster of this claim of `default`, named `c`, with a class of each kind and two local volumes.
    fn volumes(claim: ClaimFacts) -> Volumes {
        let local = |name: &str, storage| VolumeFacts {
            affinity: Some(BTreeSet::from([term(name)])),
            class: "local".to_owned(),
            modes: modes(&["ReadWriteOnce"]),
            storage,
            is_available: true,
            ..VolumeFacts::default()
        };
        let bound = VolumeFacts { zones: BTreeSet::from([zone("z")]), ..local("b", 1) };
        let waits = StorageFacts { waits: true, ..StorageFacts::default() };
        let made = StorageFacts { makes_volumes: true, ..waits.clone() };
        let zoned = StorageFacts { topologies: BTreeSet::from([term("a"), term("b")]), ..made.clone() };
        let classes = [("local", waits), ("made", made), ("zoned", zoned), ("immediate", StorageFacts::default())];
        Volumes {
            claims: BTreeMap::from([(("default".to_owned(), "c".to_owned()), claim)]),
            volumes: [("small", local("a", 5)), ("large", local("b", 10)), ("bound", bound)]
                .map(|(name, volume)| (name.to_owned(), volume))
                .into(),
            classes: classes.map(|(name, class)| (name.to_owned(), class)).into(),
            ..Volumes::default()
        }
    }

    fn needs(claim: ClaimFacts) -> Vec<Need> {
        volumes(claim).needs("default", &["c".to_owned()]).into_iter().collect()
    }

    fn of_class(class: &str) -> ClaimFacts {
        ClaimFacts { class: class.to_owned(), ..ClaimFacts::default() }
    }

    fn nowhere(case: &'static str) -> Vec<Need> {
        vec![Need::Nowhere { case, claim: "c".to_owned() }]
    }

    #[test]
    fn a_claim_that_cannot_be_used_keeps_its_pod_from_every_node() {
        let bound = ClaimFacts { volume: "bound".to_owned(), ..ClaimFacts::default() };
        assert_eq!(needs(ClaimFacts { is_being_deleted: true, ..bound.clone() }), nowhere("claim-deleted"));
        assert_eq!(needs(ClaimFacts { is_lost: true, ..bound.clone() }), nowhere("volume-missing"));
        assert_eq!(needs(ClaimFacts { volume: "gone".to_owned(), ..bound }), nowhere("volume-missing"));
        assert_eq!(needs(of_class("immediate")), nowhere("claim-unbound"));
        assert_eq!(needs(of_class("")), nowhere("claim-unbound"));
        assert_eq!(needs(of_class("unknown")), nowhere("class-missing"));
        let other = volumes(of_class("made")).needs("other", &["c".to_owned()]);
        assert_eq!(Vec::from_iter(other), nowhere("claim-missing"));
    }

    #[test]
    fn a_bound_claim_goes_with_the_affinity_and_the_zone_of_its_volume() {
        let bound = ClaimFacts { volume: "bound".to_owned(), ..ClaimFacts::default() };
        let expected = [Need::BoundVolume(BTreeSet::from([term("b")])), Need::Zones(BTreeSet::from([zone("z")]))];
        assert_eq!(needs(bound), expected);
    }

    #[test]
    fn a_claim_that_waits_goes_where_a_volume_can_be_made() {
        assert_eq!(needs(of_class("made")), []);
        assert_eq!(needs(of_class("zoned")), [Need::Volume(BTreeSet::from([term("a"), term("b")]))]);
        let mut zoned = volumes(of_class("zoned"));
        zoned.volumes.get_mut("small").unwrap().class = "zoned".to_owned();
        zoned.volumes.get_mut("small").unwrap().affinity = None;
        assert_eq!(Vec::from_iter(zoned.needs("default", &["c".to_owned()])), [], "a volume is there for every node");
        let selected = ClaimFacts { selected_node: Some("n1".to_owned()), ..of_class("made") };
        assert_eq!(needs(selected), [Need::Volume(BTreeSet::from([on_node("n1")]))]);
    }

    #[test]
    fn a_claim_that_waits_goes_where_a_volume_of_its_class_size_and_mode_is_free() {
        let asks = |storage, mode: &str| ClaimFacts { storage, modes: modes(&[mode]), ..of_class("local") };
        assert_eq!(needs(asks(5, "ReadWriteOnce")), [Need::Volume(BTreeSet::from([term("a"), term("b")]))]);
        assert_eq!(needs(asks(6, "ReadWriteOnce")), [Need::Volume(BTreeSet::from([term("b")]))]);
        assert_eq!(needs(asks(11, "ReadWriteOnce")), [Need::Volume(BTreeSet::new())]);
        assert_eq!(needs(asks(5, "ReadWriteMany")), [Need::Volume(BTreeSet::new())]);
        let asked = asks(5, "ReadWriteOnce");
        assert_eq!(needs(ClaimFacts { is_block: true, ..asked.clone() }), [Need::Volume(BTreeSet::new())]);
        let selector = Some(BTreeSet::from([zone("a")]));
        assert_eq!(needs(ClaimFacts { selector, ..asked.clone() }), [Need::Volume(BTreeSet::new())], "no labels");
        let mut kept = volumes(asked);
        let keep = |volume: &mut VolumeFacts, name: &str| volume.claim = Some(("default".to_owned(), name.to_owned()));
        keep(kept.volumes.get_mut("small").unwrap(), "d");
        keep(kept.volumes.get_mut("large").unwrap(), "c");
        let needs: Vec<Need> = kept.needs("default", &["c".to_owned()]).into_iter().collect();
        assert_eq!(needs, [Need::Volume(BTreeSet::from([term("b")]))], "one is kept for another claim, one for this");
    }
}
