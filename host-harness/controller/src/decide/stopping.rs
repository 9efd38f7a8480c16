//! The objects that are being deleted, and when their graces end.

use std::collections::BTreeMap;

use lictor_host::session::ObjectRef;
use serde_json::Value;

use crate::report::SECOND;
use crate::view::text;
use crate::watch::store::{ObjectChange, VisibleObject};

/// The deletion of an object, by the clock of this process: the API server's may be another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectDeletion {
    uid: String,
    /// When the deletion was seen first, in nanoseconds since 1970.
    pub(super) began: i64,
    /// How long the grace is, in nanoseconds.
    grace: i64,
}

impl ObjectDeletion {
    /// Returns when the grace ends, in nanoseconds since 1970. A process that starts in the middle of a grace counts it from its start.
    pub(super) fn ends(&self) -> i64 {
        self.began.saturating_add(self.grace)
    }
}

/// The deletions that are under way, by the key of the object.
#[derive(Debug, Default)]
pub struct ObjectDeletions(BTreeMap<String, ObjectDeletion>);

impl ObjectDeletions {
    /// Takes a change of an object. A deletion counts from when it was first seen, and anew where its grace has changed.
    pub fn observe(&mut self, news: &ObjectChange, now: i64) {
        match news {
            ObjectChange::Marked(..) => {}
            ObjectChange::Deleted(key) => drop(self.0.remove(key)),
            ObjectChange::Upserted(shown) => match read_deletion(shown, now) {
                None => drop(self.0.remove(&shown.key)),
                Some(stop) => {
                    let is_same = |known: &ObjectDeletion| known.uid == stop.uid && known.grace == stop.grace;
                    if !self.0.get(&shown.key).is_some_and(is_same) {
                        self.0.insert(shown.key.clone(), stop);
                    }
                }
            },
        }
    }

    /// Returns the deletion of an object. `None`: the object is not being deleted.
    pub(super) fn of(&self, object: &ObjectRef) -> Option<&ObjectDeletion> {
        self.0.get(&object.key()).filter(|stop| stop.uid == object.uid)
    }
}

/// Reads the deletion of an object. `None`: the object is not being deleted.
fn read_deletion(shown: &VisibleObject, now: i64) -> Option<ObjectDeletion> {
    if text(&shown.object, "/metadata/deletionTimestamp").is_empty() {
        return None;
    }
    let grace = shown.object.pointer("/metadata/deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or(0);
    let uid = text(&shown.object, "/metadata/uid").to_owned();
    Some(ObjectDeletion { uid, began: now, grace: grace.saturating_mul(SECOND) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(uid: &str, deleted: Option<&str>, grace: Option<i64>) -> ObjectChange {
        let metadata = json!({"uid": uid, "deletionTimestamp": deleted, "deletionGracePeriodSeconds": grace});
        let (key, standing) = ("Pod/default/v".to_owned(), crate::view::AdmissionState::Unmanaged);
        ObjectChange::Upserted(VisibleObject {
            key,
            object: json!({"metadata": metadata}),
            admission_state: standing,
            raw: None,
        })
    }

    fn ends(stopping: &ObjectDeletions, uid: &str) -> Option<i64> {
        let [kind, namespace, name, uid] = ["Pod", "default", "v", uid].map(str::to_owned);
        stopping.of(&ObjectRef { kind, namespace, name, uid }).map(ObjectDeletion::ends)
    }

    const FAR: Option<&str> = Some("2036-01-01T00:00:00Z");

    #[test]
    fn the_end_of_a_grace_is_no_time_of_another_clock() {
        let mut stopping = ObjectDeletions::default();
        stopping.observe(&shown("1", FAR, Some(30)), 5 * SECOND);
        stopping.observe(&shown("1", FAR, Some(30)), 7 * SECOND);
        assert_eq!(ends(&stopping, "1"), Some(35 * SECOND), "from when it was seen first");
        stopping.observe(&shown("1", FAR, Some(10)), 8 * SECOND);
        assert_eq!(ends(&stopping, "1"), Some(18 * SECOND), "deleted once more, with a shorter grace");
        stopping.observe(&shown("2", FAR, None), 9 * SECOND);
        assert_eq!((ends(&stopping, "1"), ends(&stopping, "2")), (None, Some(9 * SECOND)), "another pod of the name");
    }

    #[test]
    fn an_object_that_is_gone_or_runs_is_not_remembered() {
        for news in [ObjectChange::Deleted("Pod/default/v".to_owned()), shown("2", None, None)] {
            let mut stopping = ObjectDeletions::default();
            stopping.observe(&shown("1", FAR, Some(30)), SECOND);
            stopping.observe(&news, 2 * SECOND);
            assert!(stopping.0.is_empty());
        }
    }
}
