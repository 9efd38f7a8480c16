//! Which kinds are watched: those that the host reads itself and those that the policy is interested in, and no others.

use std::collections::BTreeSet;

use lictor_contract::Interests;

use super::Kind;

/// What the host reads itself, whatever the policy reads: where pods may run, what they hold, and with whom they may not be.
const OWN: [(&str, &str); 8] = [
    ("", "Node"),
    ("", "Pod"),
    ("", "Namespace"),
    ("", "PersistentVolume"),
    ("", "PersistentVolumeClaim"),
    ("storage.k8s.io", "StorageClass"),
    ("scheduling.k8s.io", "PriorityClass"),
    ("resource.k8s.io", "DeviceClass"),
];

/// The kinds to be watched.
pub fn of(interests: &Interests) -> BTreeSet<Kind> {
    let own = OWN.iter().map(|(group, kind)| Kind::new(group, kind));
    let read = interests.kinds.iter().map(|kind| Kind::new(&kind.group, &kind.kind));
    own.chain(read).chain(placed(interests)).collect()
}

/// The kinds among them whose objects are placed on nodes like pods.
pub fn placed(interests: &Interests) -> BTreeSet<Kind> {
    interests.placed_kinds.iter().map(|kind| Kind::new(&kind.group, &kind.kind)).collect()
}

#[cfg(test)]
mod tests {
    use lictor_contract::KindInterest;

    use super::*;

    #[test]
    fn a_kind_that_both_read_is_watched_once_and_no_other_is_added() {
        let interest = |group: &str, kind: &str| KindInterest { group: group.to_owned(), kind: kind.to_owned() };
        let interests = Interests {
            leaving_labels: Vec::new(),
            kinds: vec![interest("scheduling.k8s.io", "PriorityClass"), interest("example.com", "Quota")],
            labels: Vec::new(),
            annotations: Vec::new(),
            pod_fields: Vec::new(),
            node_labels: Vec::new(),
            placed_kinds: Vec::new(),
        };
        let kinds = of(&interests);
        assert_eq!(kinds.len(), OWN.len() + 1);
        assert!(kinds.contains(&Kind::new("example.com", "Quota")));
        assert_eq!(Kind::new("example.com", "Quota").to_string(), "Quota.example.com");
    }
}
