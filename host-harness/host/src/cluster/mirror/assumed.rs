//! Assumed changes: requested, not yet visible in the cluster, and laid over the objects that the cluster shows.
//!
//! The mirror keeps a pod as the cluster shows it next to the assumed changes of the pod. So an object that was written before a change does not
//! undo the assumption, and a wrong assumption leaves the truth when it is retracted.

use std::collections::BTreeSet;

use lictor_contract::PodId;
use serde_json::Value;

use super::Mirror;
use super::change::{PodChange, has_ended};
use super::pods::PodEntry;

/// A pod with at least one assumed change.
#[derive(Debug)]
pub(super) struct Assumed {
    /// The pod as the cluster shows it.
    observed: PodEntry,
    /// The JSON of the pod as the cluster shows it. `None`: the object is not kept.
    json: Option<Value>,
    /// The assumed changes with their numbers, in the order of the requests.
    changes: Vec<(u64, PodChange)>,
}

/// The visibility of an assumed change in the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeVisibility {
    /// The cluster does not show the change yet.
    No,
    /// The cluster shows the change.
    Yes,
    /// The cluster will never show the change: the pod runs elsewhere, or has ended.
    Never,
}

impl Mirror {
    /// Assumes a change under a number until it is confirmed or retracted. Does nothing where the pod does not exist.
    pub fn assume(&mut self, pod: PodId, number: u64, change: PodChange) {
        let Some(mut assumed) = self.take_assumed(pod) else { return };
        assumed.changes.push((number, change));
        self.overlay(pod, assumed);
    }

    /// Applies the change that was assumed under this number to what the cluster shows. Returns the numbers of earlier nominations of the pod, which
    /// are over with the change and are not assumed any more.
    pub fn confirm(&mut self, pod: PodId, number: u64) -> Vec<u64> {
        let mut settled = Vec::new();
        let Some(mut assumed) = self.assumed.by_pod.remove(&pod) else { return settled };
        if let Some(place) = assumed.changes.iter().position(|(other, _)| *other == number) {
            let (_, change) = assumed.changes.remove(place);
            if change.decides_nomination() {
                // The changes of a pod take effect in their order, so the earlier nominations are over.
                let mut at = 0usize;
                assumed.changes.retain(|(number, earlier)| {
                    let past = at < place && matches!(earlier, PodChange::Nominate(_));
                    settled.extend(past.then_some(*number));
                    at = at.saturating_add(1);
                    !past
                });
            }
            self.commit_change(&mut assumed, &change);
        }
        self.overlay(pod, assumed);
        settled
    }

    /// Drops the change that was assumed under this number and returns it. `None`: nothing was assumed under the number.
    pub fn retract(&mut self, pod: PodId, number: u64) -> Option<PodChange> {
        let mut assumed = self.assumed.by_pod.remove(&pod)?;
        let place = assumed.changes.iter().position(|(other, _)| *other == number);
        let change = place.map(|place| assumed.changes.remove(place).1);
        self.overlay(pod, assumed);
        change
    }

    /// Applies a change that has happened in the cluster. Does nothing where the pod does not exist.
    pub fn change(&mut self, pod: PodId, change: &PodChange) {
        let Some(mut assumed) = self.take_assumed(pod) else { return };
        self.commit_change(&mut assumed, change);
        self.overlay(pod, assumed);
    }

    /// Returns whether the cluster shows the change that is assumed under a number. `None`: nothing is assumed under the number.
    pub fn shows(&self, pod: PodId, number: u64) -> Option<ChangeVisibility> {
        let Assumed { observed: seen, changes, .. } = self.assumed.by_pod.get(&pod)?;
        let (_, change) = changes.iter().find(|(other, _)| *other == number)?;
        let (ended, node) = (has_ended(seen.record.phase), &seen.declared.node);
        Some(match change {
            PodChange::Bind { node: wanted, .. } if node.as_ref() == Some(wanted) => ChangeVisibility::Yes,
            PodChange::Bind { .. } | PodChange::Nominate(_) if ended || node.is_some() => ChangeVisibility::Never,
            PodChange::Nominate(wanted) if seen.declared.nominated == *wanted => ChangeVisibility::Yes,
            PodChange::Evict { deleted: Some(_), .. } if ended || seen.record.terminating => ChangeVisibility::Yes,
            PodChange::Evict { deleted: None, .. } if ended => ChangeVisibility::Yes,
            _ => ChangeVisibility::No,
        })
    }

