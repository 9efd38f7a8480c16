//! The labels of pods: most pods have the same as others, and are kept with them once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The labels of an object.
type Labels = BTreeMap<String, String>;

/// How many sets there may be that no pod has any more, beside as many as there are others.
const SPARE: usize = 1024;

/// The sets of labels that pods have.
#[derive(Debug, Default)]
pub(super) struct LabelSets {
    sets: BTreeSet<Arc<Labels>>,
    /// How many there were when those without a pod were last let go.
    kept: usize,
}

impl LabelSets {
    /// These labels, shared with all that have the same.
    pub(super) fn intern(&mut self, labels: Labels) -> Arc<Labels> {
        if let Some(known) = self.sets.get(&labels) {
            return known.clone();
        }
        if self.sets.len() > self.kept.saturating_mul(2).saturating_add(SPARE) {
            self.sets.retain(|labels| Arc::strong_count(labels) > 1);
            self.kept = self.sets.len();
        }
        let labels = Arc::new(labels);
        self.sets.insert(labels.clone());
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(value: usize) -> Labels {
        [("app".to_owned(), value.to_string())].into()
    }

    #[test]
    fn the_same_labels_are_kept_once_and_not_forever() {
        let mut sets = LabelSets::default();
        let first = sets.intern(labels(0));
        assert!(Arc::ptr_eq(&first, &sets.intern(labels(0))));
        assert!(!Arc::ptr_eq(&first, &sets.intern(labels(1))));
        for value in 0..10 * SPARE {
            sets.intern(labels(value));
            assert!(sets.sets.len() <= SPARE + 3, "{}", sets.sets.len());
        }
        assert!(Arc::ptr_eq(&first, &sets.intern(labels(0))));
    }
}
