//! Tests of the readers: what each object says, and what its author is told where it means nothing.

use serde_json::{Value, json};

use crate::contract::Severity;
use crate::model::{Class, Cluster, Elastic, Job, Pod, PodIx, Sizes};
use crate::testing::{Draft, World, object, pod};

fn world() -> World {
    let mut world = World::of("volcano", "");
    world.node("n", "cpu=64");
    world
}

fn group(world: &mut World, annotations: &[(&str, &str)], spec: Value) {
    world.object(object("PodGroup", "default/g", [&[], annotations], json!({ "spec": spec })));
}

fn job(cluster: &Cluster) -> &Job {
    cluster.job(cluster.job_named(&("default".to_owned(), "g".to_owned())).unwrap()).unwrap()
}

fn elastic(annotations: &[(&str, &str)]) -> (Option<Elastic>, Vec<String>) {
    let mut world = world();
    group(&mut world, annotations, json!({"minMember": 2}));
    let told = world.findings.iter().map(|finding| finding.path.clone()).collect();
    (job(world.engine.cluster()).elastic().cloned(), told)
}

const ELASTIC: (&str, &str) = ("volcano.sh/elastic-train", "true");

#[test]
fn what_elastic_annotations_say() {
    let power = |text| ("volcano.sh/elastic-train-power-of-two", text);
    let factor = |text| ("volcano.sh/elastic-train-factor", text);
    let interval = |text| ("volcano.sh/elastic-cooldown-time", text);
    let path = |key: &str| vec![format!("/metadata/annotations/volcano.sh~1{key}")];
    let terms = |sizes, interval| Some(Elastic { sizes, interval, most: None });
    for (annotations, expected, told) in [
        (vec![], None, vec![]),
        (vec![("volcano.sh/elastic-train", "false"), power("true")], None, vec![]),
        (vec![("volcano.sh/elastic-train", "yes")], None, path("elastic-train")),
        (vec![ELASTIC], terms(Sizes::Multiples(1), 0), vec![]),
        (vec![ELASTIC, factor("3")], terms(Sizes::Multiples(3), 0), vec![]),
        (vec![ELASTIC, factor("0")], terms(Sizes::Multiples(1), 0), path("elastic-train-factor")),
        (vec![ELASTIC, factor("-2")], terms(Sizes::Multiples(1), 0), path("elastic-train-factor")),
        (vec![ELASTIC, power("true"), factor("2")], terms(Sizes::PowersOfTwo, 0), vec![]),
        (vec![ELASTIC, power("false"), factor("2")], terms(Sizes::Multiples(2), 0), vec![]),
        (vec![ELASTIC, power("maybe"), factor("2")], terms(Sizes::Multiples(2), 0), path("elastic-train-power-of-two")),
        (vec![ELASTIC, interval("10m0s")], terms(Sizes::Multiples(1), 600_000_000_000), vec![]),
        (vec![ELASTIC, interval("soon")], terms(Sizes::Multiples(1), 0), path("elastic-cooldown-time")),
        (vec![ELASTIC, interval("-5m")], terms(Sizes::Multiples(1), 0), path("elastic-cooldown-time")),
        (vec![ELASTIC, power("cube")], terms(Sizes::Multiples(1), 0), path("elastic-train-power-of-two")),
        (vec![ELASTIC, factor("2.5")], terms(Sizes::Multiples(1), 0), path("elastic-train-factor")),
        (vec![ELASTIC, power("true"), factor("0")], terms(Sizes::PowersOfTwo, 0), path("elastic-train-factor")),
    ] {
        assert_eq!(elastic(&annotations), (expected, told), "{annotations:?}");
    }
}

#[test]
fn the_author_is_told_once_by_object_and_key() {
    let mut world = world();
    for minimum in [2, 3] {
        group(&mut world, &[ELASTIC, ("volcano.sh/elastic-train-factor", "0")], json!({"minMember": minimum}));
    }
    let told = world.findings.first().unwrap();
    assert_eq!(world.findings.len(), 1);
    assert_eq!((told.severity, told.object.as_str()), (Severity::Warning, "PodGroup/default/g"));
    assert_eq!(told.message, "`0` is not a factor, and counts as 1");
}

