//! How much of a node is taken, and whether there is room for more.
//!
//! The one place that knows that pods use the room of a placed object: together they take the larger of what it holds and what they
//! request.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Amount, Node, PodId, ResourceId};

use crate::cluster::Mirror;

/// Sums of requests, by number of the resource. Wider than an amount, so that no sum overflows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestTotals(Vec<i128>);

impl RequestTotals {
    /// Computes the load of these pods together on one node.
    pub(super) fn of(mirror: &Mirror, pods: &BTreeSet<PodId>) -> RequestTotals {
        let mut outside = RequestTotals::default();
        let mut inside: BTreeMap<PodId, (RequestTotals, RequestTotals)> = BTreeMap::new();
        for pod in pods.iter().filter_map(|pod| mirror.pod(*pod)) {
            match mirror.capacity_owner(pod).filter(|placed| pods.contains(placed)) {
                Some(placed) => inside.entry(placed).or_default().1.add(&pod.template.requests),
                None if pod.kind.is_some() => inside.entry(pod.id).or_default().0.add(&pod.template.requests),
                None => outside.add(&pod.template.requests),
            }
        }
        for (held, used) in inside.values() {
            outside.add_larger(held, used);
        }
        outside
    }

    /// Returns the amount of a resource.
    pub fn get(&self, resource: ResourceId) -> i128 {
        usize::try_from(resource).ok().and_then(|index| self.0.get(index)).copied().unwrap_or(0)
    }

    /// Adds the amounts.
    pub fn add(&mut self, amounts: &[Amount]) {
        for amount in amounts {
            self.add_to(amount.resource, i128::from(amount.value));
        }
    }

    /// Adds the larger of two loads, resource by resource.
    fn add_larger(&mut self, one: &RequestTotals, other: &RequestTotals) {
        for resource in 0..one.0.len().max(other.0.len()) {
            let Ok(resource) = ResourceId::try_from(resource) else {
                return;
            };
            self.add_to(resource, one.get(resource).max(other.get(resource)));
        }
    }

    /// Adds to one resource.
    fn add_to(&mut self, resource: ResourceId, value: i128) {
        let Ok(index) = usize::try_from(resource) else { return };
        if self.0.len() <= index {
            self.0.resize(index.saturating_add(1), 0);
        }
        if let Some(sum) = self.0.get_mut(index) {
            *sum = sum.saturating_add(value);
        }
    }
}

/// Returns the allocatable amount of a resource on a node. A resource that the node does not list has the amount that every node has of it.
pub fn allocatable(mirror: &Mirror, node: &Node, resource: ResourceId) -> i64 {
    let named = node.allocatable.iter().find(|amount| amount.resource == resource).map(|amount| amount.value);
    named.unwrap_or_else(|| {
        let known = usize::try_from(resource).ok().and_then(|index| mirror.resources().get(index));
        known.map_or(0, |known| known.everywhere)
    })
}

#[cfg(test)]
mod tests;
