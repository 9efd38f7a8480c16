//! The objects that the other side sends.

use std::sync::Arc;

use lictor_host::cluster::{InputError, KubernetesObject};
use lictor_host::living::InitialObjects;
use serde_json::Value;

/// The objects that the session has not received yet.
pub(super) struct IncomingObjects {
    /// The objects before all were received. `None`: all objects were received.
    listing: Option<InitialObjects>,
    changed: Vec<KubernetesObject>,
    /// The name of the other side in findings about its objects.
    file: Arc<str>,
}

impl IncomingObjects {
    /// Begins before the first object.
    pub(super) fn new() -> IncomingObjects {
        IncomingObjects {
            listing: Some(InitialObjects::default()),
            changed: Vec::new(),
            file: Arc::from("the scheduler"),
        }
    }

    /// Returns whether objects are still missing: the session decides nothing before.
    pub(super) fn is_listing(&self) -> bool {
        self.listing.is_some()
    }

    /// Reads an object.
    ///
    /// # Errors
    /// It is no valid object.
    pub(super) fn read(&self, object: Value) -> Result<KubernetesObject, InputError> {
        KubernetesObject::from_json(object, &self.file)
    }

    /// Adds an object that is new or has changed.
    pub(super) fn upsert(&mut self, object: KubernetesObject) {
        match &mut self.listing {
            Some(listed) => listed.upsert(object),
            None => self.changed.push(object),
        }
    }

    /// Removes an object from the list. Returns false where the list has ended: the session must receive the removal.
    pub(super) fn remove_from_list(&mut self, key: &str) -> bool {
        self.listing.as_mut().map(|listed| listed.remove(key)).is_some()
    }

    /// Ends the list. Returns its objects; none where the list had ended before.
    pub(super) fn end_list(&mut self) -> Option<Vec<KubernetesObject>> {
        self.listing.take().map(|listed| listed.into_objects().collect())
    }

    /// Takes the objects that have changed since the list.
    pub(super) fn take_changed(&mut self) -> Vec<KubernetesObject> {
        std::mem::take(&mut self.changed)
    }
}