    /// Returns the pods with assumed changes that the cluster has shown again since the last call.
    pub fn drain_reobserved(&mut self) -> BTreeSet<PodId> {
        std::mem::take(&mut self.assumed.reobserved)
    }

    /// Returns the node that the pod is bound to in the cluster, without the assumed changes. `None`: the cluster shows no node.
    pub(super) fn observed_node(&self, pod: PodId) -> Option<&String> {
        self.observed_pod(pod)?.declared.node.as_ref()
    }

    /// Returns whether the cluster shows that a pod is nominated, without the assumed changes.
    pub fn shows_nominated(&self, pod: PodId) -> bool {
        self.observed_pod(pod).is_some_and(|entry| entry.declared.nominated.is_some())
    }

    pub(super) fn observed_pod(&self, pod: PodId) -> Option<&PodEntry> {
        let assumed = self.assumed.by_pod.get(&pod).map(|assumed| &assumed.observed);
        assumed.or_else(|| self.pods.get(pod))
    }

    /// Stores a pod as the cluster shows it now. Assumed changes of the pod stay assumed.
    pub(super) fn observe(&mut self, pod: PodId, entry: PodEntry) {
        match self.assumed.by_pod.remove(&pod) {
            None => self.set_pod(pod, entry),
            Some(mut assumed) => {
                self.assumed.reobserved.insert(pod);
                assumed.json = self.json_of(&entry);
                assumed.observed = entry;
                self.overlay(pod, assumed);
            }
        }
    }

    fn take_assumed(&mut self, pod: PodId) -> Option<Assumed> {
        if let Some(assumed) = self.assumed.by_pod.remove(&pod) {
            return Some(assumed);
        }
        let seen = self.pods.get(pod)?.clone();
        Some(Assumed { json: self.json_of(&seen), observed: seen, changes: Vec::new() })
    }

    fn json_of(&self, entry: &PodEntry) -> Option<Value> {
        self.objects.json(&self.object_key(&entry.record)?).cloned()
    }

    fn commit_change(&mut self, assumed: &mut Assumed, change: &PodChange) {
        if matches!(change, PodChange::Evict { deleted: Some(_), .. }) {
            self.spend_budgets(&assumed.observed);
        }
        self.change_entry(&mut assumed.observed, change);
        if let Some(json) = &mut assumed.json {
            self.change_json(json, &assumed.observed.record, change);
        }
    }

    /// Sets the pod to the state that the cluster shows, with all assumed changes laid over it.
    fn overlay(&mut self, pod: PodId, assumed: Assumed) {
        let (mut entry, mut json) = (assumed.observed.clone(), assumed.json.clone());
        entry.resolve_nodes(&self.nodes);
        entry.resolve_priority(&self.preemption.classes);
        entry.resolve_scheduler(self.scope.schedulers.as_ref());
        entry.resolve_protection(&self.scope.rails);
        self.mark_volumes_stale(&entry);
        for (_, change) in &assumed.changes {
            self.change_entry(&mut entry, change);
            if let Some(json) = &mut json {
                self.change_json(json, &entry.record, change);
            }
        }
        if let Some((key, json)) = self.object_key(&entry.record).zip(json) {
            self.objects.replace(&key, &json);
        }
        self.set_pod(pod, entry);
        if !assumed.changes.is_empty() {
            self.assumed.by_pod.insert(pod, assumed);
        }
    }
}
