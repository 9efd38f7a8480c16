//! Schedulers that the pods of a group name.

use std::collections::BTreeMap;

use crate::model::JobKey;

/// The schedulers that the pods of each group name, and how many pods name each.
#[derive(Debug, Default)]
pub struct Schedulers(BTreeMap<JobKey, BTreeMap<String, usize>>);

impl Schedulers {
    /// Adds a pod to the count of its scheduler, or subtracts it. Returns whether the pods of its group begin, or cease, to differ.
    pub fn count(&mut self, group: &JobKey, scheduler: &str, is_in: bool) -> bool {
        let before = self.differ(group);
        let named = self.0.entry(group.clone()).or_default();
        let count = named.entry(scheduler.to_owned()).or_default();
        *count = if is_in { count.saturating_add(1) } else { count.saturating_sub(1) };
        named.retain(|_, count| *count > 0);
        if named.is_empty() {
            self.0.remove(group);
        }
        before != self.differ(group)
    }

    /// Returns whether the pods of a group name different schedulers.
    pub fn differ(&self, group: &JobKey) -> bool {
        self.0.get(group).is_some_and(|named| named.len() > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FORMER_NAME, NAME, with_groups};
    use crate::contract::Interests;

    #[test]
    fn keeps_the_fields_of_a_system_behind_those_of_groups() {
        let own = Interests { pod_fields: vec!["/spec/own".to_owned()], ..Interests::default() };
        assert_eq!(with_groups(own).pod_fields, [NAME, FORMER_NAME, "/spec/own"]);
    }
}
