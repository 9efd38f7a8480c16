//! What a gang needs: from its PodGroup, or from the annotations of its pods.

use serde_json::{Value, json};

use super::{job_of, reported as every_finding};
use crate::contract::{Event, Finding, Object, Severity};
use crate::model::{Gang, MatchPolicy};
use crate::testing::{PodBuilder, PolicyHarness, key, object, pod, pod_group};

const GANG: &str = "gang.scheduling.koordinator.sh/name";
const MINIMUM: &str = "gang.scheduling.koordinator.sh/min-available";
const TIMEOUT: &str = "gang.scheduling.koordinator.sh/waiting-time";
const MODE: &str = "gang.scheduling.koordinator.sh/mode";
const GROUPS: &str = "gang.scheduling.koordinator.sh/groups";
const MATCH: &str = "gang.scheduling.koordinator.sh/match-policy";
const SECOND: i64 = 1_000_000_000;

/// Creates a strict gang that waits for the default of 600 seconds and must be complete only once.
fn plain(minimum: u32) -> Gang {
    Gang {
        minimum,
        timeout: 600 * SECOND,
        releases_on_failure: true,
        releases_on_unreserve: true,
        match_policy: MatchPolicy::OnceSatisfied,
        counts_gated: true,
        group: Vec::new(),
        unsupported_field: None,
    }
}

/// Returns the findings about fields. The tests of `GangFindings` cover the finding that a gang has no usable PodGroup.
fn reported(findings: &[Finding]) -> Vec<(Severity, &str, &str, &str)> {
    every_finding(findings).into_iter().filter(|(.., message)| !message.contains("no usable PodGroup")).collect()
}

fn with_spec(spec: Value, annotations: &[(&str, &str)]) -> Object {
    object("PodGroup", "default/g", [&[], annotations], json!({"spec": spec}))
}

/// Returns the gang that a PodGroup gives to a pod of its job.
fn declared(spec: Value, annotations: &[(&str, &str)]) -> (Option<Gang>, PolicyHarness) {
    let mut world = PolicyHarness::new();
    world.pod(pod("p").job("g"));
    world.object(with_spec(spec, annotations));
    (gang(&world), world)
}

/// Returns the gang that the annotations of a pod give.
fn annotated(annotations: &[(&str, &str)]) -> (Option<Gang>, PolicyHarness) {
    let mut world = PolicyHarness::new();
    world.pod(with_annotations(pod("p"), annotations));
    (gang(&world), world)
}

fn with_annotations(draft: PodBuilder, annotations: &[(&str, &str)]) -> PodBuilder {
    let draft = draft.annotation(GANG, "g");
    annotations.iter().fold(draft, |draft, (key, value)| draft.annotation(key, value))
}

fn gang(world: &PolicyHarness) -> Option<Gang> {
    job_of(world, "p").and_then(|job| job.gang()).cloned()
}

