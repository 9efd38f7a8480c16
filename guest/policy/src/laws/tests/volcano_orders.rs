//! Which queue, job and pod comes first under Volcano's laws, and which queues of a tree are watched.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::*;
use crate::contract::Object;
use crate::laws::guard::normal_victim_queue_is_above_deserved;
use crate::laws::order::{earlier_task_first, lesser_job_gives_first, waiting_gang_first};
use crate::model::{PodInfo, PodIx};
use crate::testing::{PodBuilder, object, pod};

const TREE: &str = r#"{"enableHierarchy": true}"#;

/// Creates a node of 64 cores, and classes `low` (1) and `high` (9).
fn world(arguments: &str) -> PolicyHarness {
    let mut world = PolicyHarness::of("volcano", arguments);
    world.node("n", "cpu=64");
    for (name, value) in [("low", 1), ("high", 9)] {
        world.object(object("PriorityClass", &format!("/{name}"), [&[], &[]], json!({ "value": value })));
    }
    world
}

/// Returns the object with this second as its creation.
fn born(object: Object, second: u32) -> Object {
    let mut json: Value = serde_json::from_str(&object.json).unwrap();
    json["metadata"]["creationTimestamp"] = json!(format!("1970-01-01T00:00:{second:02}Z"));
    Object { json: json.to_string(), ..object }
}

fn queue_of(world: &mut PolicyHarness, name: &str, spec: Value) {
    world.object(object("Queue", &format!("/{name}"), [&[], &[]], json!({ "spec": spec })));
}

fn group(world: &mut PolicyHarness, name: &str, queue: &str, class: &str, second: u32) {
    let spec = json!({"spec": {"queue": queue, "minMember": 1, "priorityClassName": class}});
    world.object(born(object("PodGroup", &format!("default/{name}"), [&[], &[]], spec), second));
}

fn member(name: &str, group: &str) -> PodBuilder {
    pod(name).requests("cpu=1").annotation("scheduling.k8s.io/group-name", group)
}

fn at(world: &PolicyHarness, name: &str) -> PodInfo {
    world.engine.cluster().pod(PodIx(world.id(name))).unwrap().clone()
}

/// Compares two names in both directions.
fn both(compare: impl Fn(&str, &str) -> Ordering, first: &str, second: &str) -> [Ordering; 2] {
    [compare(first, second), compare(second, first).reverse()]
}

const FIRST: [Ordering; 2] = [Ordering::Less; 2];

#[test]
fn tasks_go_by_priority_then_index_then_age_then_name() {
    let task = |name: &str, priority: i32, index: &str, created: i64| {
        let draft = member(name, "g").priority(priority).with(|pod| pod.created = created);
        if index.is_empty() { draft } else { draft.label("volcano.sh/task-index", index) }
    };
    for (first, second) in [
        (task("z", 2, "9", 9), task("a", 1, "0", 0)),
        (task("z", 1, "2", 9), task("a", 1, "10", 0)),
        (task("z", 1, "2", 9), task("a", 1, "", 0)),
        (task("z", 1, "2", 3), task("a", 1, "2", 4)),
        (task("a", 1, "2", 3), task("b", 1, "2", 3)),
        (task("z", 1, "9", 9).annotation("volcano.sh/task-priority", "5"), task("a", 4, "0", 0)),
    ] {
        let (mut world, names) = (world(""), [first.name(), second.name()]);
        group(&mut world, "g", "default", "low", 0);
        world.pod(second);
        world.pod(first);
        let order = |a: &str, b: &str| {
            (earlier_task_first::LAW.function)(world.engine.cluster(), &at(&world, a), &at(&world, b))
        };
        assert_eq!(both(order, &names[0], &names[1]), FIRST, "{names:?}");
    }
}

#[test]
fn jobs_go_by_priority_then_gangs_that_wait_then_age_then_name() {
    // Class, whether the gang runs, age in seconds, name of the group.
    for (first, second) in [
        (("high", true, 9, "z"), ("low", false, 0, "a")),
        (("low", false, 9, "z"), ("low", true, 0, "a")),
        (("low", true, 3, "z"), ("low", true, 4, "a")),
        (("low", false, 3, "a"), ("low", false, 3, "b")),
    ] {
        let mut world = world("");
        for (at, (class, runs, second, name)) in [second, first].into_iter().enumerate() {
            group(&mut world, name, "default", class, second);
            if runs {
                world.pod(member(&format!("{name}-runs"), name).on("n"));
            }
            // The priority of the pod says nothing about the job.
            world.pod(member(&format!("{name}-waits"), name).priority(if at == 0 { 100 } else { 0 }));
        }
        let order = |a: &str, b: &str| {
            (waiting_gang_first::LAW.function)(world.engine.cluster(), &at(&world, a), &at(&world, b))
        };
        let names = [first.3, second.3].map(|name| format!("{name}-waits"));
        assert_eq!(both(order, &names[0], &names[1]), FIRST, "{names:?}");
    }
}

