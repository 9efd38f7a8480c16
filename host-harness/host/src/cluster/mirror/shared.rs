//! What many pods have in common, such as their labels: kept with them once.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::sweep::SweepThreshold;

/// The values that pods share.
#[derive(Debug)]
pub(super) struct ValueInterner<T> {
    values: BTreeSet<Arc<T>>,
    sweep: SweepThreshold,
}

impl<T: Ord> ValueInterner<T> {
    /// Returns the shared copy of this value.
    pub(super) fn intern(&mut self, value: impl Into<Arc<T>>) -> Arc<T> {
        let value = value.into();
        if let Some(known) = self.values.get(&value) {
            return known.clone();
        }
        if self.sweep.is_due(self.values.len()) {
            self.values.retain(|value| Arc::strong_count(value) > 1);
            self.sweep.done(self.values.len());
        }
        self.values.insert(value.clone());
        value
    }
}

impl<T> Default for ValueInterner<T> {
    fn default() -> ValueInterner<T> {
        ValueInterner { values: BTreeSet::new(), sweep: SweepThreshold::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::UNUSED_TOLERANCE;

    #[test]
    fn the_same_values_are_kept_once_and_not_forever() {
        let mut shared = ValueInterner::default();
        let first = shared.intern(0);
        assert!(Arc::ptr_eq(&first, &shared.intern(0)));
        assert!(!Arc::ptr_eq(&first, &shared.intern(1)));
        for value in 0..10 * UNUSED_TOLERANCE {
            shared.intern(value);
            assert!(shared.values.len() <= UNUSED_TOLERANCE + 3, "{}", shared.values.len());
        }
        assert!(Arc::ptr_eq(&first, &shared.intern(0)));
    }
}
