//! The pods, and what is placed like one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use lictor_contract::{Amount, Event, Phase, Pod, PodId, PodTemplate, ResourceId};

use super::ledger::ChangeSet;
use super::shared::ValueInterner;
use crate::cluster::inter_pod::PodDemands;
use crate::cluster::object::SourceLocation;
use crate::cluster::volumes::{ClaimKey, PodVolumes};

/// How many names of removed pods are kept, for messages about these pods. Far fewer pods are removed within a cycle.
const MAX_REMOVED_NAMES: usize = 1 << 14;

/// The pods. A number is never used again.
#[derive(Debug, Default)]
pub(super) struct PodTable {
    ids: BTreeMap<Arc<str>, PodId>,
    /// The names by number, including those of the pods that were removed last.
    names: BTreeMap<PodId, Arc<str>>,
    /// The removed pods whose names are kept, in the order of removal.
    removed: VecDeque<PodId>,
    /// The next number.
    next: PodId,
    entries: BTreeMap<PodId, Box<PodEntry>>,
    templates: ValueInterner<PodTemplate>,
    /// The pods that name a node, by its name, whether or not the node exists.
    by_node: BTreeMap<String, BTreeSet<PodId>>,
    /// The pods that take a value from their priority class. The empty name stands for the global default class.
    by_class: BTreeMap<String, BTreeSet<PodId>>,
    /// The pods that use a claim, and the claims that several use.
    by_claim: BTreeMap<ClaimKey, BTreeSet<PodId>>,
    shared_claims: BTreeSet<ClaimKey>,
    ledger: ChangeSet<PodId>,
    /// The changed pods that the policy must receive whole.
    whole: BTreeSet<PodId>,
}

/// A pod.
#[derive(Debug, Clone)]
pub(super) struct PodEntry {
    /// The pod in the form that the policy receives.
    pub(super) record: Pod,
    pub(super) declared: DeclaredFields,
    pub(super) location: SourceLocation,
}

/// The fields of the object that the record combines with other objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeclaredFields {
    pub(super) node: Option<String>,
    pub(super) nominated: Option<String>,
    pub(super) required: Option<String>,
    pub(super) priority: Option<i32>,
    pub(super) never_preempts: Option<bool>,
    pub(super) phase: Phase,
    pub(super) ready: bool,
    pub(super) gates: Vec<String>,
    /// The requests of the pod itself, without those that stand for its volumes.
    pub(super) requests: Vec<Amount>,
    pub(super) volumes: PodVolumes,
    /// All labels of the pod, because a later selector may use any of them.
    pub(super) labels: Arc<BTreeMap<String, String>>,
    /// The demands of the pod on other pods.
    pub(super) demands: Option<Arc<PodDemands>>,
}

impl PodEntry {
    fn nodes(&self) -> impl Iterator<Item = &String> {
        [&self.declared.node, &self.declared.nominated, &self.declared.required].into_iter().flatten()
    }

    /// Returns the resources that the pod requests, on its own and with its volumes.
    pub(super) fn resources(&self) -> impl Iterator<Item = ResourceId> {
        self.declared.requests.iter().chain(&self.record.template.requests).map(|amount| amount.resource)
    }

    /// Returns the claims that the pod uses.
    fn claims(&self) -> impl Iterator<Item = ClaimKey> {
        let namespace = &self.record.template.namespace;
        self.declared.volumes.claims.iter().map(|claim| (namespace.clone(), claim.clone()))
    }

    /// Returns the class that decides the values that the pod leaves open. The empty name stands for the global default class. `None`: the pod leaves
    /// nothing open. A pod with a priority but no class takes nothing from the default class.
    pub(super) fn class(&self) -> Option<&String> {
        let class = &self.record.template.priority_class;
        let open = self.declared.priority.is_none() || self.declared.never_preempts.is_none() && !class.is_empty();
        open.then_some(class)
    }
}

impl PodTable {
    /// Returns the number of the pod of this name. `None`: the pod does not exist.
    pub(super) fn id(&self, name: &str) -> Option<PodId> {
        self.ids.get(name).copied()
    }

    /// Returns the name of a pod, also of one of the last [`MAX_REMOVED_NAMES`] removed pods.
    pub(super) fn name(&self, id: PodId) -> Option<&str> {
        self.names.get(&id).map(|name| &**name)
    }

    /// Returns a new number for a pod of this name.
    pub(super) fn number(&mut self, name: &str) -> PodId {
        let id = self.next;
        self.next = self.next.saturating_add(1);
        let name: Arc<str> = Arc::from(name);
        self.names.insert(id, name.clone());
        self.ids.insert(name, id);
        id
    }

    pub(super) fn get(&self, id: PodId) -> Option<&PodEntry> {
        self.entries.get(&id).map(|entry| &**entry)
    }

    fn set(&mut self, id: PodId, mut entry: PodEntry) {
        let old = self.take(id).map(|old| old.record.template);
        if !old.is_some_and(|old| Arc::ptr_eq(&old, &entry.record.template)) {
            entry.record.template = self.templates.intern(entry.record.template);
        }
        for node in entry.nodes() {
            link(&mut self.by_node, node, id);
        }
        if let Some(class) = entry.class() {
            link(&mut self.by_class, class, id);
        }
        for key in entry.claims() {
            let users = self.by_claim.entry(key.clone()).or_default();
            users.insert(id);
            if users.len() > 1 {
                self.shared_claims.insert(key);
            }
        }
        self.entries.insert(id, Box::new(entry));
    }

