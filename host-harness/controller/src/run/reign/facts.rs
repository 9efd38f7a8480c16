//! The changes of the cluster, as facts for the session.

use lictor_host::cluster::KubernetesObject;
use serde_json::Value;

use super::LeaderLoop;
use crate::decide::SessionFact;
use crate::run::listener::LoopObserver;
use crate::watch::store::ObjectChange;

impl<L: LoopObserver> LeaderLoop<L> {
    /// Returns the changes as facts for the session.
    pub(super) fn session_facts(&mut self) -> Vec<SessionFact> {
        let mut facts = Vec::new();
        for news in std::mem::take(&mut self.pending_changes) {
            match news {
                ObjectChange::Marked(..) => {}
                ObjectChange::Deleted(key) => facts.push(SessionFact::Deleted(key)),
                ObjectChange::Upserted(shown) => {
                    facts.extend(
                        self.read(&shown.key, shown.object).map(|object| SessionFact::Upserted(Box::new(object))),
                    );
                }
            }
        }
        facts
    }

    fn read(&mut self, key: &str, object: Value) -> Option<KubernetesObject> {
        match KubernetesObject::from_json(object, &self.file) {
            Ok(object) => Some(object),
            Err(mistake) => {
                self.observer.object_invalid(key, &mistake);
                None
            }
        }
    }
}