#[test]
fn numbers_that_are_none_are_told_once_and_read_as_the_message_says() {
    let mut world = world();
    for _ in 0..2 {
        let roles = json!({"ps": -1, "worker/gpu": "two", "master": 1});
        group(&mut world, &[], json!({"minMember": -3, "minTaskMember": roles}));
        let tasks = json!([{"replicas": -2}, {"replicas": 3}]);
        world.object(object("Job", "default/j", [&[], &[]], json!({"spec": {"minAvailable": -1, "tasks": tasks}})));
        let member = member("p").label("volcano.sh/task-index", "first").label("volcano.sh/elastic-train", "yes");
        world.pod(member.label("volcano.sh/cooldown-time", "-1s"));
    }
    let told: Vec<_> = world.findings.iter().map(|told| (told.object.as_str(), told.path.as_str())).collect();
    assert_eq!(
        told,
        [
            ("PodGroup/default/g", "/spec/minMember"),
            ("PodGroup/default/g", "/spec/minTaskMember/ps"),
            ("PodGroup/default/g", "/spec/minTaskMember/worker~1gpu"),
            ("Job/default/j", "/spec/tasks/0/replicas"),
            ("Job/default/j", "/spec/minAvailable"),
            ("Pod/default/p", "/metadata/labels/volcano.sh~1cooldown-time"),
            ("Pod/default/p", "/metadata/labels/volcano.sh~1task-index"),
            ("Pod/default/p", "/metadata/labels/volcano.sh~1elastic-train"),
        ]
    );
    assert_eq!(job(world.engine.cluster()).gang().unwrap().minimum, 0);
    assert_eq!(job(world.engine.cluster()).charter.as_ref().unwrap().roles, [], "1 of them is more than the minimum");
}

#[test]
fn a_queue_with_a_negative_amount_stays_as_it_was() {
    let mut world = world();
    for deserved in ["4", "-4"] {
        world.object(object("Queue", "/q", [&[], &[]], json!({"spec": {"deserved": {"cpu": deserved}}})));
    }
    let told: Vec<_> =
        world.findings.iter().map(|told| (told.severity, told.object.as_str(), told.path.as_str())).collect();
    assert_eq!(told, [(Severity::Error, "Queue/q", "/spec/deserved/cpu")]);
    let cluster = world.engine.cluster();
    let cpu = cluster.resource_named("cpu").unwrap();
    let (_, queue) = cluster.queues().find(|(_, queue)| queue.name == "q").unwrap();
    assert_eq!(queue.bounds.deserved.get(cpu), Some(4000));
}

#[test]
fn a_group_that_is_not_preemptable_says_so_before_its_label_and_is_told_of_what_is_neither() {
    const KEY: &str = "volcano.sh/preemptable";
    for (label, annotation, opted_out, told) in [
        (None, None, false, 0),
        (Some("false"), None, true, 0),
        (Some("false"), Some("true"), false, 0),
        (None, Some("False"), true, 0),
        (None, Some("maybe"), true, 1),
    ] {
        let mut world = world();
        let labels: Vec<_> = label.into_iter().map(|text| (KEY, text)).collect();
        let annotations: Vec<_> = annotation.into_iter().map(|text| (KEY, text)).collect();
        let spec = json!({"spec": {"minMember": 1}});
        world.object(object("PodGroup", "default/g", [&labels, &annotations], spec));
        let charter = job(world.engine.cluster()).charter.clone().unwrap();
        assert_eq!((charter.opted_out, world.findings.len()), (opted_out, told), "{label:?} {annotation:?}");
    }
}

#[test]
fn without_a_label_the_pods_after_the_minimum_are_elastic_whenever_they_are_told() {
    let mut world = world();
    let classes = |world: &World| {
        let cluster = world.engine.cluster();
        let class = |name: &str| cluster.pod(PodIx(world.id(name))).unwrap().traits.class == Class::Preemptible;
        ["a", "b", "c"].map(class)
    };
    // By index: b, c, a.
    for (name, index) in [("a", "7"), ("b", "0"), ("c", "3")] {
        world.pod(member(name).label("volcano.sh/task-index", index));
    }
    group(&mut world, &[ELASTIC], json!({"minMember": 2}));
    assert_eq!(classes(&world), [true, false, false]);
    group(&mut world, &[ELASTIC], json!({"minMember": 1}));
    assert_eq!(classes(&world), [true, false, true]);
    world.pod(member("a").label("volcano.sh/task-index", "1"));
    group(&mut world, &[ELASTIC], json!({"minMember": 2}));
    assert_eq!(classes(&world), [false, false, true], "a comes before c now");
    world.pod(member("b").label("volcano.sh/task-index", "0").label("volcano.sh/elastic-train", "true"));
    assert_eq!(classes(&world), [false, true, false], "where there are labels, they decide");
    group(&mut world, &[], json!({"minMember": 2}));
    assert_eq!(classes(&world), [false; 3]);
}