    /// Sets a pod, and records the change where the record differs.
    pub(super) fn replace(&mut self, id: PodId, entry: PodEntry) {
        let old = self.get(id).map(|old| &old.record);
        if old != Some(&entry.record) {
            if old.is_none_or(|old| !is_status_change(old, &entry.record)) {
                self.whole.insert(id);
            }
            self.ledger.record_changed(id);
        }
        self.set(id, entry);
    }

    /// Returns the events of the pods that are gone since the last call.
    pub(super) fn drain_removed(&mut self) -> impl Iterator<Item = Event> + use<> {
        self.ledger.drain_removed().into_iter().map(Event::PodRemoved)
    }

    /// Returns the events of the pods that are new or have changed since the last call, ordered by number.
    pub(super) fn drain_changed(&mut self) -> Vec<Event> {
        let whole = std::mem::take(&mut self.whole);
        let changed = self.ledger.drain_changed();
        let records = changed.into_iter().filter_map(|id| self.get(id)).map(|entry| &entry.record);
        let event = |record: &Pod| match whole.contains(&record.id) {
            true => Event::PodUpserted(record.clone()),
            false => Event::PodStatus(record.status()),
        };
        records.map(event).collect()
    }

    /// Changes a pod.
    pub(super) fn change(&mut self, id: PodId, change: impl FnOnce(&mut PodEntry)) {
        let Some(mut entry) = self.get(id).cloned() else { return };
        change(&mut entry);
        self.replace(id, entry);
    }

    /// Removes a pod. Its number is never used again.
    pub(super) fn remove(&mut self, id: PodId) -> Option<PodEntry> {
        let entry = self.take(id)?;
        if let Some(name) = self.names.get(&id) {
            self.ids.remove(name);
        }
        self.removed.push_back(id);
        if self.removed.len() > MAX_REMOVED_NAMES
            && let Some(oldest) = self.removed.pop_front()
        {
            self.names.remove(&oldest);
        }
        self.whole.remove(&id);
        self.ledger.record_removed(id);
        Some(entry)
    }

    /// Returns the pods that name this node as theirs, as nominated or as required.
    pub(super) fn of_node(&self, name: &str) -> Vec<PodId> {
        self.by_node.get(name).into_iter().flatten().copied().collect()
    }

    /// Returns the pods that take a value from this priority class.
    pub(super) fn of_class(&self, name: &str) -> Vec<PodId> {
        self.by_class.get(name).into_iter().flatten().copied().collect()
    }

    /// Returns the pods that use this claim, ordered by number.
    pub(super) fn users(&self, claim: &ClaimKey) -> impl Iterator<Item = PodId> {
        self.by_claim.get(claim).into_iter().flatten().copied()
    }

    /// Returns the claims that several pods use.
    pub(super) fn shared_claims(&self) -> impl Iterator<Item = &ClaimKey> {
        self.shared_claims.iter()
    }

    /// Returns all pods, ordered by number.
    pub(super) fn all(&self) -> impl Iterator<Item = &PodEntry> {
        self.entries.values().map(|entry| &**entry)
    }

    /// Returns the pods from this number on.
    pub(super) fn from(&self, first: PodId) -> impl Iterator<Item = &PodEntry> {
        self.entries.range(first..).map(|(_, entry)| &**entry)
    }

    fn take(&mut self, id: PodId) -> Option<PodEntry> {
        let entry = *self.entries.remove(&id)?;
        for node in entry.nodes() {
            unlink(&mut self.by_node, node, id);
        }
        if let Some(class) = entry.class() {
            unlink(&mut self.by_class, class, id);
        }
        for key in entry.claims() {
            let Some(users) = self.by_claim.get_mut(&key) else { continue };
            users.remove(&id);
            let (is_shared, is_used) = (users.len() > 1, !users.is_empty());
            if !is_shared {
                self.shared_claims.remove(&key);
            }
            if !is_used {
                self.by_claim.remove(&key);
            }
        }
        Some(entry)
    }
}

/// Returns whether only the status of a pod has changed, and the pod has not lost its node.
fn is_status_change(old: &Pod, new: &Pod) -> bool {
    let mut same = old.clone();
    same.set_status(&new.status());
    same == *new && (old.node.is_none() || new.node.is_some())
}

fn link(index: &mut BTreeMap<String, BTreeSet<PodId>>, key: &str, id: PodId) {
    if let Some(ids) = index.get_mut(key) {
        ids.insert(id);
    } else {
        index.insert(key.to_owned(), BTreeSet::from([id]));
    }
}

fn unlink(index: &mut BTreeMap<String, BTreeSet<PodId>>, key: &str, id: PodId) {
    if let Some(ids) = index.get_mut(key) {
        ids.remove(&id);
        if ids.is_empty() {
            index.remove(key);
        }
    }
}
