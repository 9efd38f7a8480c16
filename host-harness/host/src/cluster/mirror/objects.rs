//! Objects that are kept as JSON, because the policy receives them as events.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use lictor_contract::{Interests, Object, ObjectKey};
use serde_json::Value;

use super::ledger::ChangeSet;
use crate::cluster::object::ObjectIdentity;
use crate::cluster::reads::{BUDGET_GROUP, BUDGET_KIND};

/// The key of an object: group, kind, namespace, name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoredObjectKey {
    group: String,
    kind: String,
    namespace: String,
    name: String,
}

impl StoredObjectKey {
    pub(super) fn of(id: &ObjectIdentity) -> StoredObjectKey {
        let ObjectIdentity { group, version: _, kind, namespace, name } = id.clone();
        StoredObjectKey { group, kind, namespace, name }
    }

    pub(super) fn new(group: &str, kind: &str, namespace: &str, name: &str) -> StoredObjectKey {
        let [group, kind, namespace, name] = [group, kind, namespace, name].map(str::to_owned);
        StoredObjectKey { group, kind, namespace, name }
    }
}

/// The parts of an object name: `Kind/namespace/name`, `Kind/name`, or either with `Kind.group`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObjectName<'k> {
    pub(super) kind: &'k str,
    /// The API group. `None`: any group matches.
    group: Option<&'k str>,
    pub(super) namespace: &'k str,
    pub(super) name: &'k str,
}

impl<'k> ObjectName<'k> {
    /// Parses the name of an object. `None`: the text has no `/`.
    pub(super) fn parse(key: &'k str) -> Option<ObjectName<'k>> {
        let (full_kind, rest) = key.split_once('/')?;
        let (kind, group) = full_kind.split_once('.').map_or((full_kind, None), |(kind, group)| (kind, Some(group)));
        let (namespace, name) = rest.split_once('/').unwrap_or(("", rest));
        Some(ObjectName { kind, group, namespace, name })
    }

    /// Returns whether the name is that of a disruption budget.
    pub(super) fn is_budget(&self) -> bool {
        self.kind == BUDGET_KIND && self.group.is_none_or(|group| group == BUDGET_GROUP)
    }
}

/// The objects that are kept as JSON.
#[derive(Debug)]
pub(super) struct StoredObjects {
    /// The group and kind of the objects that are kept.
    kinds: BTreeSet<(String, String)>,
    by_key: BTreeMap<StoredObjectKey, Value>,
    ledger: ChangeSet<StoredObjectKey>,
}

impl StoredObjects {
    /// Keeps objects of the kinds that the policy reads, and of those that it declares to be placed like pods.
    pub(super) fn new(interests: &Interests) -> StoredObjects {
        let read = interests.kinds.iter().map(|kind| (kind.group.clone(), kind.kind.clone()));
        let placed = interests.placed_kinds.iter().map(|kind| (kind.group.clone(), kind.kind.clone()));
        StoredObjects { kinds: read.chain(placed).collect(), by_key: BTreeMap::new(), ledger: ChangeSet::default() }
    }

    /// Returns whether objects of this kind are kept.
    pub(super) fn stores(&self, group: &str, kind: &str) -> bool {
        self.kinds.contains(&(group.to_owned(), kind.to_owned()))
    }

    /// Creates or replaces an object.
    pub(super) fn set(&mut self, id: &ObjectIdentity, json: Value) {
        let key = StoredObjectKey::of(id);
        if self.by_key.get(&key) != Some(&json) {
            self.ledger.record_changed(key.clone());
            self.by_key.insert(key, json);
        }
    }

    /// Returns the JSON of an object. `None`: the object is not kept.
    pub(super) fn json(&self, key: &StoredObjectKey) -> Option<&Value> {
        self.by_key.get(key)
    }

    /// Sets the JSON of an existing object.
    pub(super) fn replace(&mut self, key: &StoredObjectKey, json: &Value) {
        if let Some(held) = self.by_key.get_mut(key).filter(|held| *held != json) {
            *held = json.clone();
            self.ledger.record_changed(key.clone());
        }
    }

    /// Removes the object of this name. Returns `false` where no object or several objects have the name.
    pub(super) fn remove(&mut self, object: &ObjectName<'_>) -> bool {
        match self.keys(object).as_slice() {
            [key] => {
                self.remove_one(key);
                true
            }
            _ => false,
        }
    }

    /// Removes an object.
    pub(super) fn remove_one(&mut self, key: &StoredObjectKey) {
        if self.by_key.remove(key).is_some() {
            self.ledger.record_removed(key.clone());
        }
    }

    /// Returns whether an object of this name is kept.
    pub(super) fn contains(&self, object: &ObjectName<'_>) -> bool {
        !self.keys(object).is_empty()
    }

    /// Returns the keys of the objects of this name, each with its group.
    pub(super) fn full_keys(&self, object: &ObjectName<'_>) -> Vec<String> {
        let full = |StoredObjectKey { group, kind, namespace, name }: StoredObjectKey| match namespace.as_str() {
            "" => format!("{kind}.{group}/{name}"),
            namespace => format!("{kind}.{group}/{namespace}/{name}"),
        };
        self.keys(object).into_iter().map(full).collect()
    }

    /// Returns the keys of the objects that are gone since the last call.
    pub(super) fn drain_removed(&mut self) -> Vec<ObjectKey> {
        let key = |StoredObjectKey { group, kind, namespace, name }| ObjectKey { group, kind, namespace, name };
        self.ledger.drain_removed().into_iter().map(key).collect()
    }

    /// Returns the objects that are new or have changed since the last call.
    pub(super) fn drain_changed(&mut self) -> Vec<Object> {
        let changed = self.ledger.drain_changed();
        changed.iter().filter_map(|key| Some(to_event(key, self.by_key.get(key)?))).collect()
    }

    /// Returns the objects after the one of this group, kind, namespace and name, in the order of keys. `None`: all objects.
    pub(super) fn after(&self, key: Option<&[String; 4]>) -> impl Iterator<Item = Object> {
        let key = key.map(|[group, kind, namespace, name]| StoredObjectKey::new(group, kind, namespace, name));
        let from = key.map_or(Bound::Unbounded, Bound::Excluded);
        self.by_key.range((from, Bound::Unbounded)).map(|(key, held)| to_event(key, held))
    }

    fn keys(&self, object: &ObjectName<'_>) -> Vec<StoredObjectKey> {
        let ObjectName { kind, group, namespace, name } = *object;
        let of_kind = self.kinds.iter().filter(|(_, known)| known == kind);
        let of_kind = of_kind.filter(|(known, _)| group.is_none_or(|group| group == known));
        let key = |(group, kind): &(String, String)| StoredObjectKey {
            group: group.clone(),
            kind: kind.clone(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        of_kind.map(key).filter(|key| self.by_key.contains_key(key)).collect()
    }
}

fn to_event(key: &StoredObjectKey, json: &Value) -> Object {
    let StoredObjectKey { group, kind, namespace, name } = key.clone();
    Object { group, kind, namespace, name, json: json.to_string() }
}
