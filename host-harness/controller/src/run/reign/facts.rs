//! The changes of the cluster, as facts for the session.

use lictor_host::cluster::Object;
use serde_json::Value;

use super::Reign;
use crate::decide::Fact;
use crate::run::listener::Listener;
use crate::watch::store::News;

impl<L: Listener> Reign<L> {
    /// Returns the changes as facts for the session.
    pub(super) fn facts(&mut self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for news in std::mem::take(&mut self.news) {
            match news {
                News::Marked(..) => {}
                News::Gone(key) => facts.push(Fact::Gone(key)),
                News::Shown(shown) => {
                    facts.extend(self.read(&shown.key, shown.object).map(|object| Fact::There(Box::new(object))));
                }
            }
        }
        facts
    }

    fn read(&mut self, key: &str, object: Value) -> Option<Object> {
        match Object::from_json(object, &self.file) {
            Ok(object) => Some(object),
            Err(mistake) => {
                self.listener.unread(key, &mistake);
                None
            }
        }
    }
}
