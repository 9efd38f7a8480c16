//! What of the mirror the policy has been told, and what it is still to be told.

use std::collections::BTreeSet;
use std::mem;

/// The changes of one kind of things since they were told.
#[derive(Debug)]
pub(super) struct Ledger<Id> {
    told: BTreeSet<Id>,
    changed: BTreeSet<Id>,
    gone: BTreeSet<Id>,
}

impl<Id> Default for Ledger<Id> {
    fn default() -> Self {
        Ledger { told: BTreeSet::new(), changed: BTreeSet::new(), gone: BTreeSet::new() }
    }
}

impl<Id: Ord + Clone> Ledger<Id> {
    /// It is new or has changed.
    pub(super) fn changed(&mut self, id: Id) {
        self.changed.insert(id);
    }

    /// It is gone. Who was never told of it need not know.
    pub(super) fn gone(&mut self, id: Id) {
        self.changed.remove(&id);
        if self.told.remove(&id) {
            self.gone.insert(id);
        }
    }

    /// What is gone is back before anybody was told: it has merely changed.
    pub(super) fn back(&mut self, id: Id) {
        if self.gone.remove(&id) {
            self.told.insert(id);
        }
    }

    /// What is gone.
    pub(super) fn drain_gone(&mut self) -> BTreeSet<Id> {
        mem::take(&mut self.gone)
    }

    /// What is new or has changed.
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
        let mut ledger = Ledger::default();
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
