//! Queues and quotas: a tree of bounds, with what is held and asked for below each.

use std::marker::PhantomData;

use super::{
    Amounts, Bound, Deserved, Guaranteed, Max, Meaning, Policy, Preemptibility, QueueIx, QueueSpec, Request, Requested,
    ResourceIx, Used,
};

/// The bounds of a queue. What it is called differs from system to system; it means the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// What it gets back from others whenever it needs it: Koordinator's min, YuniKorn's guaranteed, Volcano's guarantee.
    pub guaranteed: Bound<Guaranteed>,
    /// What it is entitled to while others do not need it: Volcano's deserved.
    pub deserved: Bound<Deserved>,
    /// What it never exceeds: max, Volcano's capability.
    pub max: Bound<Max>,
}

/// A queue as its system describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueDefinition {
    /// Its name; unique.
    pub name: String,
    /// The name of its parent; none for a root.
    pub parent: Option<String>,
    /// Its bounds.
    pub bounds: Bounds,
    /// It takes the pods that belong to no other queue.
    pub is_default: bool,
    /// How its pods preempt and are preempted.
    pub policy: Policy,
    /// How it stands beside others.
    pub spec: QueueSpec,
}

/// A queue: its description, its place in the tree, and its books. The books cover the queue and everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// Its parent.
    pub parent: Option<QueueIx>,
    /// Its bounds.
    pub bounds: Bounds,
    /// It takes the pods that belong to no other queue.
    pub is_default: bool,
    /// What it may hold now in place of its maximum, where its system shares out what there is.
    pub runtime: Option<Bound<Max>>,
    /// What its pods hold.
    pub used: Usage<Used>,
    /// What its pods ask for, whether they hold it or wait for it.
    pub requested: Usage<Requested>,
}

impl Queue {
    /// What it may hold now, and what that is called.
    pub fn limit(&self) -> (&'static str, &Bound<Max>) {
        match &self.runtime {
            Some(runtime) => ("runtime", runtime),
            None => ("max", &self.bounds.max),
        }
    }

    /// The resources of which it uses more than its maximum, and how much more.
    pub fn over_max(&self) -> impl Iterator<Item = (ResourceIx, i64)> + '_ {
        let over =
            self.bounds.max.iter().map(|(resource, max)| (resource, self.used.total(resource).0.saturating_sub(max.0)));
        over.filter(|(_, over)| *over > 0)
    }

    /// What is its due of a resource: what it deserves, as far as it may hold it, and what it is guaranteed in any case. None where
    /// neither is said.
    pub fn entitlement(&self, resource: ResourceIx) -> Option<Deserved> {
        let guaranteed = self.bounds.guaranteed.get(resource).filter(|guaranteed| guaranteed.0 > 0);
        let max = self.limit().1.get(resource).map_or(i64::MAX, |max| max.0);
        let deserved = self.bounds.deserved.get(resource).map(|deserved| Deserved(deserved.0.min(max)));
        deserved.max(guaranteed.map(|guaranteed| Deserved(guaranteed.0)))
    }

    /// The resources of which it has a due.
    pub fn entitlements(&self) -> impl Iterator<Item = (ResourceIx, Deserved)> + '_ {
        let Bounds { guaranteed, deserved, .. } = &self.bounds;
        let others = guaranteed.amounts().filter(|(resource, _)| deserved.get(*resource).is_none());
        deserved.amounts().chain(others).filter_map(|(resource, _)| Some((resource, self.entitlement(resource)?)))
    }
}

/// Amounts kept apart by preemptibility.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage<K> {
    preemptible: Amounts,
    non_preemptible: Amounts,
    meaning: PhantomData<K>,
}

impl<K: Meaning> Usage<K> {
    /// The amount of one resource of the pods of one preemptibility.
    pub fn of(&self, preemptibility: Preemptibility, resource: ResourceIx) -> K {
        K::new(self.amounts(preemptibility).get(resource))
    }

    /// The amount of one resource, in the parts it consists of.
    pub fn parts(&self, resource: ResourceIx) -> [K; 2] {
        Preemptibility::ALL.map(|kind| self.of(kind, resource))
    }

    /// The amount of one resource, of all pods.
    pub fn total(&self, resource: ResourceIx) -> K {
        K::new(self.preemptible.get(resource).saturating_add(self.non_preemptible.get(resource)))
    }

    /// The amounts of the pods of one preemptibility.
    pub fn amounts(&self, preemptibility: Preemptibility) -> &Amounts {
        match preemptibility {
            Preemptibility::Preemptible => &self.preemptible,
            Preemptibility::NonPreemptible => &self.non_preemptible,
        }
    }

    /// Books a request in or out.
    pub(super) fn book(&mut self, entry: Entry, preemptibility: Preemptibility, request: &Request) {
        let amounts = match preemptibility {
            Preemptibility::Preemptible => &mut self.preemptible,
            Preemptibility::NonPreemptible => &mut self.non_preemptible,
        };
        match entry {
            Entry::In => amounts.add(request),
            Entry::Out => amounts.subtract(request),
        }
    }
}

/// Which way an amount is booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// It is added.
    In,
    /// It is taken away.
    Out,
}
