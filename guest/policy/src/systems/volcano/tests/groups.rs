//! The settings of PodGroups and Jobs, and their priority classes.

use serde_json::json;

use super::{ELASTIC, elastic_of, group, member, pod_group_of, world};
use crate::model::{ElasticSettings, ElasticSizes};
use crate::testing::{PolicyHarness, object};

fn elastic(annotations: &[(&str, &str)]) -> (Option<ElasticSettings>, Vec<String>) {
    let mut world = world();
    group(&mut world, annotations, json!({"minMember": 2}));
    let reported = world.findings.iter().map(|finding| finding.path.clone()).collect();
    (elastic_of(&world), reported)
}

#[test]
fn elastic_annotations_set_sizes_and_interval() {
    let power = |text| ("volcano.sh/elastic-train-power-of-two", text);
    let factor = |text| ("volcano.sh/elastic-train-factor", text);
    let interval = |text| ("volcano.sh/elastic-cooldown-time", text);
    let path = |key: &str| vec![format!("/metadata/annotations/volcano.sh~1{key}")];
    let terms = |sizes, interval| Some(ElasticSettings { sizes, interval, most: None });
    for (annotations, expected, reported) in [
        (vec![], None, vec![]),
        (vec![("volcano.sh/elastic-train", "false"), power("true")], None, vec![]),
        (vec![("volcano.sh/elastic-train", "yes")], None, path("elastic-train")),
        (vec![ELASTIC], terms(ElasticSizes::Multiples(1), 0), vec![]),
        (vec![ELASTIC, factor("3")], terms(ElasticSizes::Multiples(3), 0), vec![]),
        (vec![ELASTIC, factor("0")], terms(ElasticSizes::Multiples(1), 0), path("elastic-train-factor")),
        (vec![ELASTIC, factor("-2")], terms(ElasticSizes::Multiples(1), 0), path("elastic-train-factor")),
        (vec![ELASTIC, power("true"), factor("2")], terms(ElasticSizes::PowersOfTwo, 0), vec![]),
        (vec![ELASTIC, power("false"), factor("2")], terms(ElasticSizes::Multiples(2), 0), vec![]),
        (
            vec![ELASTIC, power("maybe"), factor("2")],
            terms(ElasticSizes::Multiples(2), 0),
            path("elastic-train-power-of-two"),
        ),
        (vec![ELASTIC, interval("10m0s")], terms(ElasticSizes::Multiples(1), 600_000_000_000), vec![]),
        (vec![ELASTIC, interval("soon")], terms(ElasticSizes::Multiples(1), 0), path("elastic-cooldown-time")),
        (vec![ELASTIC, interval("-5m")], terms(ElasticSizes::Multiples(1), 0), path("elastic-cooldown-time")),
        (vec![ELASTIC, power("cube")], terms(ElasticSizes::Multiples(1), 0), path("elastic-train-power-of-two")),
        (vec![ELASTIC, factor("2.5")], terms(ElasticSizes::Multiples(1), 0), path("elastic-train-factor")),
        (vec![ELASTIC, power("true"), factor("0")], terms(ElasticSizes::PowersOfTwo, 0), path("elastic-train-factor")),
    ] {
        assert_eq!(elastic(&annotations), (expected, reported), "{annotations:?}");
    }
}

#[test]
fn the_preemptable_annotation_of_a_group_precedes_its_label_and_invalid_values_are_reported() {
    const KEY: &str = "volcano.sh/preemptable";
    for (label, annotation, opted_out, reported) in [
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
        let pod_group = pod_group_of(&world);
        assert_eq!((pod_group.opted_out, world.findings.len()), (opted_out, reported), "{label:?} {annotation:?}");
    }
}

#[test]
fn a_job_that_needs_more_pods_than_its_tasks_have_is_reported() {
    for (minimum, reported) in [(4, 0), (5, 1)] {
        let mut world = world();
        let spec = json!({"spec": {"minAvailable": minimum, "tasks": [{"replicas": 3}, {"name": "ps"}]}});
        world.object(object("Job", "default/j", [&[], &[]], spec));
        assert_eq!(world.findings.len(), reported, "{minimum} of 4");
    }
}

#[test]
fn a_group_without_elastic_annotations_uses_those_of_its_job() {
    let mut world = world();
    group(&mut world, &[], json!({"minMember": 2}));
    world.pod(member("p").label("volcano.sh/job-name", "j"));
    let spec = json!({"spec": {"tasks": [{"replicas": 8}]}});
    world.object(object("Job", "default/j", [&[], &[ELASTIC]], spec));
    let expected = ElasticSettings { sizes: ElasticSizes::Multiples(1), interval: 0, most: Some(8) };
    assert_eq!(elastic_of(&world), Some(expected));
}

#[test]
fn the_oldest_pod_names_the_job_of_its_group() {
    let most = |world: &PolicyHarness| elastic_of(world).and_then(|elastic| elastic.most);
    let mut world = world();
    group(&mut world, &[ELASTIC], json!({"minMember": 1}));
    for (name, replicas) in [("first", 3), ("second", 5)] {
        let spec = json!({"spec": {"tasks": [{"replicas": replicas}]}});
        world.object(object("Job", &format!("default/{name}"), [&[], &[]], spec));
    }
    let named = |name: &str, created, job: &str| {
        member(name).label("volcano.sh/job-name", job).with(|pod| pod.created = created)
    };
    world.pod(named("old", 1, "first"));
    world.pod(named("young", 2, "second"));
    assert_eq!(most(&world), Some(3), "in any order of reports");
    world.remove_pod("default/old");
    assert_eq!(most(&world), Some(5), "a removed pod names no job");
}

#[test]
fn a_priority_class_with_an_invalid_value_is_reported() {
    for (value, reported) in [(json!(7), 0), (json!("high"), 1), (json!(i64::MAX), 1)] {
        let mut world = world();
        world.object(object("PriorityClass", "/high", [&[], &[]], json!({ "value": value })));
        assert_eq!(world.findings.len(), reported, "{value}");
    }
}

#[test]
fn roles_are_used_where_the_minimum_covers_them() {
    for (minimum, roles) in [(2, 0), (3, 2), (4, 2)] {
        let mut world = world();
        group(&mut world, &[], json!({"minMember": minimum, "minTaskMember": {"ps": 1, "worker": 2}}));
        assert_eq!(pod_group_of(&world).roles.len(), roles, "{minimum}");
    }
}

#[test]
fn a_priority_class_may_be_reported_after_its_group() {
    let mut world = world();
    group(&mut world, &[], json!({"minMember": 1, "priorityClassName": "high"}));
    let priority = |world: &PolicyHarness| pod_group_of(world).priority;
    assert_eq!(priority(&world), 0);
    world.object(object("PriorityClass", "/high", [&[], &[]], json!({"value": 1000})));
    assert_eq!(priority(&world), 1000);
}
