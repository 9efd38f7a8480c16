//! Queues and quotas: a tree of bounds, with what is held and asked for below each.

use std::marker::PhantomData;

use super::{
    AmountKind, Amounts, Deserved, Guaranteed, Max, Preemptibility, QueueIx, QueuePreemptionPolicy, QueueSpec,
    Requested, ResourceBound, ResourceIx, ResourceRequest, Used,
};

/// The bounds of a queue. Their names differ from system to system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The amounts that the queue gets back from others whenever it needs them: Koordinator's min, YuniKorn's guaranteed, Volcano's guarantee.
    pub guaranteed: ResourceBound<Guaranteed>,
    /// The amounts that the queue may use while others do not need them: Volcano's deserved.
    pub deserved: ResourceBound<Deserved>,
    /// The amounts that the queue never exceeds: max, Volcano's capability.
    pub max: ResourceBound<Max>,
}

/// A queue as its system describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueDefinition {
    /// Its name; unique.
    pub name: String,
    /// The name of its parent. `None`: the queue is a root.
    pub parent: Option<String>,
    /// Its bounds.
    pub bounds: Bounds,
    /// Whether it takes the pods that belong to no other queue.
    pub is_default: bool,
    /// The settings by which its pods preempt and are preempted.
    pub policy: QueuePreemptionPolicy,
    /// The settings that compare it with other queues.
    pub spec: QueueSpec,
}

/// A queue: its description, its place in the tree, and its usage. The usage includes all queues below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// The parent. `None`: the queue is a root.
    pub parent: Option<QueueIx>,
    /// Its bounds.
    pub bounds: Bounds,
    /// Whether it takes the pods that belong to no other queue.
    pub is_default: bool,
    /// The share that replaces its maximum for now, where its system divides the cluster among queues.
    pub runtime_quota: Option<ResourceBound<Max>>,
    /// The amounts that its pods use.
    pub used: QueueUsage<Used>,
    /// The amounts that its pods request, whether they use them or wait for them.
    pub requested: QueueUsage<Requested>,
}

impl Queue {
    /// Returns the amounts that the queue may use now, and the name of that bound.
    pub fn effective_max(&self) -> (&'static str, &ResourceBound<Max>) {
        match &self.runtime_quota {
            Some(runtime) => ("runtime", runtime),
            None => ("max", &self.bounds.max),
        }
    }

    /// Returns the resources of which the queue uses more than its maximum, and the excess.
    pub fn over_max(&self) -> impl Iterator<Item = (ResourceIx, i64)> + '_ {
        let over =
            self.bounds.max.iter().map(|(resource, max)| (resource, self.used.total(resource).0.saturating_sub(max.0)));
        over.filter(|(_, over)| *over > 0)
    }

    /// Returns the entitlement to a resource: the deserved amount as far as the limit allows it, and at least the guaranteed amount. `None`: the
    /// queue has neither.
    pub fn entitlement(&self, resource: ResourceIx) -> Option<Deserved> {
        let guaranteed = self.bounds.guaranteed.get(resource).filter(|guaranteed| guaranteed.0 > 0);
        let max = self.effective_max().1.get(resource).map_or(i64::MAX, |max| max.0);
        let deserved = self.bounds.deserved.get(resource).map(|deserved| Deserved(deserved.0.min(max)));
        deserved.max(guaranteed.map(|guaranteed| Deserved(guaranteed.0)))
    }

    /// Returns the resources to which the queue has an entitlement, with the amounts.
    pub fn entitlements(&self) -> impl Iterator<Item = (ResourceIx, Deserved)> + '_ {
        let Bounds { guaranteed, deserved, .. } = &self.bounds;
        let others = guaranteed.amounts().filter(|(resource, _)| deserved.get(*resource).is_none());
        deserved.amounts().chain(others).filter_map(|(resource, _)| Some((resource, self.entitlement(resource)?)))
    }
}

/// Amounts by preemptibility.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueUsage<K> {
    preemptible: Amounts,
    non_preemptible: Amounts,
    meaning: PhantomData<K>,
}

impl<K: AmountKind> QueueUsage<K> {
    /// Returns the amount of one resource of the pods of one preemptibility.
    pub fn of(&self, preemptibility: Preemptibility, resource: ResourceIx) -> K {
        K::new(self.amounts(preemptibility).get(resource))
    }

    /// Returns the amounts of one resource, preemptible and non-preemptible.
    pub fn parts(&self, resource: ResourceIx) -> [K; 2] {
        Preemptibility::ALL.map(|kind| self.of(kind, resource))
    }

    /// Returns the amount of one resource, of all pods.
    pub fn total(&self, resource: ResourceIx) -> K {
        K::new(self.preemptible.get(resource).saturating_add(self.non_preemptible.get(resource)))
    }

    /// Returns the amounts of the pods of one preemptibility.
    pub fn amounts(&self, preemptibility: Preemptibility) -> &Amounts {
        match preemptibility {
            Preemptibility::Preemptible => &self.preemptible,
            Preemptibility::NonPreemptible => &self.non_preemptible,
        }
    }

    /// Books a request in or out.
    pub(super) fn adjust(&mut self, entry: Adjustment, preemptibility: Preemptibility, request: &ResourceRequest) {
        let amounts = match preemptibility {
            Preemptibility::Preemptible => &mut self.preemptible,
            Preemptibility::NonPreemptible => &mut self.non_preemptible,
        };
        match entry {
            Adjustment::Add => amounts.add(request),
            Adjustment::Subtract => amounts.subtract(request),
        }
    }
}

/// The direction in which an amount is booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Adjustment {
    /// The amount is added.
    Add,
    /// The amount is subtracted.
    Subtract,
}
