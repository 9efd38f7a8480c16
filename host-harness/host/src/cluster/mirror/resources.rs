//! The numbers of resources.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Amount, Resource, ResourceId, is_of_host};

use crate::cluster::NO_NUMBER;
use crate::cluster::object::{DISK, ResourceAmounts, ports};
use crate::sweep::SweepThreshold;

/// The maximum number of resources and host ports that get a number because a pod requests them. A name is never forgotten, costs some 400 bytes in the
/// host and in the policy, and may be invented by each user that may create a pod. Resources of nodes and of volumes always get a number.
const REQUESTED: usize = 4096;

/// The resources by number. `cpu` is 0, `memory` 1, `pods` 2. A resource keeps its number, but for a disk that no pod names any more: disks come and go
/// with the pods that name them, and each number costs an amount on every node.
#[derive(Debug, Default)]
pub(super) struct ResourceTable {
    all: Vec<Resource>,
    ids: BTreeMap<String, ResourceId>,
    told: usize,
    /// The numbers of disks that no pod names.
    free: BTreeSet<ResourceId>,
    /// The number of disks that have a number.
    disks: usize,
    /// The number of resources whose number was given for the request of a pod, without those of volumes.
    requested: usize,
    sweep: SweepThreshold,
}

impl ResourceTable {
    pub(super) fn new() -> ResourceTable {
        let mut resources = ResourceTable::default();
        for name in ["cpu", "memory", "pods"] {
            resources.intern(name);
        }
        resources
    }

    /// Returns all resources, ordered by number.
    pub(super) fn all(&self) -> &[Resource] {
        &self.all
    }

    /// Returns the non-zero amounts by resource number, and gives numbers to new resources.
    pub(super) fn amounts(&mut self, amounts: &ResourceAmounts) -> Vec<Amount> {
        let some = amounts.iter().filter(|(_, value)| **value > 0);
        let mut told: Vec<_> =
            some.map(|(name, value)| Amount { resource: self.intern(name), value: *value }).collect();
        told.sort_by_key(|amount| amount.resource);
        told
    }

    /// Returns the non-zero requests of a pod by resource number, and gives numbers to new resources. Resources beyond the [`REQUESTED`] first ones are
    /// one resource, [`NO_NUMBER`], that no node has, so that no node takes the pod.
    pub(super) fn requests(&mut self, amounts: &ResourceAmounts) -> Vec<Amount> {
        let some = amounts.iter().filter(|(_, value)| **value > 0);
        let numbered = some.map(|(name, value)| match self.admits(name) {
            true => Amount { resource: self.intern(name), value: *value },
            false => Amount { resource: self.intern(NO_NUMBER), value: 1 },
        });
        let mut requests: Vec<Amount> = numbered.collect();
        requests.sort_by_key(|amount| amount.resource);
        requests.dedup_by_key(|amount| amount.resource);
        requests
    }

    /// Gives a resource that a pod requests a number, if it has none. Returns whether it has a number now.
    fn admits(&mut self, name: &str) -> bool {
        let is_of_volume = is_of_host(name) && !name.starts_with(ports::PORT);
        if self.ids.contains_key(name) || is_of_volume {
            return true;
        }
        let admits = self.requested < REQUESTED;
        if admits {
            self.intern(name);
            self.requested = self.requested.saturating_add(1);
        }
        admits
    }

    /// Returns amounts by number, including zeros: a zero states that the amount is empty.
    pub(super) fn with_zeros(&mut self, amounts: &ResourceAmounts) -> Vec<Amount> {
        amounts.iter().map(|(name, value)| Amount { resource: self.intern(name), value: *value }).collect()
    }

    /// Returns the amount of the resource of this name; 0 where the list does not have it.
    pub(super) fn amount(&self, amounts: &[Amount], name: &str) -> i64 {
        let id = self.ids.get(name);
        amounts.iter().find(|amount| Some(&amount.resource) == id).map_or(0, |amount| amount.value)
    }

