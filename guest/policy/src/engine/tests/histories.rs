//! What came before does not matter: numbers that are used again, gangs submitted again, sums that overflowed.

use crate::contract::{Admission, Event, Permission, Resource};
use crate::testing::{DEFAULT, Numbers, RESOURCES, ROOT, World, key, pod, pod_group, quota};

#[test]
fn a_new_pod_with_the_number_of_a_victim_is_no_victim() {
    let mut world = World::new();
    world.node("n", "cpu=2");
    for name in ["v1", "v2"] {
        world.pod(pod(name).asks("cpu=1").on("n"));
    }
    world.pod(pod("a").asks("cpu=2").priority(1));
    let plan = world.plan("a").unwrap();
    world.tell(vec![Event::PlanAccepted(plan.id)]);
    // v1 leaves; its number goes to a new, important pod that runs there.
    let v1 = world.id("v1");
    world.gone("v1");
    world.numbers.pods.insert("default/new".to_owned(), v1);
    world.node("m", "cpu=1");
    world.pod(pod("new").preemptible(false).asks("cpu=1").on("m"));
    world.pod(pod("other").asks("cpu=1").priority(5).only_on(&["m"]));
    assert_eq!(world.plan("other"), Err("koordinator/cheapest-node-first".to_owned()), "`new` is not leaving");
}

#[test]
fn a_new_pod_with_the_number_of_one_that_was_refused_has_no_notes() {
    let mut world = World::new();
    world.engine.record_notes(true);
    world.object(quota("team", "", "", "cpu=0"));
    world.pod(pod("a").quota("team").asks("cpu=1"));
    world.pre_filter("a");
    let id = world.id("a");
    world.gone("a");
    world.numbers.pods.insert("default/b".to_owned(), id);
    world.pod(pod("b"));
    assert_eq!(world.engine.notes(id), Ok(vec![]));
}

#[test]
fn a_gang_that_is_submitted_again_has_to_be_complete_again() {
    let mut world = World::new();
    world.node("n", "cpu=9");
    let group = pod_group("g", 2, &[]);
    world.object(group.clone());
    for name in ["a", "b"] {
        world.pod(pod(name).job("g"));
        world.reserve(name, "n");
    }
    assert_eq!(world.engine.permit(world.id("a")).unwrap().permission, Permission::Allow);
    for name in ["a", "b"] {
        world.gone(name);
    }
    world.tell(vec![Event::ObjectRemoved(key(&group))]);
    // The job is submitted again under its name.
    world.object(group);
    for name in ["c", "d"] {
        world.pod(pod(name).job("g"));
    }
    world.reserve("c", "n");
    assert_eq!(world.engine.permit(world.id("c")).unwrap().permission, Permission::Wait(600_000_000_000));
}

#[test]
fn what_pods_that_are_gone_said_of_their_gang_is_forgotten() {
    let mut world = World::new();
    world.pod(pod("a").job("g").annotation("gang.scheduling.koordinator.sh/min-available", "1"));
    world.gone("a");
    world.pod(pod("b").job("g"));
    assert!(matches!(world.pre_filter("b"), Admission::Final(_)), "nobody describes the gang");
}

#[test]
fn a_pod_that_could_not_be_counted_leaves_the_books_as_they_were() {
    let mut world = World::new();
    world.node("n", "cpu=1");
    let most = format!("memory={}", i64::MAX);
    world.pod(pod("a").asks(&most).on("n"));
    let events = world.numbers.pod(&pod("b").asks("memory=1 cpu=1").on("n"));
    let _ = world.engine.apply(events.to_vec());
    world.gone("b");
    world.gone("a");
    let _ = world.account(DEFAULT);
    assert_eq!(world.account(DEFAULT).used, []);
    assert_eq!(world.account(DEFAULT).pending, []);
    assert_eq!(world.account(ROOT).pending, []);
}

#[test]
fn books_that_could_never_be_counted_are_right_when_the_pods_are_gone() {
    let mut engine = crate::Engine::default();
    engine.configure("koordinator", "").unwrap();
    let mut numbers = Numbers::new("koordinator");
    let mut events =
        vec![Event::Resources(RESOURCES.map(|name| Resource { name: name.to_owned(), everywhere: 0 }).to_vec())];
    events.push(numbers.node("n", "cpu=1"));
    let most = format!("memory={}", i64::MAX);
    for name in ["a", "b"] {
        events.extend(numbers.pod(&pod(name).asks(&most).on("n")));
    }
    let _ = engine.apply(events);
    let _ = engine.apply(vec![Event::PodRemoved(0)]);
    let _ = engine.queues();
    let _ = engine.apply(vec![Event::PodRemoved(1)]);
    for queue in engine.queues().unwrap() {
        assert_eq!((queue.used, queue.pending), (vec![], vec![]));
    }
}
