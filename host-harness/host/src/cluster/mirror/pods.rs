//! The pods, and what is placed like one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use lictor_contract::{Amount, Event, Phase, Pod, PodId, PodTemplate};

use super::ledger::Ledger;
use super::shared::Shared;
use crate::cluster::inter_pod::Demands;
use crate::cluster::object::Place;
use crate::cluster::volumes::{ClaimKey, PodVolumes};

/// Pods that are gone and whose names are still known, for what is said of them: far more than leave within a cycle.
const GONE_NAMES: usize = 1 << 14;

/// The pods. A number is never used again.
#[derive(Debug, Default)]
pub(super) struct Pods {
    ids: BTreeMap<Arc<str>, PodId>,
    /// The names of the numbers, also of the pods that were removed last.
    names: BTreeMap<PodId, Arc<str>>,
    /// The pods that were removed last and whose names are known, in this order.
    gone: VecDeque<PodId>,
    /// The next number.
    next: PodId,
    entries: BTreeMap<PodId, Box<PodEntry>>,
    templates: Shared<PodTemplate>,
    /// Pods that name a node, whether or not there is one of that name.
    by_node: BTreeMap<String, BTreeSet<PodId>>,
    /// Pods that leave something to their priority class; under the empty name those that leave it to the default one.
    by_class: BTreeMap<String, BTreeSet<PodId>>,
    /// The pods that use a claim, and the claims that several use.
    by_claim: BTreeMap<ClaimKey, BTreeSet<PodId>>,
    shared_claims: BTreeSet<ClaimKey>,
    ledger: Ledger<PodId>,
    /// The pods among those that have changed that must be told whole.
    whole: BTreeSet<PodId>,
}

/// A pod.
#[derive(Debug, Clone)]
pub(super) struct PodEntry {
    /// As the policy is told of it.
    pub(super) record: Pod,
    pub(super) stated: Stated,
    pub(super) place: Place,
}

/// What the object says where the record depends on other objects, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stated {
    pub(super) node: Option<String>,
    pub(super) nominated: Option<String>,
    pub(super) required: Option<String>,
    pub(super) priority: Option<i32>,
    pub(super) never_preempts: Option<bool>,
    pub(super) phase: Phase,
    pub(super) gates: Vec<String>,
    /// What it requests itself, without what stands for its volumes.
    pub(super) requests: Vec<Amount>,
    pub(super) volumes: PodVolumes,
    /// All of its labels: a selector that comes later may ask for any.
    pub(super) labels: Arc<BTreeMap<String, String>>,
    /// What it demands of other pods.
    pub(super) demands: Option<Arc<Demands>>,
}

impl PodEntry {
    fn nodes(&self) -> impl Iterator<Item = &String> {
        [&self.stated.node, &self.stated.nominated, &self.stated.required].into_iter().flatten()
    }

    /// The claims that the pod uses.
    fn claims(&self) -> impl Iterator<Item = ClaimKey> {
        let namespace = &self.record.template.namespace;
        self.stated.volumes.claims.iter().map(|claim| (namespace.clone(), claim.clone()))
    }

    /// The class that decides what the pod leaves open. Who has a priority but no class leaves nothing to the default one.
    pub(super) fn class(&self) -> Option<&String> {
        let class = &self.record.template.priority_class;
        let open = self.stated.priority.is_none() || self.stated.never_preempts.is_none() && !class.is_empty();
        open.then_some(class)
    }
}

impl Pods {
    /// The number of the pod of this name, where there is one.
    pub(super) fn id(&self, name: &str) -> Option<PodId> {
        self.ids.get(name).copied()
    }

    /// Returns the name of a pod, also of one of the last [`GONE_NAMES`] that are gone.
    pub(super) fn name(&self, id: PodId) -> Option<&str> {
        self.names.get(&id).map(|name| &**name)
    }

    /// A number for a pod of this name that is new.
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

    /// Sets a pod, and notes the change where there is one.
    pub(super) fn replace(&mut self, id: PodId, entry: PodEntry) {
        let old = self.get(id).map(|old| &old.record);
        if old != Some(&entry.record) {
            if old.is_none_or(|old| !is_small(old, &entry.record)) {
                self.whole.insert(id);
            }
            self.ledger.changed(id);
        }
        self.set(id, entry);
    }

    /// The events of pods that are gone since the last call.
    pub(super) fn drain_gone(&mut self) -> impl Iterator<Item = Event> + use<> {
        self.ledger.drain_gone().into_iter().map(Event::PodRemoved)
    }

    /// The events of pods that are new or have changed since the last call, by number.
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

    /// Takes a pod away for good.
    pub(super) fn remove(&mut self, id: PodId) -> Option<PodEntry> {
        let entry = self.take(id)?;
        if let Some(name) = self.names.get(&id) {
            self.ids.remove(name);
        }
        self.gone.push_back(id);
        if self.gone.len() > GONE_NAMES
            && let Some(oldest) = self.gone.pop_front()
        {
            self.names.remove(&oldest);
        }
        self.whole.remove(&id);
        self.ledger.gone(id);
        Some(entry)
    }

    /// The pods that name this node.
    pub(super) fn of_node(&self, name: &str) -> Vec<PodId> {
        self.by_node.get(name).into_iter().flatten().copied().collect()
    }

    /// The pods that leave something to this priority class.
    pub(super) fn of_class(&self, name: &str) -> Vec<PodId> {
        self.by_class.get(name).into_iter().flatten().copied().collect()
    }

    /// The pods that use this claim, by number.
    pub(super) fn users(&self, claim: &ClaimKey) -> impl Iterator<Item = PodId> {
        self.by_claim.get(claim).into_iter().flatten().copied()
    }

    /// The claims that several pods use.
    pub(super) fn shared_claims(&self) -> impl Iterator<Item = &ClaimKey> {
        self.shared_claims.iter()
    }

    /// All pods, by number.
    pub(super) fn all(&self) -> impl Iterator<Item = &PodEntry> {
        self.entries.values().map(|entry| &**entry)
    }

    /// The pods from this number on.
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

/// Whether only the status of a pod has changed, and the pod has not lost its node.
fn is_small(old: &Pod, new: &Pod) -> bool {
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
