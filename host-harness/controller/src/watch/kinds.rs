//! The watched kinds: those that the host reads itself and those that the policy is interested in, and no others.

use std::collections::BTreeSet;

use lictor_contract::Interests;
use lictor_host::cluster::kinds_read;

use super::GroupKind;

/// Returns the kinds to watch.
pub fn watched_kinds(interests: &Interests) -> BTreeSet<GroupKind> {
    kinds_read(interests).into_iter().map(|(group, kind)| GroupKind { group, kind }).collect()
}

/// Returns the kinds whose objects are placed on nodes like pods.
pub fn placed_kinds(interests: &Interests) -> BTreeSet<GroupKind> {
    interests.placed_kinds.iter().map(|kind| GroupKind::new(&kind.group, &kind.kind)).collect()
}

#[cfg(test)]
mod tests {
    use lictor_contract::KindInterest;

    use super::*;

    /// Removals of core kinds and of objects that are placed like pods are named without a group: no other kind of a system has their name.
    #[test]
    fn a_removal_that_names_no_group_means_one_object() {
        for system in lictor_policy::Engine::describe().systems {
            let placed = placed_kinds(&system.interests);
            let kinds: BTreeSet<GroupKind> =
                watched_kinds(&system.interests).into_iter().chain(placed.clone()).collect();
            for kind in kinds.iter().filter(|kind| kind.group.is_empty() || placed.contains(kind)) {
                let same: Vec<&GroupKind> = kinds.iter().filter(|other| other.kind == kind.kind).collect();
                assert_eq!(same, [kind], "{}", system.name);
            }
        }
    }

    #[test]
    fn a_kind_that_both_read_is_watched_once_and_no_other_is_added() {
        let interest = |group: &str, kind: &str| KindInterest { group: group.to_owned(), kind: kind.to_owned() };
        let interests = |kinds| Interests { kinds, ..Interests::default() };
        let own = watched_kinds(&interests(Vec::new()));
        let both = vec![interest("scheduling.k8s.io", "PriorityClass"), interest("example.com", "Quota")];
        let kinds = watched_kinds(&interests(both));
        assert_eq!(kinds.len(), own.len() + 1);
        assert!(kinds.contains(&GroupKind::new("example.com", "Quota")));
        assert_eq!(GroupKind::new("example.com", "Quota").to_string(), "Quota.example.com");
    }
}