#[test]
fn a_job_that_needs_more_pods_than_it_has_is_told_so() {
    for (minimum, told) in [(4, 0), (5, 1)] {
        let mut world = world();
        let spec = json!({"spec": {"minAvailable": minimum, "tasks": [{"replicas": 3}, {"name": "ps"}]}});
        world.object(object("Job", "default/j", [&[], &[]], spec));
        assert_eq!(world.findings.len(), told, "{minimum} of 4");
    }
}

#[test]
fn a_group_that_says_nothing_of_elasticity_is_as_its_job() {
    let mut world = world();
    group(&mut world, &[], json!({"minMember": 2}));
    world.pod(member("p").label("volcano.sh/job-name", "j"));
    let spec = json!({"spec": {"tasks": [{"replicas": 8}]}});
    world.object(object("Job", "default/j", [&[], &[ELASTIC]], spec));
    let expected = Elastic { sizes: Sizes::Multiples(1), interval: 0, most: Some(8) };
    assert_eq!(job(world.engine.cluster()).elastic(), Some(&expected));
}

#[test]
fn roles_count_where_the_minimum_covers_them() {
    for (minimum, roles) in [(2, 0), (3, 2), (4, 2)] {
        let mut world = world();
        group(&mut world, &[], json!({"minMember": minimum, "minTaskMember": {"ps": 1, "worker": 2}}));
        assert_eq!(job(world.engine.cluster()).charter.as_ref().unwrap().roles.len(), roles, "{minimum}");
    }
}

#[test]
fn a_priority_class_counts_whenever_it_is_told() {
    let mut world = world();
    group(&mut world, &[], json!({"minMember": 1, "priorityClassName": "high"}));
    let priority = |world: &World| job(world.engine.cluster()).charter.as_ref().unwrap().priority;
    assert_eq!(priority(&world), 0);
    world.object(object("PriorityClass", "/high", [&[], &[]], json!({"value": 1000})));
    assert_eq!(priority(&world), 1000);
}

fn member(name: &str) -> Draft {
    pod(name).asks("cpu=1").annotation("scheduling.k8s.io/group-name", "g")
}

fn read(draft: Draft) -> (Pod, usize) {
    let (mut world, name) = (world(), draft.name());
    group(&mut world, &[ELASTIC], json!({"minMember": 1}));
    world.pod(draft);
    let ix = PodIx(world.id(&name));
    (world.engine.cluster().pod(ix).unwrap().clone(), world.findings.len())
}

#[test]
fn whether_a_pod_may_be_evicted_the_annotation_says_before_the_label() {
    const KEY: &str = "volcano.sh/preemptable";
    for (label, annotation, opted_out, told) in [
        (None, None, false, 0),
        (Some("false"), None, true, 0),
        (Some("true"), None, false, 0),
        (Some("false"), Some("true"), false, 0),
        (Some("true"), Some("false"), true, 0),
        (Some("perhaps"), None, true, 1),
        (None, Some(""), true, 1),
    ] {
        let draft = label.into_iter().fold(member("p"), |draft, text| draft.label(KEY, text));
        let draft = annotation.into_iter().fold(draft, |draft, text| draft.annotation(KEY, text));
        let (pod, findings) = read(draft);
        assert_eq!((pod.traits.opted_out, findings), (opted_out, told), "{label:?} {annotation:?}");
    }
}

