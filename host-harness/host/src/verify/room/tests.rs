//! Room as the host counts it.

use serde_json::{Value, json};

use lictor_contract::Interests;

use super::super::testing::{ClusterFixture, IN_SLOT, interests, node, on, pod, slot, with};
use super::*;

/// Returns the load of these objects on `n1`, in cores and pods.
fn taken(objects: impl IntoIterator<Item = Value>) -> (i128, i128) {
    let world = ClusterFixture::of([node("n1", 8)].into_iter().chain(objects));
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
    let world = ClusterFixture::with_interests(undeclared, objects);
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
    let mut load = RequestTotals::default();
    let much = [Amount { resource: 1, value: i64::MAX }];
    load.add(&much);
    load.add(&much);
    assert_eq!((load.get(0), load.get(1)), (0, 2 * i128::from(i64::MAX)));
}
