//! How much of a node is taken, and whether there is room for more.
//!
//! The one place that knows that pods which own a reservation consume inside it: together they take the larger of what it
//! reserves and what they request.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Amount, Node, Pod, PodId, PodKind, ResourceId};

use crate::cluster::Mirror;

/// The annotation by which a pod says which reservation it consumes.
pub(super) const ALLOCATED: &str = "scheduling.koordinator.sh/reservation-allocated";

/// Sums of requests, by number of the resource. Wider than an amount, so that no sum overflows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Load(Vec<i128>);

impl Load {
    /// What these pods take together on one node.
    pub(super) fn of(mirror: &Mirror, allocated: Option<u32>, pods: &BTreeSet<PodId>) -> Load {
        let mut outside = Load::default();
        let mut inside: BTreeMap<PodId, (Load, Load)> = BTreeMap::new();
        for pod in pods.iter().filter_map(|pod| mirror.pod(*pod)) {
            match consumes(mirror, allocated, pod).filter(|reservation| pods.contains(reservation)) {
                Some(reservation) => inside.entry(reservation).or_default().1.add(&pod.requests),
                None if pod.kind == PodKind::Reservation => inside.entry(pod.id).or_default().0.add(&pod.requests),
                None => outside.add(&pod.requests),
            }
        }
        for (reserved, owners) in inside.values() {
            outside.add_larger(reserved, owners);
        }
        outside
    }

    /// How much of a resource.
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
    fn add_larger(&mut self, one: &Load, other: &Load) {
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

/// What a node has of a resource.
pub fn allocatable(mirror: &Mirror, node: &Node, resource: ResourceId) -> i64 {
    let named = node.allocatable.iter().find(|amount| amount.resource == resource).map(|amount| amount.value);
    named.unwrap_or_else(|| {
        let known = usize::try_from(resource).ok().and_then(|index| mirror.resources().get(index));
        known.map_or(0, |known| known.everywhere)
    })
}

/// The reservation that a pod consumes.
pub(super) fn consumes(mirror: &Mirror, allocated: Option<u32>, pod: &Pod) -> Option<PodId> {
    let key = allocated?;
    let text = &pod.annotations.iter().find(|annotation| annotation.key == key)?.value;
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    mirror.pod_id(&format!("Reservation/{}", value.get("name")?.as_str()?))
}

#[cfg(test)]
mod tests {

    use serde_json::{Value, json};

    use super::super::testing::{World, node, on, pod, reservation, with};
    use super::*;

    /// What these objects take of `n1`, in cores and pods.
    fn taken(objects: impl IntoIterator<Item = Value>) -> (i128, i128) {
        let world = World::of([node("n1", 8)].into_iter().chain(objects));
        let number = |name: &str| {
            let place = world.mirror.resources().iter().position(|resource| resource.name == name);
            u32::try_from(place.unwrap()).unwrap()
        };
        let load = world.occupancy.load(world.node("n1")).unwrap();
        (load.get(number("cpu")) / 1000, load.get(number("pods")))
    }

    fn owner(name: &str, cpu: u32) -> Value {
        let allocated = json!({ALLOCATED: r#"{"name":"r","uid":"u"}"#});
        on("n1", with(pod(name, cpu, 0), "/metadata", "annotations", allocated))
    }

    #[test]
    fn pods_add_up() {
        assert_eq!(taken([on("n1", pod("a", 1, 0)), on("n1", pod("b", 2, 0)), pod("c", 4, 0)]), (3, 2));
    }

    #[test]
    fn owners_take_the_larger_of_what_is_reserved_and_what_they_ask_for() {
        let r = || reservation("r", 4, Some("n1"));
        assert_eq!(taken([r()]).0, 4);
        assert_eq!(taken([r(), owner("a", 1), owner("b", 2)]).0, 4);
        assert_eq!(taken([r(), owner("a", 3), owner("b", 2)]).0, 5);
        assert_eq!(taken([r(), owner("a", 1), on("n1", pod("b", 2, 0))]).0, 6);
    }

    #[test]
    fn an_owner_counts_in_full_where_its_reservation_is_not() {
        assert_eq!(taken([owner("a", 1), reservation("r", 4, None)]).0, 1);
    }

    #[test]
    fn finished_pods_take_nothing() {
        let done = with(on("n1", pod("a", 1, 0)), "/status", "phase", json!("Succeeded"));
        assert_eq!(taken([done, on("n1", pod("b", 2, 0))]), (2, 1));
    }

    #[test]
    fn sums_do_not_overflow() {
        let mut load = Load::default();
        let much = [Amount { resource: 1, value: i64::MAX }];
        load.add(&much);
        load.add(&much);
        assert_eq!((load.get(0), load.get(1)), (0, 2 * i128::from(i64::MAX)));
    }
}
