//! The objects that the policy has received, and the changes that it has not received yet.

use std::collections::BTreeSet;
use std::mem;

/// The changes of one kind of objects that the policy has not received yet.
#[derive(Debug)]
pub(super) struct ChangeSet<Id> {
    received: BTreeSet<Id>,
    changed: BTreeSet<Id>,
    removed: BTreeSet<Id>,
}

impl<Id> Default for ChangeSet<Id> {
    fn default() -> Self {
        ChangeSet { received: BTreeSet::new(), changed: BTreeSet::new(), removed: BTreeSet::new() }
    }
}

impl<Id: Ord + Clone> ChangeSet<Id> {
    /// Records that an object is new or has changed.
    pub(super) fn record_changed(&mut self, id: Id) {
        self.changed.insert(id);
    }

    /// Records that an object is gone. The removal is dropped where the policy never received the object.
    pub(super) fn record_removed(&mut self, id: Id) {
        self.changed.remove(&id);
        if self.received.remove(&id) {
            self.removed.insert(id);
        }
    }

    /// Records that a removed object is back. Where the removal was not drained yet, the policy receives only a change.
    pub(super) fn record_restored(&mut self, id: Id) {
        if self.removed.remove(&id) {
            self.received.insert(id);
        }
    }

    /// Returns the objects that are gone since the last call.
    pub(super) fn drain_removed(&mut self) -> BTreeSet<Id> {
        mem::take(&mut self.removed)
    }

    /// Returns the objects that are new or have changed since the last call, and counts them as received by the policy.
    pub(super) fn drain_changed(&mut self) -> BTreeSet<Id> {
        self.received.extend(self.changed.iter().cloned());
        mem::take(&mut self.changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_only_what_the_other_side_can_make_use_of() {
        let mut ledger = ChangeSet::default();
        ledger.record_changed(1);
        ledger.record_changed(2);
        ledger.record_removed(2);
        assert_eq!(ledger.drain_removed(), [].into());
        assert_eq!(ledger.drain_changed(), [1].into());
        ledger.record_changed(1);
        ledger.record_removed(1);
        assert_eq!(ledger.drain_changed(), [].into());
        assert_eq!(ledger.drain_removed(), [1].into());
        ledger.record_changed(1);
        ledger.drain_changed();
        ledger.record_removed(1);
        ledger.record_restored(1);
        ledger.record_changed(1);
        assert_eq!((ledger.drain_removed(), ledger.drain_changed()), ([].into(), [1].into()));
        ledger.record_removed(1);
        assert_eq!(ledger.drain_removed(), [1].into());
    }
}
