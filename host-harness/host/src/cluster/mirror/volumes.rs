//! Pods and their volumes: what claims, volumes, classes and drivers demand of a node becomes part of the shape and of the requests of a
//! pod, and of what nodes have.
//!
//! A decision assumes its volumes for as long as it stands: a pod that is bound, held at permit or nominated takes the resources that
//! stand for its volumes, and a claim that waits for its first pod goes with the node of that pod.

mod books;
mod sharing;

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Amount, NodeId, PodId};

use super::Mirror;
use super::change::has_ended;
use super::pods::PodEntry;
use crate::cluster::eligibility::{Constraints, VolumeDemand};
use crate::cluster::object::ResourceAmounts;
use crate::cluster::volumes::{ATTACHMENTS, ClaimDecision, ClaimKey, ClaimUser};

pub(super) use books::VolumeUsage;

impl Mirror {
    /// Updates the shapes and requests of pods with volumes, and the amounts of nodes in the resources of volumes. A pod on a node keeps its shape,
    /// because its volumes are available there.
    pub(super) fn resolve_volumes(&mut self) {
        let mut concerned = std::mem::take(&mut self.volumes.unresolved);
        let changed = self.volumes.known.take_changed();
        if changed {
            let users = self.pods.all().filter(|entry| has_volumes(entry)).map(|entry| entry.record.id);
            concerned.extend(users);
        }
        if !changed && concerned.is_empty() && !self.volumes.usage.stale {
            return;
        }
        concerned.extend(self.update_volume_usage(changed));
        self.inter_pods.stale_pods.extend(&concerned);
        for pod in concerned {
            self.resolve_pod(pod);
        }
    }

    /// Schedules an update of the volumes of a pod, and of the pods that use the same claims, before the next drain.
    pub(super) fn mark_volumes_stale(&mut self, entry: &PodEntry) {
        if !has_volumes(entry) {
            return;
        }
        self.volumes.unresolved.insert(entry.record.id);
        self.volumes.usage.stale |= self.volumes.known.has_attachments();
        for claim in &entry.declared.volumes.claims {
            let key = (entry.record.template.namespace.clone(), claim.clone());
            self.volumes.unresolved.extend(self.pods.users(&key).filter(|other| *other != entry.record.id));
            self.volumes.usage.stale |= self.volumes.usage.waiting.contains(&key);
        }
    }

    /// Sets the pods that are held at permit, with their nodes. All other pods count as not held.
    pub fn set_held(&mut self, held: impl Iterator<Item = (PodId, NodeId)>) {
        let has_volumes = |pod: &PodId| self.pods.get(*pod).is_some_and(has_volumes);
        let held: BTreeMap<PodId, NodeId> = held.filter(|(pod, _)| has_volumes(pod)).collect();
        if held == self.volumes.usage.held {
            return;
        }
        let before = std::mem::replace(&mut self.volumes.usage.held, held);
        let now = self.volumes.usage.held.clone();
        let changed = before.iter().chain(&now).filter(|(pod, _)| before.get(pod) != now.get(pod));
        for pod in changed.map(|(pod, _)| *pod).collect::<BTreeSet<PodId>>() {
            if let Some(entry) = self.pods.get(pod).cloned() {
                self.mark_volumes_stale(&entry);
            }
        }
    }

    /// Updates the shape and the requests of a pod.
    fn resolve_pod(&mut self, pod: PodId) {
        let Some(entry) = self.pods.get(pod) else { return };
        let (needs, takes) = self.volume_demands(entry);
        let is_placed = entry.declared.node.is_some();
        let (before, stated) = (entry.record.shape, entry.declared.requests.clone());
        let requests = self.with_volumes(&stated, &takes);
        let shape = match self.shared.shapes.constraints(before) {
            Some(constraints) if !is_placed && constraints.volume_demands != needs => {
                let constraints = Constraints { volume_demands: needs, ..constraints.clone() };
                self.shape(constraints)
            }
            _ => before,
        };
        self.pods.change(pod, |entry| {
            entry.record.shape = shape;
            if entry.record.template.requests != requests {
                entry.record.template_mut().requests = requests;
            }
        });
    }

