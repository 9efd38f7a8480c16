//! Owners of reservations: what is written on them, and what cannot be asked.

use serde_json::json;

use crate::contract::{Event, Mark, MarkPlace, NotedPods, PolicyError};
use crate::testing::{INSIDE, PolicyHarness, object, pod, reservation};

/// Creates node `n` with 6 cores, of which reservation `r` keeps 4 for pods with label `app=r`. Pod `o` has that label and requests 5.
fn world() -> PolicyHarness {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=6");
    world.node("full", "cpu=0");
    let owners = json!({"spec": {"owners": [{"labelSelector": {"matchLabels": {"app": "r"}}}]}});
    world.object(object("Reservation", "/r", [&[], &[]], owners));
    world.pod(reservation("r").requests("cpu=4").on("n"));
    world.pod(pod("o").label("app", "r").requests("cpu=5"));
    world
}

fn marks(world: &PolicyHarness, name: &str) -> Vec<Mark> {
    world.engine.marks(world.id(name), 0).unwrap()
}

#[test]
fn an_owner_is_told_its_reservation_and_an_outsider_nothing() {
    let mut world = world();
    world.pod(pod("p").requests("cpu=1"));
    let value = r#"{"name":"r","uid":""}"#.to_owned();
    assert_eq!(marks(&world, "o"), [Mark { place: MarkPlace::Annotation, key: INSIDE.to_owned(), value }]);
    assert_eq!(marks(&world, "p"), []);
    world.pod(pod("named").annotation(INSIDE, r#"{"name":"r"}"#).requests("cpu=1"));
    assert_eq!(marks(&world, "named"), [], "it says so already");
}

#[test]
fn an_owner_takes_of_the_node_what_is_lacking_inside_and_gives_it_back() {
    let mut world = world();
    world.pod(pod("p").requests("cpu=2"));
    let fits = |world: &mut PolicyHarness, name: &str| world.engine.filter(world.id(name)).unwrap().codes[0] == 0;
    assert!(fits(&mut world, "p"), "2 of 6 are free");
    assert!(fits(&mut world, "o"), "4 inside and 1 beside");
    world.pod(pod("o").label("app", "r").annotation(INSIDE, r#"{"name":"r"}"#).requests("cpu=5"));
    world.reserve("o", "n");
    assert!(!fits(&mut world, "p"), "1 of 6 is free");
    let o = world.id("o");
    world.engine.unreserve(o, crate::contract::ReleaseCause::Timeout).unwrap();
    assert!(fits(&mut world, "p"));
}

#[test]
fn an_owner_is_sent_to_its_reservation_and_told_why_no_other_node_takes_it() {
    let mut world = world();
    world.node("idle", "cpu=9");
    world.engine.record_notes(&NotedPods::All);
    world.pre_filter("o");
    let verdicts = world.engine.filter(world.id("o")).unwrap();
    // `n` takes the pod inside its reservation; `full` is too small; `idle` has free capacity, which the pod must not use.
    assert_eq!(verdicts.codes, [0, 1, 2]);
    assert_eq!(
        world.trace_lines("o"),
        ["full Barred large-enough: requested cpu 5, free cpu 0", "idle Barred reserved: ",]
    );
}

#[test]
fn what_is_written_on_whom_there_is_not_cannot_be_asked() {
    let mut world = world();
    let o = world.id("o");
    assert_eq!(world.engine.marks(99, 0), Err(PolicyError::UnknownPod(99)));
    assert_eq!(world.engine.marks(o, 99), Err(PolicyError::UnknownNode(99)));
    world.apply(vec![Event::PodRemoved(o)]);
    assert_eq!(world.engine.marks(o, 0), Err(PolicyError::UnknownPod(o)));
}
