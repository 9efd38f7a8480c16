//! What the volumes of all pods come to on the nodes.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{NodeId, PodId};

use super::super::Mirror;
use super::super::pods::PodEntry;
use super::has_volumes;
use crate::cluster::eligibility::{NodeProperties, VolumeDemand};
use crate::cluster::object::ResourceAmounts;
use crate::cluster::volumes::{ATTACHMENTS, ClaimKey, VolumeOffers, WaitingClaim};

/// A volume as a driver attaches it: the driver and a handle.
type AttachedVolume = (String, String);

/// The use of volumes by all pods, per node.
#[derive(Debug, Default)]
pub(in crate::cluster::mirror) struct VolumeUsage {
    /// The pods with volumes that are held at permit, and their nodes.
    pub(super) held: BTreeMap<PodId, NodeId>,
    /// The claims that wait for their first pod.
    pub(super) waiting: BTreeSet<ClaimKey>,
    /// The volumes that are available to the waiting claims.
    pub(super) offers: VolumeOffers,
    /// The volumes that several pods use, or that are attached to a node where no pod uses them, with the nodes to which they are attached. These
    /// volumes are counted at the node, and all others at the pods.
    pub(super) shared: BTreeMap<AttachedVolume, BTreeSet<NodeId>>,
    /// The amounts of each node in the resources that stand for volumes.
    pub(super) amounts: BTreeMap<NodeId, ResourceAmounts>,
    /// The pods without a node that share volumes. They depend on where those volumes are attached.
    dependent_pods: BTreeSet<PodId>,
    /// Nodes, or pods of waiting claims, have changed.
    pub(in crate::cluster::mirror) stale: bool,
}

impl Mirror {
    /// Updates the books. Returns the pods whose demands may have changed. `changed`: a claim, volume, class or driver has changed.
    pub(super) fn update_volume_usage(&mut self, changed: bool) -> BTreeSet<PodId> {
        if changed {
            let keys = self.volumes.known.claims.keys();
            self.volumes.usage.waiting =
                keys.filter(|key| self.volumes.known.waiting_class(key).is_some()).cloned().collect();
        }
        let mut concerned = std::mem::take(&mut self.volumes.usage.dependent_pods);
        if std::mem::take(&mut self.volumes.usage.stale) || changed {
            let offers = self.offers();
            if offers != self.volumes.usage.offers {
                self.volumes.usage.offers = offers;
                let waiting = &self.volumes.usage.waiting;
                concerned.extend(waiting.iter().flat_map(|key| self.pods.users(key)));
            }
        }
        if changed || self.volumes.known.has_limits() {
            self.volumes.usage.shared = self.shared();
            let without = self.volumes.usage.shared.keys();
            let shared: BTreeSet<&AttachedVolume> = without.collect();
            if !shared.is_empty() {
                let waiting = self.pods.all().filter(|entry| has_volumes(entry) && self.assigned_node(entry).is_none());
                self.volumes.usage.dependent_pods = waiting.map(|entry| entry.record.id).collect();
                concerned.extend(&self.volumes.usage.dependent_pods);
            }
        }
        self.set_node_amounts();
        concerned
    }

    /// Computes the volumes that are available to the waiting claims.
    fn offers(&self) -> VolumeOffers {
        let waiting: Vec<WaitingClaim> =
            self.volumes.usage.waiting.iter().filter_map(|key| self.waiting(key)).collect();
        if waiting.is_empty() {
            return VolumeOffers::default();
        }
        let nodes: Vec<(NodeId, &NodeProperties)> =
            self.nodes.all().map(|node| (node.record.id, &node.terrain)).collect();
        self.volumes.known.offers(&waiting, &nodes)
    }

    /// Returns a waiting claim with the facts that rank it among other claims. `None`: no pod uses the claim.
    fn waiting(&self, key: &ClaimKey) -> Option<WaitingClaim> {
        let users = || self.users_of(key);
        Some(WaitingClaim {
            key: key.clone(),
            node: users().find_map(|entry| self.assigned_node(entry).or(entry.record.nominated)),
            priority: users().map(|entry| entry.record.template.priority.unwrap_or(0)).max()?,
            created: users().map(|entry| entry.record.created).min()?,
        })
    }