    /// Returns the resources that are new since the last call, as the policy receives them.
    pub(super) fn drain(&mut self) -> Vec<Resource> {
        let first = std::mem::replace(&mut self.told, self.all.len());
        self.announced(first)
    }

    /// Returns the resources from this number on as the policy receives them. The name of a disk is its number, because another disk may get the number.
    pub(super) fn announced(&self, first: usize) -> Vec<Resource> {
        let named = |(number, known): (usize, &Resource)| match is_disk(&known.name) {
            true => Resource { name: format!("{DISK}{number}"), everywhere: known.everywhere },
            false => known.clone(),
        };
        self.all.iter().enumerate().skip(first).map(named).collect()
    }

    /// Frees the numbers of the disks that no pod names, once there may be as many of them as of the others. `used` returns the resources that pods
    /// request. Call `sweep` after all changes were drained: only then does the policy know that no pod requests the disk.
    pub(super) fn sweep(&mut self, used: impl FnOnce() -> BTreeSet<ResourceId>) {
        if !self.sweep.is_due(self.disks) {
            return;
        }
        let used = used();
        let unused = self.ids.extract_if(.., |name, id| is_disk(name) && !used.contains(id));
        let unused: BTreeSet<ResourceId> = unused.map(|(_, id)| id).collect();
        self.disks = self.disks.saturating_sub(unused.len());
        self.free.extend(unused);
        self.sweep.done(self.disks);
    }

    fn intern(&mut self, name: &str) -> ResourceId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let next = ResourceId::try_from(self.all.len()).unwrap_or(ResourceId::MAX);
        let free = if is_disk(name) { self.free.pop_first() } else { None };
        let id = free.unwrap_or(next);
        let resource = Resource { name: name.to_owned(), everywhere: ports::default_allocatable(name) };
        match self.all.get_mut(id as usize) {
            Some(freed) => *freed = resource,
            None => self.all.push(resource),
        }
        self.disks = self.disks.saturating_add(usize::from(is_disk(name)));
        self.ids.insert(name.to_owned(), id);
        id
    }
}

/// Returns whether a resource is a disk that a pod names in its own spec.
fn is_disk(name: &str) -> bool {
    name.starts_with(DISK)
}

#[cfg(test)]
mod tests {
    use super::{NO_NUMBER, REQUESTED, ResourceAmounts, ResourceTable};

    fn one_of(name: &str) -> ResourceAmounts {
        ResourceAmounts::from([("cpu".to_owned(), 1000), (name.to_owned(), 7)])
    }

    #[test]
    fn names_that_pods_invent_are_bounded_and_those_of_nodes_are_not() {
        let mut resources = ResourceTable::new();
        for number in 0..2 * REQUESTED {
            resources.requests(&one_of(&format!("example.com/{number}")));
        }
        assert_eq!(resources.all().len(), 3 + REQUESTED + 1, "one number stands for all others");

        let known = resources.requests(&one_of("example.com/0"));
        assert_eq!((resources.amount(&known, "example.com/0"), resources.amount(&known, NO_NUMBER)), (7, 0));
        let unknown = resources.requests(&one_of("example.com/another"));
        assert_eq!((resources.amount(&unknown, "cpu"), resources.amount(&unknown, NO_NUMBER)), (1000, 1));

        for port in ["hostport/TCP/80", "hostport/TCP/80/10.0.0.1"] {
            let unknown = resources.requests(&one_of(port));
            assert_eq!((resources.amount(&unknown, port), resources.amount(&unknown, NO_NUMBER)), (0, 1));
        }
        let disk = resources.requests(&one_of("volume/disk/a"));
        assert_eq!(resources.amount(&disk, "volume/disk/a"), 7, "what volumes take is counted and reused elsewhere");

        resources.amounts(&one_of("example.com/another"));
        let of_node = resources.requests(&one_of("example.com/another"));
        assert_eq!((resources.amount(&of_node, "example.com/another"), resources.amount(&of_node, NO_NUMBER)), (7, 0));
    }
}