#[test]
fn how_long_a_pod_is_protected_the_label_says_before_the_annotation() {
    const KEY: &str = "volcano.sh/cooldown-time";
    for (label, annotation, scheduled, until, told) in [
        (None, None, Some(7), None, 0),
        (Some("1s"), None, Some(7), Some(1_000_000_007), 0),
        (Some("1s"), Some("2s"), Some(7), Some(1_000_000_007), 0),
        (None, Some("2s"), Some(7), Some(2_000_000_007), 0),
        (None, Some("2s"), None, None, 0),
        (None, Some("long"), Some(7), None, 1),
    ] {
        let draft = label.into_iter().fold(member("p"), |draft, text| draft.label(KEY, text));
        let draft = annotation.into_iter().fold(draft, |draft, text| draft.annotation(KEY, text));
        let (pod, findings) = read(draft.with(|pod| pod.scheduled = scheduled));
        assert_eq!((pod.traits.task.protected_until, findings), (until, told), "{label:?} {annotation:?}");
    }
}

#[test]
fn a_pod_is_elastic_by_its_label_if_its_job_is() {
    let labelled = || member("p").label("volcano.sh/elastic-train", "true");
    assert_eq!(read(labelled()).0.traits.class, Class::Preemptible);
    assert_eq!(read(member("p")).0.traits.class, Class::NonPreemptible);
    let mut world = world();
    world.pod(labelled());
    group(&mut world, &[], json!({"minMember": 1}));
    let class = |world: &World| world.engine.cluster().pod(PodIx(world.id("p"))).unwrap().traits.class;
    assert_eq!(class(&world), Class::NonPreemptible);
    group(&mut world, &[ELASTIC], json!({"minMember": 1}));
    assert_eq!(class(&world), Class::Preemptible, "the pod was told before its group was elastic");
}

#[test]
fn a_pod_has_its_own_priority_within_the_job_and_1_without() {
    let task = |text: &str| member("p").priority(5).annotation("volcano.sh/task-priority", text);
    assert_eq!(read(member("p").with(|pod| pod.priority = None)).0.priority(), 1);
    assert_eq!(read(member("p").priority(5)).0.priority(), 5);
    assert_eq!(read(task("9")).0.priority(), 9);
    let (pod, told) = read(task("high"));
    assert_eq!((pod.priority(), told), (5, 1));
}

/// What each queue may hold of cpu, on a node of 64 cores.
fn real(arguments: &str, queues: &[(&str, Value)]) -> Vec<(String, Option<i64>)> {
    let mut world = World::of("volcano", arguments);
    world.node("n", "cpu=64");
    for (name, spec) in queues {
        world.object(object("Queue", &format!("/{name}"), [&[], &[]], json!({ "spec": spec })));
    }
    world.engine.act().unwrap();
    let cpu = world.engine.cluster().resource_named("cpu").unwrap();
    let queues = world.engine.cluster().queues();
    let mut real: Vec<_> = queues.map(|(_, queue)| (queue.name.clone(), queue.limit().1.get(cpu))).collect();
    real.sort();
    real
}

#[test]
fn what_is_guaranteed_to_others_is_not_there_to_be_held() {
    let guarantee = |cores: &str| json!({"resource": {"cpu": cores}});
    let queues = [
        ("a", json!({"guarantee": guarantee("10")})),
        ("b", json!({"guarantee": guarantee("4"), "capability": {"cpu": "20"}})),
        ("c", json!({"capability": {"memory": "1Gi"}})),
    ];
    // 64 - 14 and what is one's own.
    let expected = [("a", 60_000), ("b", 20_000), ("c", 50_000), ("default", 50_000)];
    assert_eq!(real("", &queues), expected.map(|(name, cores)| (name.to_owned(), Some(cores))));
}

#[test]
fn in_a_tree_a_queue_may_hold_what_its_parent_may() {
    let queues = [
        ("p", json!({"capability": {"cpu": "10"}})),
        ("c", json!({"parent": "p", "guarantee": {"resource": {"cpu": "3"}}})),
        ("d", json!({"parent": "p", "capability": {"cpu": "40"}})),
        ("e", json!({"parent": "nobody"})),
    ];
    let expected = [("c", 10_000), ("d", 7_000), ("default", 64_000), ("e", 64_000), ("p", 10_000), ("root", 64_000)];
    let real = real(r#"{"enableHierarchy": true}"#, &queues);
    assert_eq!(real, expected.map(|(name, cores)| (name.to_owned(), Some(cores))));
}
