//! The objects that the policy has received, and the changes that it has not received yet.

use std::collections::BTreeSet;
use std::mem;

/// The changes of one kind of objects that the policy has not received yet.
#[derive(Debug)]
pub(super) struct ChangeSet<Id> {
    told: BTreeSet<Id>,
    changed: BTreeSet<Id>,
    gone: BTreeSet<Id>,
}

impl<Id> Default for ChangeSet<Id> {
    fn default() -> Self {
        ChangeSet { told: BTreeSet::new(), changed: BTreeSet::new(), gone: BTreeSet::new() }
    }
}

impl<Id: Ord + Clone> ChangeSet<Id> {
    /// Records that an object is new or has changed.
    pub(super) fn changed(&mut self, id: Id) {
        self.changed.insert(id);
    }

    /// Records that an object is gone. The removal is dropped where the policy never received the object.
    pub(super) fn gone(&mut self, id: Id) {
        self.changed.remove(&id);
        if self.told.remove(&id) {
            self.gone.insert(id);
        }
    }

    /// Records that a removed object is back. Where the removal was not drained yet, the policy receives only a change.
    pub(super) fn back(&mut self, id: Id) {
        if self.gone.remove(&id) {
            self.told.insert(id);
        }
    }

    /// Returns the objects that are gone since the last call.
    pub(super) fn drain_gone(&mut self) -> BTreeSet<Id> {
        mem::take(&mut self.gone)
    }

    /// Returns the objects that are new or have changed since the last call, and counts them as received by the policy.
    pub(super) fn drain_changed(&mut self) -> BTreeSet<Id> {
        self.told.extend(self.changed.iter().cloned());
        mem::take(&mut self.changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_only_what_the_other_side_can_make_use_of() {
        let mut ledger = ChangeSet::default();
        ledger.changed(1);
        ledger.changed(2);
        ledger.gone(2);
        assert_eq!(ledger.drain_gone(), [].into());
        assert_eq!(ledger.drain_changed(), [1].into());
        ledger.changed(1);
        ledger.gone(1);
        assert_eq!(ledger.drain_changed(), [].into());
        assert_eq!(ledger.drain_gone(), [1].into());
        ledger.changed(1);
        ledger.drain_changed();
        ledger.gone(1);
        ledger.back(1);
        ledger.changed(1);
        assert_eq!((ledger.drain_gone(), ledger.drain_changed()), ([].into(), [1].into()));
        ledger.gone(1);
        assert_eq!(ledger.drain_gone(), [1].into());
    }
}
