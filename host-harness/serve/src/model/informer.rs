//! The informers of kube-scheduler: the content of their stores, and the events that their listeners have not received yet.
//!
//! The store of a kind changes first. The plugin's feed and kube-scheduler receive the change afterwards, each at its own pace.

use std::collections::{BTreeMap, VecDeque};

use super::world::{Object, SimulatedApiServer, StoreChange, has_ended, name_of};

/// An event of a listener.
#[derive(Debug, Clone)]
pub(super) enum InformerEvent {
    Added(Object),
    Updated(Object, Object),
    /// An object is gone; true: it was missing in a list (`DeletedFinalStateUnknown`).
    Deleted(Object, bool),
}

/// The listeners of the informers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InformerListener {
    /// The plugin's feed (`feed.go`).
    Feed,
    /// kube-scheduler, which receives pods and nodes alone (`eventhandlers.go`).
    Scheduler,
}

/// The informers, by kind.
#[derive(Debug, Default)]
pub(super) struct Informers {
    stores: BTreeMap<String, BTreeMap<String, Object>>,
    /// The events that are still to be received, by listener and kind.
    pub(super) events: BTreeMap<(InformerListener, String), VecDeque<InformerEvent>>,
}

impl Informers {
    /// Returns an object as the store has it.
    pub(super) fn get(&self, kind: &str, name: &str) -> Option<&Object> {
        self.stores.get(kind)?.get(name)
    }

    /// Returns a pod as the store has it.
    pub(super) fn pod(&self, name: &str) -> Option<&Object> {
        self.get("Pod", name)
    }

    /// Takes the next `count` changes of the watch of a kind.
    pub(super) fn watch(&mut self, world: &mut SimulatedApiServer, kind: &str, count: usize) {
        let Some(said) = world.watches.get_mut(kind) else { return };
        let count = count.min(said.len());
        for change in said.drain(..count) {
            match change {
                StoreChange::Upserted(object) => self.put(kind, object),
                StoreChange::Deleted(object) => self.take(kind, &name_of(&object), false),
            }
        }
    }

    /// Lists a kind anew: events of its watch that have not arrived are lost. Objects that exist are reported as updated.
    pub(super) fn list(&mut self, world: &mut SimulatedApiServer, kind: &str) {
        world.watches.remove(kind);
        let there = world.all(kind).filter(|object| !has_ended(object));
        let all: BTreeMap<String, Object> = there.map(|object| (name_of(object), object.clone())).collect();
        let known = self.stores.get(kind).into_iter().flatten();
        let gone: Vec<String> = known.map(|(name, _)| name.clone()).filter(|name| !all.contains_key(name)).collect();
        for object in all.into_values() {
            self.put(kind, object);
        }
        for name in gone {
            self.take(kind, &name, true);
        }
    }

    fn put(&mut self, kind: &str, object: Object) {
        let store = self.stores.entry(kind.to_owned()).or_default();
        let note = match store.insert(name_of(&object), object.clone()) {
            Some(before) => InformerEvent::Updated(before, object),
            None => InformerEvent::Added(object),
        };
        self.notify(kind, note);
    }

    fn take(&mut self, kind: &str, name: &str, was_missing: bool) {
        if let Some(object) = self.stores.get_mut(kind).and_then(|store| store.remove(name)) {
            self.notify(kind, InformerEvent::Deleted(object, was_missing));
        }
    }

    fn notify(&mut self, kind: &str, note: InformerEvent) {
        if matches!(kind, "Pod" | "Node") {
            self.events.entry((InformerListener::Scheduler, kind.to_owned())).or_default().push_back(note.clone());
        }
        self.events.entry((InformerListener::Feed, kind.to_owned())).or_default().push_back(note);
    }

    /// Takes the next event of a kind for a listener. `None`: no event waits.
    pub(super) fn next(&mut self, listener: InformerListener, kind: &str) -> Option<InformerEvent> {
        self.events.get_mut(&(listener, kind.to_owned()))?.pop_front()
    }

    /// Returns whether an event is still to be received.
    pub(super) fn is_quiet(&self) -> bool {
        self.events.values().all(VecDeque::is_empty)
    }
}
