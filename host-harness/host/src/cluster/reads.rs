//! The kinds of objects that a host must receive: those that it reads itself, and those that the policy reads.

use std::collections::BTreeSet;

use lictor_contract::Interests;

use super::object::ObjectIdentity;

/// The API group of disruption budgets.
pub(crate) const BUDGET_GROUP: &str = "policy";

/// The kind of disruption budgets.
pub(crate) const BUDGET_KIND: &str = "PodDisruptionBudget";

/// The kinds that the host reads itself, whatever the policy reads: where pods may run, what they take, which pods they may not run
/// with, and which evictions the API server refuses.
const OWN: [(&str, &str); 13] = [
    ("", "Node"),
    ("", "Pod"),
    ("", "Namespace"),
    ("", "PersistentVolume"),
    ("", "PersistentVolumeClaim"),
    ("storage.k8s.io", "StorageClass"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSIStorageCapacity"),
    ("storage.k8s.io", "VolumeAttachment"),
    ("scheduling.k8s.io", "PriorityClass"),
    ("resource.k8s.io", "DeviceClass"),
    (BUDGET_GROUP, BUDGET_KIND),
];

/// Returns the kinds that the host reads itself and those that the policy reads, as (API group, kind). The core group is empty.
pub fn kinds_read(interests: &Interests) -> BTreeSet<(String, String)> {
    let own = OWN.iter().map(|(group, kind)| ((*group).to_owned(), (*kind).to_owned()));
    let read = interests.kinds.iter().map(|kind| (kind.group.clone(), kind.kind.clone()));
    let placed = interests.placed_kinds.iter().map(|kind| (kind.group.clone(), kind.kind.clone()));
    own.chain(read).chain(placed).collect()
}

/// Returns whether an object is a disruption budget.
pub(crate) fn is_budget(id: &ObjectIdentity) -> bool {
    id.group == BUDGET_GROUP && id.kind == BUDGET_KIND
}

/// Returns whether the host itself reads objects of a kind.
pub(crate) fn is_read_by_host(group: &str, kind: &str) -> bool {
    OWN.contains(&(group, kind))
}
