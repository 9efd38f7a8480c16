//! Tests of the comparators: which pod, victim or node comes first.

use std::cmp::Ordering;

use super::*;
use crate::laws::NodeVictims;
use crate::laws::QueueSortKey;
use crate::laws::order::{cheapest_node_first, higher_priority_first, important_first};
use crate::model::{Cluster, PodInfo, PodIx};
use crate::testing::{PodBuilder, pod};

/// Compares two pods by a key and then by name.
fn by_key(by: QueueSortKey) -> impl Fn(&Cluster, &PodInfo, &PodInfo) -> Ordering {
    move |cluster, a, b| {
        let [a, b] = [a, b].map(|pod| (by.key(cluster, pod).build(), &pod.name));
        a.cmp(&b)
    }
}

/// Compares two pods at the time 5, for both orders in which they are announced.
fn compare(
    order: impl Fn(&Cluster, &PodInfo, &PodInfo) -> Ordering,
    first: PodBuilder,
    second: PodBuilder,
) -> [Ordering; 2] {
    [false, true].map(|swapped| {
        let mut world = PolicyHarness::new();
        world.apply(vec![crate::contract::Event::Clock(5)]);
        let names = [first.name(), second.name()];
        let mut drafts = vec![first.clone(), second.clone()];
        if swapped {
            drafts.reverse();
        }
        drafts.into_iter().for_each(|draft| world.pod(draft));
        let [first, second] = names.map(|name| world.engine.cluster().pod(PodIx(world.id(&name))).cloned());
        first.zip(second).map_or(Ordering::Equal, |(first, second)| order(world.engine.cluster(), &first, &second))
    })
}

fn aged(name: &str, [priority, entered, created]: [i32; 3]) -> PodBuilder {
    pod(name).priority(priority).with(|pod| (pod.entered, pod.created) = (entered.into(), created.into()))
}

#[test]
fn pending_pods_go_by_priority_then_entry_then_creation_then_name() {
    for (first, second) in [
        // Higher priority comes first, however late the pod was created.
        (aged("z", [2, 9, 9]), aged("a", [1, 0, 0])),
        (aged("z", [1, 3, 9]), aged("a", [1, 4, 0])),
        (aged("z", [1, 3, 5]), aged("a", [1, 3, 6])),
        (aged("a", [1, 3, 5]), aged("b", [1, 3, 5])),
        (aged("a/z", [1, 3, 5]), aged("b/a", [1, 3, 5])),
        (aged("a", [-1, 3, 5]), aged("b", [i32::MIN, 3, 5])),
    ] {
        assert_eq!(compare(by_key(higher_priority_first::LAW.function), first, second), [Ordering::Less; 2]);
    }
}

#[test]
fn pods_are_put_back_by_priority_then_start_then_creation_then_name() {
    let started = |draft: PodBuilder, at: i64| draft.with(|pod| pod.started = Some(at));
    for (first, second) in [
        (aged("z", [2, 0, 9]), aged("a", [1, 0, 0])),
        (started(aged("z", [1, 0, 9]), 3), started(aged("a", [1, 0, 0]), 4)),
        // A pod without a start time comes last, even after one that starts later than now; the time of entry never counts.
        (started(aged("z", [1, 9, 9]), 4), aged("a", [1, 0, 0])),
        (started(aged("z", [1, 9, 9]), 6), aged("a", [1, 0, 0])),
        (started(aged("z", [1, 9, 3]), 4), started(aged("a", [1, 0, 4]), 4)),
        (started(aged("a", [1, 0, 3]), 3), started(aged("b", [1, 0, 3]), 3)),
    ] {
        assert_eq!(compare(important_first::LAW.function, first, second), [Ordering::Less; 2]);
    }
}

#[test]
fn a_node_costs_by_the_highest_priority_lost_and_then_by_number() {
    let mut world = PolicyHarness::new();
    let loss = |world: &mut PolicyHarness, victims: &[i32]| {
        let names: Vec<String> = (0..victims.len()).map(|at| format!("v{at}-{}", victims.len())).collect();
        names.iter().zip(victims).for_each(|(name, priority)| world.pod(pod(name).priority(*priority)));
        let victims: Vec<PodIx> = names.iter().map(|name| PodIx(world.id(name))).collect();
        (cheapest_node_first::LAW.function.cost)(&NodeVictims::of(world.engine.cluster(), &victims))
    };
    let dearer: [&[i32]; 6] = [&[], &[-5], &[0], &[0, -9], &[7], &[7, 7, 7]];
    let losses = dearer.map(|victims| loss(&mut world, victims));
    assert!(losses.is_sorted_by(|a, b| a < b), "{losses:?}");
}
