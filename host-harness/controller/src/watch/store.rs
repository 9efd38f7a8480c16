//! The changes among the objects that watches deliver.
//!
//! Watches repeat themselves: after a restart they list everything, and what we write comes back. An object is a change when the session would see it
//! differently; it is gone when a list does not name it any more.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use lictor_contract::PlacedKind;
use serde_json::Value;

use super::{GroupKind, WatchMessage};
use crate::carry_out::placed;
use crate::mark::StandingMark;
use crate::view::{self, AdmissionState, ManagedPods, text};

/// The number of deleted objects that are remembered: an answer to a request that was overtaken by the deletion does not bring them back.
const REMEMBERED: usize = 10_000;

/// A change that the session must receive.
#[derive(Debug, Clone)]
pub enum ObjectChange {
    /// An object that is new, or looks different.
    Upserted(VisibleObject),
    /// A pod, `namespace/name`, with another mark than before. The session does not see marks.
    Marked(String, StandingMark),
    /// An object that is gone, named as [`SessionInput::Removed`](lictor_host::session::SessionInput::Removed) wants it.
    Deleted(String),
}

/// An object that is new, or looks different.
#[derive(Debug, Clone)]
pub struct VisibleObject {
    /// The name of the object as in [`ObjectChange::Deleted`].
    pub key: String,
    /// The object, as the session is to see it.
    pub object: Value,
    /// The relation of the object to this controller, where it is a pod.
    pub admission_state: AdmissionState,
    /// The object as the API server has it, where it is a pod that we hold or have let go.
    pub raw: Option<Arc<Value>>,
}

/// The known objects of the cluster.
#[derive(Debug)]
pub struct ObjectCache {
    managed_pods: ManagedPods,
    placed: BTreeMap<GroupKind, PlacedKind>,
    kinds: BTreeMap<GroupKind, KindCache>,
    /// The pods that were let go, by the nodes that they were let go for: whether that node exists decides how the session sees them.
    admitted: BTreeSet<(String, String)>,
    deleted: VecDeque<String>,
    deleted_uids: BTreeSet<String>,
    /// Makes the digests of objects, by a key of this process, so that no client can make two objects of one digest, of which the second would be no news.
    digests: RandomState,
}

/// The objects of a kind.
#[derive(Debug, Default)]
struct KindCache {
    /// Whether the kind was listed once, or is absent.
    complete: bool,
    /// The names in the list so far. `None`: no list is under way.
    listing: Option<BTreeSet<String>>,
    objects: BTreeMap<String, CachedObject>,
}

/// A known object.
#[derive(Debug)]
struct CachedObject {
    uid: String,
    version: u64,
    /// A digest of the object as the session received it.
    digest: u64,
    raw: Option<Arc<Value>>,
    /// The mark of a pod. `None`: the pod has none.
    mark: Option<Box<StandingMark>>,
}

impl ObjectCache {
    /// Makes an empty store for these kinds, and for `placed`, the kinds whose objects are placed like pods.
    pub fn new(ours: ManagedPods, kinds: impl IntoIterator<Item = GroupKind>, placed: &[PlacedKind]) -> ObjectCache {
        let kinds = kinds.into_iter().map(|kind| (kind, KindCache::default())).collect();
        let placed = placed.iter().map(|kind| (GroupKind::new(&kind.group, &kind.kind), kind.clone())).collect();
        ObjectCache {
            managed_pods: ours,
            placed,
            kinds,
            admitted: BTreeSet::new(),
            deleted: VecDeque::new(),
            deleted_uids: BTreeSet::new(),
            digests: RandomState::new(),
        }
    }

    /// Returns whether every kind was listed, or is absent.
    pub fn is_complete(&self) -> bool {
        self.kinds.values().all(|known| known.complete)
    }

    /// Returns the kinds that were not listed yet.
    pub fn missing(&self) -> impl Iterator<Item = &GroupKind> {
        self.kinds.iter().filter(|(_, known)| !known.complete).map(|(kind, _)| kind)
    }

    /// Returns a kind whose objects are placed like pods, by its name without its group.
    pub fn placed(&self, kind: &str) -> Option<(&GroupKind, &PlacedKind)> {
        self.placed.iter().find(|(known, _)| known.kind == kind)
    }

