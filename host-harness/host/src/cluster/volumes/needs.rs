//! Where the claims of a pod can be used, by the rules of kube-scheduler (plugins VolumeBinding and VolumeZone).
//!
//! A bound claim goes with the nodes of its volume. An unbound one whose class waits for its first pod goes with the nodes for which a
//! volume can be made, or is there. Every other claim keeps its pod from every node.

use std::collections::BTreeSet;

use super::{CapacityFacts, ClaimFacts, ClaimKey, PodVolumes, StorageFacts, VolumeFacts, VolumeOffer, Volumes};
use crate::cluster::eligibility::{NameTest, NodeTerm, VolumeDemand};

/// A pod that uses claims.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimUser<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) uid: &'a str,
    pub(crate) volumes: &'a PodVolumes,
}

/// The decisions about a waiting claim.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClaimDecision<'a> {
    /// The node of another pod that uses the claim.
    pub(crate) node: Option<&'a str>,
    /// The volumes that are available to the claim.
    pub(crate) offer: Option<&'a VolumeOffer>,
}

impl Volumes {
    /// Returns the demands of a claim of a pod on the node of the pod.
    pub(crate) fn volume_demands(
        &self,
        user: &ClaimUser<'_>,
        name: &str,
        decided: ClaimDecision<'_>,
    ) -> Vec<VolumeDemand> {
        let nowhere = |case: &'static str| vec![VolumeDemand::NoNode { case, claim: name.to_owned() }];
        let key = (user.namespace.to_owned(), name.to_owned());
        let Some(claim) = self.claims.get(&key) else { return nowhere("claim-missing") };
        if claim.is_being_deleted {
            return nowhere("claim-deleted");
        }
        if claim.binding == super::ClaimBinding::Lost {
            return nowhere("volume-missing");
        }
        if user.volumes.ephemeral.contains(name) && !claim.is_made_by(user.name, user.uid) {
            return nowhere("claim-of-another-pod");
        }
        if claim.is_bound() {
            return match self.volumes.get(&claim.volume) {
                Some(volume) if volume.is_of_another(&key, claim) => nowhere("volume-of-another-claim"),
                Some(volume) => of_volume(volume),
                None => nowhere("volume-missing"),
            };
        }
        if !claim.volume.is_empty() {
            return nowhere("claim-unbound");
        }
        let Some(class) = self.classes.get(&claim.class) else {
            return nowhere(if claim.class.is_empty() { "claim-unbound" } else { "class-missing" });
        };
        match claim.selected_node.as_deref().or(decided.node) {
            _ if !class.waits_for_consumer => nowhere("claim-unbound"),
            Some(node) => vec![VolumeDemand::Volume(BTreeSet::from([on_node(node)]))],
            None => self.to_be_bound(claim, class, decided.offer, name),
        }
    }

    /// Returns the demands of a claim that waits for its first pod: the node must reach an available volume, or one that can be provisioned.
    fn to_be_bound(
        &self,
        claim: &ClaimFacts,
        class: &StorageFacts,
        offer: Option<&VolumeOffer>,
        name: &str,
    ) -> Vec<VolumeDemand> {
        let (topologies, capacities) = match class.provisions_volumes {
            true => (NodeTerms::of(&class.topologies), self.capacity(claim, class)),
            false => (NodeTerms::Some(BTreeSet::new()), NodeTerms::All),
        };
        let volumes = offer.into_iter().flat_map(|offer| &offer.volumes).filter_map(|volume| self.volumes.get(volume));
        let there: Vec<Option<&BTreeSet<NodeTerm>>> = volumes.map(|volume| volume.affinity.as_ref()).collect();
        if there.contains(&None) {
            return Vec::new();
        }
        if there.is_empty() {
            if offer.is_some_and(|offer| offer.is_contested) && !class.provisions_volumes {
                return vec![VolumeDemand::NoNode { case: "volume-contested", claim: name.to_owned() }];
            }
            let capacity = capacities.into_terms().map(VolumeDemand::Capacity);
            return topologies.into_terms().map(VolumeDemand::Volume).into_iter().chain(capacity).collect();
        }
        let made = topologies.and(capacities).into_terms();
        let terms = made.map(|made| there.into_iter().flatten().flatten().cloned().chain(made).collect());
        terms.map(VolumeDemand::Volume).into_iter().collect()
    }