/// Compares `default/x` and `default/y`, each running in the queue of its name: which is evicted first for the queue `a`.
fn gives_first(arguments: &str, queues: &[(&str, Value)], [x, y]: [&str; 2], classes: [&str; 2]) -> Ordering {
    let mut world = world(arguments);
    for (name, spec) in queues {
        queue_of(&mut world, name, spec.clone());
    }
    for (name, queue, class) in [("x", x, classes[0]), ("y", y, classes[1])] {
        group(&mut world, name, queue, class, 0);
        world.pod(member(name, name).on("n"));
    }
    let preemptor = Some(queue(&world, "a"));
    let order = |first: &str, second: &str| {
        (lesser_job_gives_first::LAW.function)(
            world.engine.cluster(),
            preemptor,
            &at(&world, first),
            &at(&world, second),
        )
    };
    let [one, other] = both(order, "x", "y");
    assert_eq!(one, other, "it depends on who is asked about first");
    one
}

#[test]
fn the_lesser_queue_gives_first_then_the_one_with_the_larger_share() {
    let queue = |priority: u32, deserved: u32| json!({"priority": priority, "deserved": {"cpu": deserved}});
    let queues = [("a", queue(0, 4)), ("p", queue(1, 1)), ("q", queue(0, 4)), ("r", queue(0, 2))];
    let gives = |queues_of: [&str; 2], classes| gives_first("", &queues, queues_of, classes);
    assert_eq!(gives(["q", "p"], ["high", "low"]), Ordering::Less, "priority 0 before 1, whatever the jobs");
    assert_eq!(gives(["r", "q"], ["high", "low"]), Ordering::Less, "1 of 2 before 1 of 4");
    assert_eq!(gives(["r", "a"], ["low", "low"]), Ordering::Less, "one's own queue is as any other, 1 of 4");
}

#[test]
fn within_a_queue_the_lesser_job_gives_first_and_then_the_later_pod() {
    let queues = [("a", json!({}))];
    assert_eq!(gives_first("", &queues, ["a", "a"], ["low", "high"]), Ordering::Less);
    assert_eq!(gives_first("", &queues, ["a", "a"], ["high", "low"]), Ordering::Greater);
    assert_eq!(gives_first("", &queues, ["a", "a"], ["low", "low"]), Ordering::Greater, "y comes after x");
}

#[test]
fn of_equal_jobs_the_one_whose_pod_started_later_gives_first() {
    let mut world = world("");
    queue_of(&mut world, "a", json!({}));
    for name in ["x", "y"] {
        group(&mut world, name, "a", "low", 0);
        world.pod(member(name, name).on("n"));
    }
    let preemptor = Some(queue(&world, "a"));
    for (x, y, first) in [(1, 2, Ordering::Greater), (2, 1, Ordering::Less), (1, 1, Ordering::Greater)] {
        let [mut one, mut other] = ["x", "y"].map(|name| at(&world, name));
        (one.times.started, other.times.started) = (Some(x), Some(y));
        let said = (lesser_job_gives_first::LAW.function)(world.engine.cluster(), preemptor, &one, &other);
        assert_eq!(said, first, "x started at {x}, y at {y}");
    }
}

#[test]
fn in_a_tree_the_nearer_queue_gives_first_whatever_its_priority() {
    let below = |parent: &str, priority: u32| json!({"parent": parent, "priority": priority});
    let queues = [("p", below("root", 0)), ("a", below("p", 0)), ("near", below("p", 9)), ("far", below("root", 0))];
    assert_eq!(gives_first(TREE, &queues, ["near", "far"], ["high", "low"]), Ordering::Less);
    assert_eq!(gives_first(TREE, &queues, ["a", "near"], ["high", "low"]), Ordering::Less);
    assert_eq!(gives_first("", &queues, ["near", "far"], ["high", "low"]), Ordering::Greater, "there is no tree");
}

/// Checks whether a pod of `x` may be evicted for the queue of `preemptor`, with so many watched ancestors. `x` deserves 1 and uses 3. Its parent `p`
/// deserves and uses 3, and the parent of `p`, `g`, deserves 2 and uses 3.
fn gives(levels: u32, preemptor: &str) -> bool {
    let mut world = world(&format!(r#"{{"enableHierarchy": true, "ancestorReclaimLevel": {levels}}}"#));
    let queue = |parent: &str, deserved: u32| json!({"parent": parent, "deserved": {"cpu": deserved}});
    for (name, spec) in [
        ("g", queue("root", 2)),
        ("p", queue("g", 3)),
        ("x", queue("p", 1)),
        ("sibling", queue("p", 1)),
        ("o", queue("root", 1)),
    ] {
        queue_of(&mut world, name, spec);
    }
    group(&mut world, "v", "x", "low", 0);
    for name in ["v0", "v1", "v2"] {
        world.pod(member(name, "v").on("n"));
    }
    group(&mut world, "w", preemptor, "low", 0);
    world.pod(member("w", "w"));
    let (asking, victim) = (world.id("w"), at(&world, "v0"));
    let ix = PodIx(world.id("v0"));
    world
        .engine
        .while_waiting(asking, |case| (normal_victim_queue_is_above_deserved::LAW.function)(case, ix, &victim))
        .is_ok()
}

#[test]
fn as_many_ancestors_are_watched_as_the_argument_says() {
    assert!(gives(0, "o"), "its own queue alone");
    assert!(!gives(1, "o"), "its parent holds what it deserves");
    assert!(!gives(2, "o"), "that the parent of the parent holds more does not help");
    assert!(gives(1, "sibling"), "the parent is that of the preemptor, too");
    assert!(gives(9, "sibling"), "and so is everything above it");
}