#[test]
fn a_pod_group_and_annotations_describe_the_same_gang() {
    let every = [
        (TIMEOUT, "90s"),
        (MODE, "NonStrict"),
        (MATCH, "waiting-and-running"),
        (GROUPS, r#"["default/g", "other/h"]"#),
    ];
    let expected = Gang {
        minimum: 3,
        timeout: 90 * SECOND,
        releases_on_failure: false,
        releases_on_unreserve: false,
        match_policy: MatchPolicy::WaitingAndRunning,
        counts_gated: true,
        group: vec![("default".to_owned(), "g".to_owned()), ("other".to_owned(), "h".to_owned())],
        unsupported_field: None,
    };
    assert_eq!(declared(json!({"minMember": 3}), &every).0, Some(expected.clone()));
    let mut annotations = vec![(MINIMUM, "3")];
    annotations.extend(every);
    assert_eq!(annotated(&annotations).0, Some(expected));
    assert_eq!(declared(json!({"minMember": 2}), &[]).0, Some(plain(2)));
    assert_eq!(annotated(&[(MINIMUM, "2")]).0, Some(plain(2)));
}

#[test]
fn empty_annotations_count_as_absent() {
    let (gang, world) = declared(json!({"minMember": 2}), &[(MODE, ""), (MATCH, ""), (GROUPS, "")]);
    assert_eq!((gang, reported(&world.findings)), (Some(plain(2)), vec![]));
}

#[test]
fn every_mode_and_policy_is_read_by_its_name() {
    for (mode, strict) in [("Strict", true), ("NonStrict", false)] {
        let expected = Gang { releases_on_failure: strict, releases_on_unreserve: strict, ..plain(1) };
        assert_eq!(declared(json!({"minMember": 1}), &[(MODE, mode)]).0, Some(expected));
    }
    for (policy, matching) in [
        ("once-satisfied", MatchPolicy::OnceSatisfied),
        ("only-waiting", MatchPolicy::OnlyWaiting),
        ("waiting-and-running", MatchPolicy::WaitingAndRunning),
    ] {
        assert_eq!(
            declared(json!({"minMember": 1}), &[(MATCH, policy)]).0,
            Some(Gang { match_policy: matching, ..plain(1) })
        );
    }
}

#[test]
fn the_timeout_is_the_fields_then_the_annotations_then_the_arguments() {
    let timeout = |spec, annotations: &[_]| declared(spec, annotations).0.map(|gang| gang.timeout / SECOND);
    let both = json!({"minMember": 1, "scheduleTimeoutSeconds": 30});
    assert_eq!(timeout(both.clone(), &[]), Some(30));
    assert_eq!(timeout(both, &[(TIMEOUT, "90s")]), Some(30));
    assert_eq!(timeout(json!({"minMember": 1}), &[(TIMEOUT, "1m30s")]), Some(90));
    let mut world = PolicyHarness::with(r#"{"defaultTimeout": "5m"}"#);
    world.object(pod_group("g", 1, &[]));
    world.pod(pod("p").job("g"));
    assert_eq!(gang(&world).map(|gang| gang.timeout / SECOND), Some(300));
}

#[test]
fn the_pod_group_wins_over_annotations_as_long_as_it_is_there() {
    let mut world = PolicyHarness::new();
    world.pod(with_annotations(pod("p"), &[(MINIMUM, "5")]));
    assert_eq!(gang(&world), Some(plain(5)));
    let group = pod_group("g", 2, &[]);
    world.object(group.clone());
    assert_eq!(gang(&world), Some(plain(2)));
    world.pod(with_annotations(pod("p"), &[(MINIMUM, "6")]));
    assert_eq!(gang(&world), Some(plain(2)));
    world.apply(vec![Event::ObjectRemoved(key(&group))]);
    assert_eq!(gang(&world), Some(plain(6)));
}

#[test]
fn a_pod_group_of_another_namespace_is_of_another_gang() {
    let mut world = PolicyHarness::new();
    world.pod(pod("p").job("g"));
    world.object(object("PodGroup", "other/g", [&[], &[]], json!({"spec": {"minMember": 1}})));
    assert_eq!(gang(&world), None);
}

#[test]
fn a_number_of_members_must_be_one_or_more() {
    let path = "/spec/minMember";
    for (spec, message) in [
        (json!({}), "the number of pods to bind together is missing"),
        (json!({"minMember": 0}), "`0` is not a number of pods"),
        (json!({"minMember": -1}), "`-1` is not a number of pods"),
        (json!({"minMember": 1.5}), "`1.5` is not a number of pods"),
        (json!({"minMember": 4_294_967_296_u64}), "`4294967296` is not a number of pods"),
        (json!({"minMember": "3"}), r#"`"3"` is not a number of pods"#),
    ] {
        let (gang, world) = declared(spec, &[]);
        assert_eq!(gang, None);
        assert_eq!(reported(&world.findings), [(Severity::Error, "PodGroup/default/g", path, message)]);
    }
}

#[test]
fn an_unknown_value_makes_the_gang_unusable_and_the_last_valid_one_stays() {
    let escaped = |key: &str| format!("/metadata/annotations/{}", key.replace('/', "~1"));
    for (key, value, message) in [
        (MODE, "strict", "`strict` is not a known value"),
        (MATCH, "always", "`always` is not a known value"),
        (GROUPS, "default/g", "`default/g` is not a known value"),
        (GROUPS, r#"["g"]"#, r#"`["g"]` is not a known value"#),
        (TIMEOUT, "soon", "`soon` is not a duration above 0"),
        (TIMEOUT, "-1s", "`-1s` is not a duration above 0"),
    ] {
        let path = escaped(key);
        let mut world = PolicyHarness::new();
        world.pod(pod("p").job("g"));
        world.object(pod_group("g", 4, &[]));
        world.object(pod_group("g", 2, &[(key, value)]));
        assert_eq!(reported(&world.findings), [(Severity::Error, "PodGroup/default/g", path.as_str(), message)]);
        assert_eq!(gang(&world), Some(plain(4)));

        let (gang, world) = annotated(&[(MINIMUM, "2"), (key, value)]);
        assert_eq!(reported(&world.findings), [(Severity::Error, "Pod/default/p", path.as_str(), message)]);
        assert_eq!(gang, None);
    }
}

#[test]
fn without_a_minimum_the_annotations_describe_no_gang() {
    let (gang, world) = annotated(&[(MODE, "Strict")]);
    assert_eq!((gang, reported(&world.findings)), (None, vec![]));
}

#[test]
fn a_gang_may_be_named_by_label_and_described_by_annotation() {
    let mut world = PolicyHarness::new();
    world.pod(pod("p").job("g").annotation(MINIMUM, "2"));
    assert_eq!(gang(&world), Some(plain(2)));
}

#[test]
fn an_annotated_minimum_must_be_one_or_more() {
    for text in ["many", "0", "-1", ""] {
        let (gang, world) = annotated(&[(MINIMUM, text)]);
        assert_eq!(gang, None);
        let path = format!("/metadata/annotations/{}", MINIMUM.replace('/', "~1"));
        let message = format!("`{text}` is not a number of pods");
        assert_eq!(reported(&world.findings), [(Severity::Error, "Pod/default/p", path.as_str(), message.as_str())]);
    }
}

/// Creates a world with these pods of a gang, reported in this order: name, creation, annotated minimum and mode.
fn with_pods(pods: &[(&str, i64, &str, &str)]) -> PolicyHarness {
    let mut world = PolicyHarness::new();
    for (name, created, minimum, mode) in pods {
        let draft = with_annotations(pod(name), &[(MINIMUM, minimum), (MODE, mode)]);
        world.pod(draft.with(|pod| pod.created = *created));
    }
    world
}

#[test]
fn of_different_annotations_the_largest_minimum_is_used_then_the_oldest_pod_in_any_order_of_reports() {
    let loose = |minimum| Gang { releases_on_failure: false, releases_on_unreserve: false, ..plain(minimum) };
    let (young, old) = (("p", 2, "3", "Strict"), ("q", 1, "3", "NonStrict"));
    for pods in [[young, old], [old, young]] {
        assert_eq!(gang(&with_pods(&pods)), Some(loose(3)), "{pods:?}");
    }
    let (large, small) = (("p", 2, "3", "Strict"), ("q", 1, "2", "NonStrict"));
    for pods in [[large, small], [small, large]] {
        assert_eq!(gang(&with_pods(&pods)), Some(plain(3)), "{pods:?}");
    }
    let path = format!("/metadata/annotations/{}", MINIMUM.replace('/', "~1"));
    let message = "the pod requests 2 pods for its gang, another pod 3; the larger number is used";
    let world = with_pods(&[large, small]);
    assert_eq!(reported(&world.findings), [(Severity::Warning, "Pod/default/q", path.as_str(), message)]);
    assert_eq!(reported(&with_pods(&[young, old]).findings), []);
}

#[test]
fn annotations_of_a_pod_that_is_gone_changed_or_moved_have_no_effect_any_more() {
    let world = || with_pods(&[("p", 1, "2", ""), ("q", 2, "3", "")]);
    assert_eq!(gang(&world()), Some(plain(3)));
    let mut gone = world();
    gone.remove_pod("q");
    assert_eq!(gang(&gone), Some(plain(2)));
    let mut changed = world();
    changed.pod(with_annotations(pod("q"), &[(MINIMUM, "1")]).with(|pod| pod.created = 2));
    assert_eq!(gang(&changed), Some(plain(2)));
    let mut moved = world();
    moved.pod(pod("q").annotation(GANG, "h").annotation(MINIMUM, "many"));
    assert_eq!(gang(&moved), Some(plain(2)));
    let mut silent = world();
    silent.pod(pod("q").annotation(GANG, "g"));
    silent.pod(pod("p").annotation(GANG, "g"));
    assert_eq!(gang(&silent), None);
    let mut mistaken = world();
    mistaken.pod(with_annotations(pod("q"), &[(MINIMUM, "many")]));
    assert_eq!(gang(&mistaken), Some(plain(3)), "an invalid annotation leaves the gang unchanged");
}
