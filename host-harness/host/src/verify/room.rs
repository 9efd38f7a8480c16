//! How much of a node is taken, and whether there is room for more.
//!
//! The one place that knows that pods use the room of a placed object: together they take the larger of what it holds and what they
//! request.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Amount, Node, PodId, ResourceId};

use crate::cluster::Mirror;

/// Sums of requests, by number of the resource. Wider than an amount, so that no sum overflows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Load(Vec<i128>);

impl Load {
    /// What these pods take together on one node.
    pub(super) fn of(mirror: &Mirror, pods: &BTreeSet<PodId>) -> Load {
        let mut outside = Load::default();
        let mut inside: BTreeMap<PodId, (Load, Load)> = BTreeMap::new();
        for pod in pods.iter().filter_map(|pod| mirror.pod(*pod)) {
            match mirror.room_used_by(pod).filter(|placed| pods.contains(placed)) {
                Some(placed) => inside.entry(placed).or_default().1.add(&pod.requests),
                None if pod.kind.is_some() => inside.entry(pod.id).or_default().0.add(&pod.requests),
                None => outside.add(&pod.requests),
            }
        }
        for (held, used) in inside.values() {
            outside.add_larger(held, used);
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

#[cfg(test)]
mod tests {

    use serde_json::{Value, json};

    use lictor_contract::Interests;

    use super::super::testing::{IN_SLOT, World, interests, node, on, pod, slot, with};
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

    fn user(name: &str, cpu: u32) -> Value {
        let of_s = json!({IN_SLOT: r#"{"slot":{"name":"s"}}"#});
        on("n1", with(pod(name, cpu, 0), "/metadata", "annotations", of_s))
    }

    #[test]
    fn pods_add_up() {
        assert_eq!(taken([on("n1", pod("a", 1, 0)), on("n1", pod("b", 2, 0)), pod("c", 4, 0)]), (3, 2));
    }

    #[test]
    fn users_take_the_larger_of_what_is_held_and_what_they_request() {
        let s = || slot("s", 4, Some("n1"));
        assert_eq!(taken([s()]).0, 4);
        assert_eq!(taken([s(), user("a", 1), user("b", 2)]).0, 4);
        assert_eq!(taken([s(), user("a", 3), user("b", 2)]).0, 5);
        assert_eq!(taken([s(), user("a", 1), on("n1", pod("b", 2, 0))]).0, 6);
    }

    #[test]
    fn a_user_counts_in_full_where_its_slot_is_not() {
        assert_eq!(taken([user("a", 1), slot("s", 4, None)]).0, 1);
    }

    #[test]
    fn users_of_a_kind_that_the_policy_does_not_declare_count_in_full() {
        let undeclared = Interests { placed_kinds: Vec::new(), ..interests() };
        let objects = [node("n1", 8), slot("s", 4, Some("n1")), user("a", 3)];
        let world = World::told(undeclared, objects);
        assert_eq!(world.mirror.pod_id("Slot/s"), None);
        assert_eq!(world.occupancy.load(world.node("n1")).unwrap().get(0), 3000);
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
