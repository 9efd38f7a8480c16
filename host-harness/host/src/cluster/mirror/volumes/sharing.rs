//! Pods that use the same claim.

use std::cmp::Reverse;

use lictor_contract::{NodeId, PodId};

use super::super::Mirror;
use super::super::pods::PodEntry;
use super::{is_alive, key_of};
use crate::cluster::volumes::ClaimKey;

impl Mirror {
    /// Returns the node to which a pod is bound, or for which it is held at permit. `None`: neither.
    pub(super) fn assigned_node(&self, entry: &PodEntry) -> Option<NodeId> {
        entry.record.node.or_else(|| self.volumes.usage.held.get(&entry.record.id).copied())
    }

    /// Returns the pods that use a claim and have not ended.
    pub(super) fn users_of(&self, key: &ClaimKey) -> impl Iterator<Item = &PodEntry> {
        self.pods.users(key).filter_map(|pod| self.pods.get(pod)).filter(|entry| is_alive(entry))
    }

    /// Returns whether several pods use a claim.
    pub(super) fn is_shared(&self, key: &ClaimKey) -> bool {
        self.users_of(key).nth(1).is_some()
    }

    /// Returns the pod that decides the node of a waiting claim for `me`, with that node. The first bound or held pod decides. Else the most
    /// important nominated pod decides, where it is no less important than `me`. `None`: no other pod decides.
    pub(super) fn deciding_pod(&self, key: &ClaimKey, me: &PodEntry) -> Option<(PodId, NodeId)> {
        let others = || self.users_of(key).filter(|other| other.record.id != me.record.id);
        let placed = others().filter_map(|other| Some((other.record.id, self.assigned_node(other)?))).min();
        if self.assigned_node(me).is_some() {
            return placed.filter(|(pod, _)| *pod < me.record.id);
        }
        let rank = |entry: &PodEntry| (entry.record.template.priority.unwrap_or(0), Reverse(entry.record.id));
        let goes_first = |other: &&PodEntry| match me.record.nominated {
            Some(_) => rank(other) > rank(me),
            None => rank(other).0 >= rank(me).0,
        };
        let nominated = others()
            .filter(|other| other.record.nominated.is_some())
            .filter(goes_first)
            .max_by_key(|other| rank(other));
        placed.or_else(|| nominated.and_then(|other| Some((other.record.id, other.record.nominated?))))
    }

    /// Returns the waiting claims of a pod without a node that other pods share, where no pod decides their node yet.
    fn undecided(&self, entry: &PodEntry) -> Vec<ClaimKey> {
        if self.assigned_node(entry).is_some() || !is_alive(entry) {
            return Vec::new();
        }
        let keys = entry.declared.volumes.claims.iter().map(|claim| key_of(entry, claim));
        let is_open = |key: &ClaimKey| {
            self.volumes.known.waiting_class(key).is_some()
                && self.is_shared(key)
                && self.deciding_pod(key, entry).is_none()
        };
        keys.filter(is_open).collect()
    }

    /// Returns the claim whose pods must all run on one node; the policy receives it as a required affinity. `None`: there is no such claim, the pod
    /// has an affinity already, or it has several such claims. For the latter two see [`Mirror::must_wait_for_sharer`].
    pub(in crate::cluster::mirror) fn colocated_claim(&self, entry: &PodEntry) -> Option<ClaimKey> {
        let has_affinity = entry.declared.demands.as_deref().is_some_and(|demands| !demands.affinity.is_empty());
        let mut undecided = if has_affinity { Vec::new() } else { self.undecided(entry) };
        (undecided.len() == 1).then(|| undecided.pop()).flatten()
    }

    /// Returns whether a pod must wait until another pod that shares this claim has a node. The policy cannot know that both need the same node. The
    /// most important pod is placed first, then the oldest.
    pub(super) fn must_wait_for_sharer(&self, key: &ClaimKey, me: &PodEntry) -> bool {
        let undecided = self.undecided(me);
        if !undecided.contains(key) || self.colocated_claim(me).is_some() {
            return false;
        }
        let rank = |entry: &PodEntry| {
            let record = &entry.record;
            (Reverse(record.template.priority.unwrap_or(0)), record.created, record.id)
        };
        self.users_of(key)
            .filter(|other| !other.record.gated && !other.record.template.foreign)
            .any(|other| rank(other) < rank(me))
    }
}