    /// Returns amounts with those of volumes added, ordered by resource number. A zero is kept: it states that the amount is empty.
    fn with_volumes(&mut self, own: &[Amount], volumes: &ResourceAmounts) -> Vec<Amount> {
        let mut all = own.to_vec();
        all.extend(self.resources.with_zeros(volumes));
        all.sort_by_key(|amount| amount.resource);
        all
    }

    /// Returns the amounts of a node: its own resources, and those that stand for volumes.
    pub(super) fn node_amounts(&mut self, node: NodeId, own: &[Amount]) -> Vec<Amount> {
        let volumes = self.volumes.usage.amounts.get(&node).cloned().unwrap_or_default();
        self.with_volumes(own, &volumes)
    }

    /// Returns the demands of the volumes of a pod on its node, and the amounts that the volumes take.
    fn volume_demands(&self, entry: &PodEntry) -> (BTreeSet<VolumeDemand>, ResourceAmounts) {
        let (mut needs, mut takes) = (BTreeSet::new(), ResourceAmounts::new());
        if !is_alive(entry) {
            return (needs, takes);
        }
        let (template, volumes) = (&entry.record.template, &entry.declared.volumes);
        let user =
            ClaimUser { namespace: &template.namespace, name: &entry.record.name, uid: &entry.record.uid, volumes };
        let mut add = |resource: String| {
            let amount = takes.entry(resource).or_insert(0_i64);
            *amount = amount.saturating_add(1);
        };
        let mut apart = Vec::new();
        for claim in volumes.claims.iter().collect::<BTreeSet<_>>() {
            let key = (template.namespace.clone(), claim.clone());
            let waits = self.volumes.known.waiting_class(&key).is_some();
            let other = if waits { self.deciding_pod(&key, entry) } else { None };
            let offer = self.volumes.usage.offers.claims.get(&key);
            let node = other.and_then(|(_, node)| self.nodes.get(node)).map(|node| node.terrain.name.as_str());
            needs.extend(self.volumes.known.volume_demands(&user, claim, ClaimDecision { node, offer }));
            if self.must_wait_for_sharer(&key, entry) {
                needs.insert(VolumeDemand::NoNode { case: "claim-shared", claim: claim.clone() });
            }
            if other.is_none() {
                offer.into_iter().flat_map(|offer| &offer.requests).cloned().for_each(&mut add);
            }
            let is_placed = self.assigned_node(entry).is_some();
            match self.volumes.known.attached(&key) {
                Some(volume) if !self.is_shared(&key) && (is_placed || !self.is_attached(&volume)) => {
                    add(format!("{ATTACHMENTS}{}", volume.0));
                }
                Some(volume) if !is_placed => apart.push(volume),
                _ => {}
            }
        }
        for (driver, _) in self.volumes.known.attached_inline(volumes) {
            add(format!("{ATTACHMENTS}{driver}"));
        }
        for (driver, _) in apart.iter().filter(|volume| !self.is_attached(volume)) {
            add(format!("{ATTACHMENTS}{driver}"));
        }
        needs.extend(self.nodes_without_attachments(&apart, &takes));
        (needs, takes)
    }
}

/// Returns whether a pod has volumes that restrict where it can run.
pub(super) fn has_volumes(entry: &PodEntry) -> bool {
    !entry.declared.volumes.claims.is_empty() || !entry.declared.volumes.inline.is_empty()
}

/// Returns whether a pod uses its volumes, now or when it gets a node.
fn is_alive(entry: &PodEntry) -> bool {
    !has_ended(entry.record.phase)
}

/// Returns the key of a claim of a pod.
fn key_of(entry: &PodEntry, claim: &str) -> ClaimKey {
    (entry.record.template.namespace.clone(), claim.to_owned())
}