    /// Returns a pod that we hold or have let go, as the cluster has it. `None`: the pod is not known, or is another one.
    pub fn raw(&self, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let pods = self.kinds.get(&GroupKind::new("", "Pod"))?;
        pods.objects.get(&format!("{namespace}/{name}"))?.raw.clone()
    }

    /// Takes a message of a watch. Returns the changes.
    pub fn take(&mut self, kind: &GroupKind, seen: WatchMessage) -> Vec<ObjectChange> {
        match seen {
            WatchMessage::ListStarted => {
                self.kinds.entry(kind.clone()).or_default().listing = Some(BTreeSet::new());
                Vec::new()
            }
            WatchMessage::Upserted(object) => self.upsert(kind, object),
            WatchMessage::Unreadable(_) => Vec::new(),
            WatchMessage::Deleted(object) => {
                let name = name_of(&object);
                let known = self.kinds.get(kind).and_then(|known| known.objects.get(&name));
                let is_it = known.is_some_and(|entry| entry.uid == text(&object, "/metadata/uid"));
                if is_it { self.remove(kind, &name) } else { Vec::new() }
            }
            WatchMessage::ListCompleted => {
                let Some(known) = self.kinds.get_mut(kind) else { return Vec::new() };
                known.complete = true;
                let Some(named) = known.listing.take() else { return Vec::new() };
                let lost: Vec<String> = known.objects.keys().filter(|name| !named.contains(*name)).cloned().collect();
                lost.iter().flat_map(|name| self.remove(kind, name)).collect()
            }
            WatchMessage::KindMissing => {
                let Some(known) = self.kinds.get_mut(kind) else { return Vec::new() };
                (known.complete, known.listing) = (true, None);
                let all: Vec<String> = known.objects.keys().cloned().collect();
                // The objects may exist when the kind is served again.
                all.iter().flat_map(|name| self.forget(kind, name)).collect()
            }
        }
    }

    fn upsert(&mut self, kind: &GroupKind, mut object: Value) -> Vec<ObjectChange> {
        let (name, uid) = (name_of(&object), text(&object, "/metadata/uid").to_owned());
        let version = text(&object, "/metadata/resourceVersion").parse().unwrap_or(0);
        // The field is half of an object, and nothing reads it.
        object.pointer_mut("/metadata").and_then(Value::as_object_mut).map(|metadata| metadata.remove("managedFields"));
        let key = self.key(kind, &name);
        let known = self.kinds.entry(kind.clone()).or_default();
        if let Some(named) = &mut known.listing {
            named.insert(name.clone());
        }
        let before = known.objects.get(&name).filter(|before| before.uid == uid);
        let is_late = before.is_some_and(|before| version != 0 && version <= before.version);
        if is_late || self.deleted_uids.contains(&uid) {
            return Vec::new();
        }
        let is_new = !known.objects.contains_key(&name);
        let mark = mark_of(kind, &object);
        let marked = known.objects.get(&name).and_then(|known| known.mark.as_ref()) != mark.as_ref();
        let marked = marked.then(|| ObjectChange::Marked(name.clone(), mark.as_deref().cloned().unwrap_or_default()));
        let before = before.map(|before| before.digest);
        let whole = (*kind == GroupKind::new("", "Pod")).then(|| object.clone());
        let standing = view::normalize(&mut object, &self.managed_pods, has_node(&self.kinds));
        if let Some(placed) = self.placed.get(kind) {
            placed::normalize_nomination(&mut object, placed);
        }
        let raw = whole.filter(|_| matches!(standing, AdmissionState::Gated | AdmissionState::Admitted)).map(Arc::new);
        let shown = self.digests.hash_one(&object);
        let entry = CachedObject { uid, version, digest: shown, raw: raw.clone(), mark };
        let old = self.kinds.get_mut(kind).and_then(|known| known.objects.insert(name.clone(), entry));
        self.index(
            &name,
            old.and_then(|old| old.raw).as_deref(),
            raw.as_deref().filter(|_| standing == AdmissionState::Admitted),
        );
        let is_news = before != Some(shown);
        let news =
            is_news.then_some(ObjectChange::Upserted(VisibleObject { key, object, admission_state: standing, raw }));
        let others = if is_new && *kind == node_kind() { self.admitted_to(&name) } else { Vec::new() };
        marked.into_iter().chain(news).chain(others).collect()
    }

