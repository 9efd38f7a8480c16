//! Priority classes.

use std::collections::BTreeMap;

use crate::cluster::object::ClassFacts;

/// The priority classes by name.
#[derive(Debug)]
pub(super) struct PriorityClassTable {
    all: BTreeMap<String, ClassFacts>,
}

impl Default for PriorityClassTable {
    /// Creates the two priority classes that every cluster has.
    fn default() -> PriorityClassTable {
        let system = |value| ClassFacts { value, global_default: false, never_preempts: false };
        let all = [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];
        PriorityClassTable { all: all.map(|(name, value)| (name.to_owned(), system(value))).into() }
    }
}

impl PriorityClassTable {
    pub(super) fn set(&mut self, name: &str, class: ClassFacts) {
        self.all.insert(name.to_owned(), class);
    }

    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.all.remove(name).is_some()
    }

    /// Returns the class of this name. The empty name means the global default: the one of the lowest value, where several classes are default.
    pub(super) fn get(&self, name: &str) -> Option<&ClassFacts> {
        if name.is_empty() {
            self.all.values().filter(|class| class.global_default).min_by_key(|class| class.value)
        } else {
            self.all.get(name)
        }
    }
}
