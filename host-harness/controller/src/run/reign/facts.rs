//! The changes of the cluster, as facts for the session.

use std::sync::Arc;

use lictor_host::cluster::KubernetesObject;

use crate::decide::SessionFact;
use crate::decide::stopping::ObjectDeletions;
use crate::run::listener::LoopObserver;
use crate::watch::store::{ObjectChange, VisibleObject};

/// The changes before the session began; then those that the session must still receive.
pub(super) struct PendingChanges {
    changes: Vec<ObjectChange>,
    /// The name of the cluster in findings about its objects.
    file: Arc<str>,
}

impl PendingChanges {
    pub(super) fn new() -> PendingChanges {
        PendingChanges { changes: Vec::new(), file: Arc::from("the cluster") }
    }

    pub(super) fn push(&mut self, change: ObjectChange) {
        self.changes.push(change);
    }

    /// Returns the objects that are being deleted by these changes.
    pub(super) fn deletions(&self, now: i64) -> ObjectDeletions {
        let mut deletions = ObjectDeletions::default();
        self.changes.iter().for_each(|change| deletions.observe(change, now));
        deletions
    }

    /// Takes the changes, as facts for the session. An object that cannot be read is reported.
    pub(super) fn take_facts(&mut self, observer: &mut impl LoopObserver) -> Vec<SessionFact> {
        let changes = std::mem::take(&mut self.changes).into_iter();
        changes.filter_map(|change| self.fact(change, observer)).collect()
    }

    fn fact(&self, change: ObjectChange, observer: &mut impl LoopObserver) -> Option<SessionFact> {
        match change {
            ObjectChange::Marked(..) => None,
            ObjectChange::Deleted(key) => Some(SessionFact::Deleted(key)),
            ObjectChange::Upserted(VisibleObject { key, object, .. }) => {
                match KubernetesObject::from_json(object, &self.file) {
                    Ok(object) => Some(SessionFact::Upserted(Box::new(object))),
                    Err(mistake) => {
                        observer.object_invalid(&key, &mistake);
                        None
                    }
                }
            }
        }
    }
}
