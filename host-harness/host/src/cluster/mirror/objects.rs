//! Objects that are kept as JSON because the policy wants to be told of them.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{KindInterest, Object, ObjectKey};
use serde_json::Value;

use super::ledger::Ledger;
use crate::cluster::object::Identity;

/// Group, kind, namespace, name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    group: String,
    kind: String,
    namespace: String,
    name: String,
}

impl Key {
    pub(super) fn of(id: &Identity) -> Key {
        let Identity { group, version: _, kind, namespace, name } = id.clone();
        Key { group, kind, namespace, name }
    }
}

/// The objects.
#[derive(Debug)]
pub(super) struct Objects {
    /// Group and kind of those that are kept.
    kinds: BTreeSet<(String, String)>,
    held: BTreeMap<Key, Held>,
    ledger: Ledger<Key>,
}

#[derive(Debug, PartialEq)]
struct Held {
    version: String,
    json: Value,
}

impl Objects {
    /// Keeps objects of these kinds.
    pub(super) fn new(kinds: &[KindInterest]) -> Objects {
        let kinds = kinds.iter().map(|kind| (kind.group.clone(), kind.kind.clone())).collect();
        Objects { kinds, held: BTreeMap::new(), ledger: Ledger::default() }
    }

    /// Whether objects of this kind are kept.
    pub(super) fn wants(&self, group: &str, kind: &str) -> bool {
        self.kinds.contains(&(group.to_owned(), kind.to_owned()))
    }

    /// Creates or replaces an object.
    pub(super) fn set(&mut self, id: &Identity, json: Value) {
        let (key, held) = (Key::of(id), Held { version: id.version.clone(), json });
        if self.held.get(&key) != Some(&held) {
            self.ledger.changed(key.clone());
            self.held.insert(key, held);
        }
    }

    /// The JSON of the object of this kind and name, of whatever group.
    pub(super) fn json(&self, kind: &str, name: &str) -> Option<&Value> {
        let key = self.keys(kind, "", name).into_iter().next()?;
        self.held.get(&key).map(|held| &held.json)
    }

    /// Sets the JSON of the objects of this kind and name, of whatever group.
    pub(super) fn replace(&mut self, kind: &str, name: &str, json: &Value) {
        for key in self.keys(kind, "", name) {
            if let Some(held) = self.held.get_mut(&key).filter(|held| held.json != *json) {
                held.json = json.clone();
                self.ledger.changed(key);
            }
        }
    }

    /// Removes the objects of this kind and name, of whatever group; false where there is none.
    pub(super) fn remove(&mut self, kind: &str, namespace: &str, name: &str) -> bool {
        let keys = self.keys(kind, namespace, name);
        for key in &keys {
            self.held.remove(key);
            self.ledger.gone(key.clone());
        }
        !keys.is_empty()
    }

    /// Whether there is an object of this kind and name, of whatever group.
    pub(super) fn contains(&self, kind: &str, namespace: &str, name: &str) -> bool {
        !self.keys(kind, namespace, name).is_empty()
    }

    /// Objects that are gone since the last call.
    pub(super) fn drain_gone(&mut self) -> Vec<ObjectKey> {
        let key = |Key { group, kind, namespace, name }| ObjectKey { group, kind, namespace, name };
        self.ledger.drain_gone().into_iter().map(key).collect()
    }

    /// Objects that are new or have changed since the last call.
    pub(super) fn drain_changed(&mut self) -> Vec<Object> {
        let changed = self.ledger.drain_changed();
        changed.iter().filter_map(|key| Some(told(key, self.held.get(key)?))).collect()
    }

    /// All objects.
    pub(super) fn all(&self) -> impl Iterator<Item = Object> {
        self.held.iter().map(|(key, held)| told(key, held))
    }

    fn keys(&self, kind: &str, namespace: &str, name: &str) -> Vec<Key> {
        let of_kind = self.kinds.iter().filter(|(_, known)| known == kind);
        let key = |(group, kind): &(String, String)| Key {
            group: group.clone(),
            kind: kind.clone(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        of_kind.map(key).filter(|key| self.held.contains_key(key)).collect()
    }
}

fn told(key: &Key, held: &Held) -> Object {
    let Key { group, kind, namespace, name } = key.clone();
    Object { group, version: held.version.clone(), kind, namespace, name, json: held.json.to_string() }
}
