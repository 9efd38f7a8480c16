//! Pods that use the same claim.

use std::cmp::Reverse;

use lictor_contract::{NodeId, PodId};

use super::super::Mirror;
use super::super::pods::PodEntry;
use super::{is_alive, key_of};
use crate::cluster::volumes::ClaimKey;

impl Mirror {
    /// Returns the node of a pod: it is bound there, or held for it at permit.
    pub(super) fn place(&self, entry: &PodEntry) -> Option<NodeId> {
        entry.record.node.or_else(|| self.volume_books.held.get(&entry.record.id).copied())
    }

    /// Returns the pods that use a claim and have not ended.
    pub(super) fn users_of(&self, key: &ClaimKey) -> impl Iterator<Item = &PodEntry> {
        self.pods.users(key).filter_map(|pod| self.pods.get(pod)).filter(|entry| is_alive(entry))
    }

    /// Returns whether several pods use a claim.
    pub(super) fn is_shared(&self, key: &ClaimKey) -> bool {
        self.users_of(key).nth(1).is_some()
    }

    /// Returns the pod that decides where a waiting claim of another pod goes, with its node: the first that is bound or held at permit,
    /// else the most important that is nominated and no less important than the other pod.
    pub(super) fn decided(&self, key: &ClaimKey, me: &PodEntry) -> Option<(PodId, NodeId)> {
        let others = || self.users_of(key).filter(|other| other.record.id != me.record.id);
        let placed = others().filter_map(|other| Some((other.record.id, self.place(other)?))).min();
        if self.place(me).is_some() {
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

    /// Returns the claims that wait for their first pod and that a pod without a node shares with other pods, none of which decides where
    /// they go.
    fn undecided(&self, entry: &PodEntry) -> Vec<ClaimKey> {
        if self.place(entry).is_some() || !is_alive(entry) {
            return Vec::new();
        }
        let keys = entry.stated.volumes.claims.iter().map(|claim| key_of(entry, claim));
        let is_open = |key: &ClaimKey| {
            self.volumes.waiting_class(key).is_some() && self.is_shared(key) && self.decided(key, entry).is_none()
        };
        keys.filter(is_open).collect()
    }

    /// Returns the claim whose pods must all go to one node, so that the policy is told of it as of an affinity. A pod has one required
    /// affinity: of another pod, and of one with several such claims, see [`Mirror::must_follow`].
    pub(in crate::cluster::mirror) fn claim_in_common(&self, entry: &PodEntry) -> Option<ClaimKey> {
        let has_affinity = entry.stated.demands.as_deref().is_some_and(|demands| !demands.affinity.is_empty());
        let mut undecided = if has_affinity { Vec::new() } else { self.undecided(entry) };
        (undecided.len() == 1).then(|| undecided.pop()).flatten()
    }

    /// Returns whether a pod must wait until another pod, which shares this claim, has a node: the policy cannot be told that both must go
    /// to the same one. The most important pod goes first, then the oldest.
    pub(super) fn must_follow(&self, key: &ClaimKey, me: &PodEntry) -> bool {
        let undecided = self.undecided(me);
        if !undecided.contains(key) || self.claim_in_common(me).is_some() {
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
