//! What many pods have in common, such as their labels: kept with them once.

use std::collections::BTreeSet;
use std::sync::Arc;

/// How many values there may be that no pod has any more, beside as many as there are others.
const SPARE: usize = 1024;

/// The values that pods share.
#[derive(Debug)]
pub(super) struct Shared<T> {
    values: BTreeSet<Arc<T>>,
    /// How many there were when those without a pod were last let go.
    kept: usize,
}

impl<T: Ord> Shared<T> {
    /// This value, shared with all that have the same.
    pub(super) fn intern(&mut self, value: impl Into<Arc<T>>) -> Arc<T> {
        let value = value.into();
        if let Some(known) = self.values.get(&value) {
            return known.clone();
        }
        if self.values.len() > self.kept.saturating_mul(2).saturating_add(SPARE) {
            self.values.retain(|value| Arc::strong_count(value) > 1);
            self.kept = self.values.len();
        }
        self.values.insert(value.clone());
        value
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared { values: BTreeSet::new(), kept: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_values_are_kept_once_and_not_forever() {
        let mut shared = Shared::default();
        let first = shared.intern(0);
        assert!(Arc::ptr_eq(&first, &shared.intern(0)));
        assert!(!Arc::ptr_eq(&first, &shared.intern(1)));
        for value in 0..10 * SPARE {
            shared.intern(value);
            assert!(shared.values.len() <= SPARE + 3, "{}", shared.values.len());
        }
        assert!(Arc::ptr_eq(&first, &shared.intern(0)));
    }
}