    /// Takes note of the node that a pod was let go for, instead of the one before.
    fn index(&mut self, name: &str, before: Option<&Value>, after: Option<&Value>) {
        let place = |pod: &Value| view::pinned_to(pod).map(|node| (node.to_owned(), name.to_owned()));
        if let Some(place) = before.and_then(place) {
            self.admitted.remove(&place);
        }
        self.admitted.extend(after.and_then(place));
    }

    /// Returns the pods that were let go for a node, as they look now that the node exists or is gone.
    fn admitted_to(&mut self, node: &str) -> Vec<ObjectChange> {
        let pods = GroupKind::new("", "Pod");
        let first = (node.to_owned(), String::new());
        let names: Vec<String> =
            self.admitted.range(first..).take_while(|(of, _)| of == node).map(|(_, name)| name.clone()).collect();
        let mut news = Vec::new();
        for name in names {
            let key = self.key(&pods, &name);
            let raw =
                self.kinds.get(&pods).and_then(|known| known.objects.get(&name)).and_then(|entry| entry.raw.clone());
            let Some(raw) = raw else { continue };
            let mut object = Value::clone(&raw);
            let standing = view::normalize(&mut object, &self.managed_pods, has_node(&self.kinds));
            let shown = self.digests.hash_one(&object);
            let entry = self.kinds.get_mut(&pods).and_then(|known| known.objects.get_mut(&name));
            if entry.is_some_and(|entry| std::mem::replace(&mut entry.digest, shown) != shown) {
                news.push(ObjectChange::Upserted(VisibleObject {
                    key,
                    object,
                    admission_state: standing,
                    raw: Some(raw),
                }));
            }
        }
        news
    }

    /// Removes an object that is gone for good.
    fn remove(&mut self, kind: &GroupKind, name: &str) -> Vec<ObjectChange> {
        let uid = self.kinds.get(kind).and_then(|known| known.objects.get(name)).map(|entry| entry.uid.clone());
        if let Some(uid) = uid.filter(|uid| !uid.is_empty() && self.deleted_uids.insert(uid.clone())) {
            self.deleted.push_back(uid);
        }
        if self.deleted.len() > REMEMBERED
            && let Some(uid) = self.deleted.pop_front()
        {
            self.deleted_uids.remove(&uid);
        }
        self.forget(kind, name)
    }

    /// Removes an object.
    fn forget(&mut self, kind: &GroupKind, name: &str) -> Vec<ObjectChange> {
        let entry = self.kinds.get_mut(kind).and_then(|known| known.objects.remove(name));
        let Some(entry) = entry else { return Vec::new() };
        self.index(name, entry.raw.as_deref(), None);
        let others = if *kind == node_kind() { self.admitted_to(name) } else { Vec::new() };
        [ObjectChange::Deleted(self.key(kind, name))].into_iter().chain(others).collect()
    }

    /// Returns the key of an object for the session. An object that is placed like a pod has its kind alone; for other kinds the group tells kinds of
    /// one name apart.
    fn key(&self, kind: &GroupKind, name: &str) -> String {
        match self.placed.contains_key(kind) {
            true => format!("{}/{name}", kind.kind),
            false => format!("{kind}/{name}"),
        }
    }
}

fn node_kind() -> GroupKind {
    GroupKind::new("", "Node")
}

/// Returns a function that says whether a node of a name exists. Where nodes are not watched, every node counts as existing.
fn has_node(kinds: &BTreeMap<GroupKind, KindCache>) -> impl Fn(&str) -> bool {
    let nodes = kinds.get(&node_kind());
    move |name| nodes.is_none_or(|nodes| nodes.objects.contains_key(name))
}

/// Returns the name of an object: `namespace/name`, or `name` where it has no namespace.
fn name_of(object: &Value) -> String {
    let (namespace, name) = (text(object, "/metadata/namespace"), text(object, "/metadata/name"));
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
}

/// Returns the mark of a pod; `None` for a pod without one, and for other kinds.
fn mark_of(kind: &GroupKind, object: &Value) -> Option<Box<StandingMark>> {
    let mark = (*kind == GroupKind::new("", "Pod")).then(|| StandingMark::read(object));
    mark.filter(|mark| *mark != StandingMark::default()).map(Box::new)
}