    /// Returns the nodes for which the driver of a class can make a volume of this size (upstream volumebinding `hasEnoughCapacity`).
    fn capacity(&self, claim: &ClaimFacts, class: &StorageFacts) -> NodeTerms {
        if !self.drivers.contains(&class.provisioner) {
            return NodeTerms::All;
        }
        let is_enough = |capacity: &&CapacityFacts| {
            capacity.class == claim.class && capacity.largest.is_some_and(|largest| largest >= claim.storage)
        };
        let mut terms = BTreeSet::new();
        for nodes in self.capacities.values().filter(is_enough).filter_map(|capacity| capacity.nodes.as_ref()) {
            if nodes.is_empty() {
                return NodeTerms::All;
            }
            terms.insert(NodeTerm { labels: nodes.clone(), names: BTreeSet::new() });
        }
        NodeTerms::Some(terms)
    }

    /// Returns a claim that waits for its first pod, with its class. `None`: the claim is bound, or a volume is being provisioned for it.
    pub(crate) fn waiting_class(&self, key: &ClaimKey) -> Option<(&ClaimFacts, &StorageFacts)> {
        let claim = self.claims.get(key)?;
        let class = self.classes.get(&claim.class)?;
        let is_open = claim.volume.is_empty() && claim.selected_node.is_none() && !claim.is_being_deleted;
        (class.waits_for_consumer && is_open && claim.binding != super::ClaimBinding::Lost).then_some((claim, class))
    }
}

/// The nodes that match one of the terms, or all nodes.
enum NodeTerms {
    All,
    Some(BTreeSet<NodeTerm>),
}

impl NodeTerms {
    /// Returns the nodes of these terms; all nodes where there is no term.
    fn of(terms: &BTreeSet<NodeTerm>) -> NodeTerms {
        if terms.is_empty() { NodeTerms::All } else { NodeTerms::Some(terms.clone()) }
    }

    /// Returns the terms. `None`: all nodes are meant.
    fn into_terms(self) -> Option<BTreeSet<NodeTerm>> {
        match self {
            NodeTerms::All => None,
            NodeTerms::Some(terms) => Some(terms),
        }
    }

    /// Returns the nodes that match both.
    fn and(self, other: NodeTerms) -> NodeTerms {
        match (self, other) {
            (NodeTerms::All, terms) | (terms, NodeTerms::All) => terms,
            (NodeTerms::Some(one), NodeTerms::Some(other)) => {
                let both = |one: &NodeTerm, other: &NodeTerm| NodeTerm {
                    labels: one.labels.union(&other.labels).cloned().collect(),
                    names: one.names.union(&other.names).cloned().collect(),
                };
                NodeTerms::Some(one.iter().flat_map(|one| other.iter().map(move |other| both(one, other))).collect())
            }
        }
    }
}

/// Returns the demands of a volume on a node.
fn of_volume(volume: &VolumeFacts) -> Vec<VolumeDemand> {
    let affinity = volume.affinity.iter().map(|terms| VolumeDemand::BoundVolume(terms.clone()));
    let zones = (!volume.zones.is_empty()).then(|| VolumeDemand::Zones(volume.zones.clone()));
    affinity.chain(zones).collect()
}

/// Returns the term that only the node of this name matches.
pub(super) fn on_node(name: &str) -> NodeTerm {
    NodeTerm { labels: BTreeSet::new(), names: BTreeSet::from([NameTest::Is(name.to_owned())]) }
}