    /// Returns the shared volumes that count for a limit, and the volumes that are attached where no pod uses them.
    fn shared(&self) -> BTreeMap<AttachedVolume, BTreeSet<NodeId>> {
        let mut shared = BTreeMap::<AttachedVolume, BTreeSet<NodeId>>::new();
        for key in self.pods.shared_claims().filter(|key| self.is_shared(key)) {
            let Some(volume) = self.volumes.known.attached(key) else { continue };
            let nodes: BTreeSet<NodeId> = self.users_of(key).filter_map(|entry| self.assigned_node(entry)).collect();
            if !nodes.is_empty() {
                shared.entry(volume).or_default().extend(nodes);
            }
        }
        for (volume, key, name) in self.volumes.known.attachments() {
            let Some(node) = self.nodes.id(name) else { continue };
            let mut users = key.iter().flat_map(|key| self.users_of(key));
            if !users.any(|entry| self.assigned_node(entry) == Some(node)) {
                shared.entry(volume).or_default().insert(node);
            }
        }
        shared
    }

    /// Returns whether a volume is counted at the nodes to which it is attached.
    pub(super) fn is_attached(&self, volume: &AttachedVolume) -> bool {
        self.volumes.usage.shared.contains_key(volume)
    }

    /// Sets the amounts of each node in the resources that stand for volumes: the available volumes, and the free attachments. Volumes that several
    /// pods share have already been subtracted from the attachments.
    fn set_node_amounts(&mut self) {
        let mut amounts = self.volumes.usage.offers.nodes.clone();
        for name in self.volumes.known.limited_nodes() {
            let Some(node) = self.nodes.id(name) else { continue };
            for (driver, limit) in self.volumes.known.limits(name).into_iter().flatten() {
                let there =
                    self.volumes.usage.shared.iter().filter(|((of, _), nodes)| of == driver && nodes.contains(&node));
                let left = limit.saturating_sub(i64::try_from(there.count()).unwrap_or(i64::MAX)).max(0);
                amounts.entry(node).or_default().insert(format!("{ATTACHMENTS}{driver}"), left);
            }
        }
        let before = std::mem::replace(&mut self.volumes.usage.amounts, amounts);
        let now = &self.volumes.usage.amounts;
        let nodes: BTreeSet<NodeId> = before.keys().chain(now.keys()).copied().collect();
        let changed: Vec<NodeId> = nodes.into_iter().filter(|node| before.get(node) != now.get(node)).collect();
        for node in changed {
            let Some(own) = self.nodes.get(node).map(|entry| entry.declared_allocatable.clone()) else { continue };
            let allocatable = self.node_amounts(node, &own);
            self.nodes.set_allocatable(node, allocatable);
        }
    }

    /// Returns the nodes whose drivers can attach no more volumes, for a pod with shared volumes. `apart`: the shared volumes that are attached
    /// elsewhere. `takes`: the amounts that the pod takes besides them. `None`: there are no such volumes or nodes.
    pub(super) fn nodes_without_attachments(
        &self,
        apart: &[AttachedVolume],
        takes: &ResourceAmounts,
    ) -> Option<VolumeDemand> {
        let shared: Vec<&AttachedVolume> = apart.iter().filter(|volume| self.is_attached(volume)).collect();
        if shared.is_empty() {
            return None;
        }
        let mut full = BTreeSet::new();
        for name in self.volumes.known.limited_nodes() {
            let Some(node) = self.nodes.id(name) else { continue };
            for driver in self.volumes.known.limits(name).into_iter().flat_map(BTreeMap::keys) {
                let is_apart = |volume: &&&AttachedVolume| {
                    volume.0 == *driver
                        && !self.volumes.usage.shared.get(**volume).is_some_and(|nodes| nodes.contains(&node))
                };
                let missing = i64::try_from(shared.iter().filter(is_apart).count()).unwrap_or(i64::MAX);
                let resource = format!("{ATTACHMENTS}{driver}");
                let own = takes.get(&resource).copied().unwrap_or(0);
                if missing > 0 && self.remaining(node, name, &resource) < missing.saturating_add(own) {
                    full.insert(name.clone());
                }
            }
        }
        (!full.is_empty()).then_some(VolumeDemand::Attachable(full))
    }

    /// Returns the amount that the pods on a node leave of a resource that stands for volumes.
    fn remaining(&self, node: NodeId, name: &str, resource: &str) -> i64 {
        let has = self.volumes.usage.amounts.get(&node).and_then(|amounts| amounts.get(resource)).copied().unwrap_or(0);
        let held = self.volumes.usage.held.iter().filter(|(_, on)| **on == node).map(|(pod, _)| *pod);
        let there: BTreeSet<PodId> = self.pods.of_node(name).into_iter().chain(held).collect();
        let there = there
            .into_iter()
            .filter_map(|pod| self.pods.get(pod))
            .filter(|entry| self.assigned_node(entry) == Some(node));
        let taken = |entry: &PodEntry| self.resources.amount(&entry.record.template.requests, resource);
        there.map(taken).fold(has, i64::saturating_sub)
    }
}
