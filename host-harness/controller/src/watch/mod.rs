//! The objects of the cluster as watches deliver them: the kinds, one watch for each, and the changes.

pub mod kinds;
pub mod store;
pub mod stream;

use serde_json::Value;

/// Group and kind of objects; the core group is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupKind {
    /// The API group.
    pub group: String,
    /// The kind.
    pub kind: String,
}

impl GroupKind {
    /// Makes a kind.
    pub fn new(group: &str, kind: &str) -> GroupKind {
        GroupKind { group: group.to_owned(), kind: kind.to_owned() }
    }
}

impl std::fmt::Display for GroupKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.group.as_str() {
            "" => f.write_str(&self.kind),
            group => write!(f, "{}.{group}", self.kind),
        }
    }
}

/// A message of a watch about the objects of its kind.
#[derive(Debug, Clone)]
pub enum WatchMessage {
    /// A list begins: an object that it does not name until [`WatchMessage::ListCompleted`] is gone.
    ListStarted,
    /// An object, whole, with `apiVersion` and `kind`: new, changed, or part of a list.
    Upserted(Value),
    /// The list has come to its end.
    ListCompleted,
    /// An object is gone.
    Deleted(Value),
    /// The cluster has no such kind now: it has no objects.
    KindMissing,
    /// The objects cannot be read, and why; empty: they can be read again. What was known of them before still holds.
    Unreadable(String),
}
