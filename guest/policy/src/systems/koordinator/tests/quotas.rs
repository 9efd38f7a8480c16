//! ElasticQuotas: their bounds, what is counted against them, and what is wrong with them.

use serde_json::{Value, json};

use super::told;
use crate::contract::{Amount, Bound, Event, Object, Severity};
use crate::testing::{DEFAULT, ROOT, World, amounts, object, pod, quota};

const NAMESPACES: &str = "quota.scheduling.koordinator.sh/namespaces";

/// A quota of namespace `quotas` with this spec.
fn with_spec(name: &str, spec: Value) -> Object {
    object("ElasticQuota", &format!("quotas/{name}"), [&[], &[]], json!({"spec": spec}))
}

fn bound(world: &World, quota: &str, name: &str) -> Vec<Amount> {
    let bounds: Vec<Bound> = world.account(quota).bounds;
    bounds.into_iter().find(|bound| bound.name == name).map(|bound| bound.amounts).unwrap_or_default()
}

#[test]
fn min_and_max_are_read_in_every_spelling_of_a_quantity() {
    let mut world = World::new();
    world.object(with_spec(
        "q",
        json!({"min": {"cpu": 2, "memory": "1.5Gi"}, "max": {"cpu": "2500m", "gpu": 3, "memory": "2Gi"}}),
    ));
    assert_eq!(bound(&world, "q", "min"), amounts("cpu=2 memory=1536Mi"));
    assert_eq!(bound(&world, "q", "max"), amounts("cpu=2500m memory=2Gi gpu=3"));
    assert_eq!(told(&world.findings), []);
}

#[test]
fn a_quota_without_bounds_is_a_quota() {
    let mut world = World::new();
    world.object(object("ElasticQuota", "quotas/q", [&[], &[]], json!({})));
    world.object(with_spec("r", json!({"min": null, "max": {}})));
    assert_eq!(world.account("q").bounds, []);
    assert_eq!(world.account("r").bounds, []);
    assert_eq!(told(&world.findings), []);
}

#[test]
fn a_bound_on_a_resource_that_nobody_has_yet_bounds_as_soon_as_somebody_has() {
    let mut world = World::new();
    world.object(with_spec("q", json!({"max": {"fpga": 2}})));
    assert_eq!(bound(&world, "q", "max"), []);
    let fpga = crate::contract::Resource { name: "fpga".to_owned(), everywhere: 0 };
    world.tell(vec![Event::Resources(vec![fpga])]);
    assert_eq!(bound(&world, "q", "max"), [Amount { resource: 3, value: 2 }]);
}

#[test]
fn an_amount_that_cannot_be_read_makes_the_quota_unusable_and_the_one_before_still_holds() {
    for (amount, message) in [
        (json!("4 cores"), "`4 cores` is not a quantity"),
        (json!("-1"), "`-1` is negative"),
        (json!(-1), "`-1` is negative"),
        (json!(true), "`true` is not a quantity"),
        (json!(null), "`null` is not a quantity"),
        (json!("10E"), "`10E` is too large: more than 9223372036854775807 in the unit it is counted in"),
    ] {
        let mut world = World::new();
        world.object(quota("q", "", "cpu=1", "cpu=4"));
        world.object(with_spec("q", json!({"min": {"cpu": "1"}, "max": {"cpu": amount}})));
        assert_eq!(told(&world.findings), [(Severity::Error, "ElasticQuota/quotas/q", "/spec/max/cpu", message)]);
        assert_eq!(bound(&world, "q", "max"), amounts("cpu=4"));
    }
}

#[test]
fn a_list_that_is_none_and_json_that_is_none_are_told() {
    let mut world = World::new();
    world.object(with_spec("q", json!({"max": ["cpu"]})));
    world.object(Object { json: "{".to_owned(), ..quota("r", "", "", "") });
    let [first, second] = world.findings.as_slice() else { panic!("{:?}", world.findings) };
    assert_eq!((first.path.as_str(), first.message.as_str()), ("/spec/max", r#"`["cpu"]` is not a list of resources"#));
    assert!(second.message.starts_with("it is not readable as JSON: "), "{second:?}");
    assert_eq!(world.engine.queues().unwrap().len(), 3, "neither became a quota");
}

#[test]
fn a_name_with_a_slash_is_escaped_in_the_path() {
    let mut world = World::new();
    world.object(with_spec("q", json!({"max": {"nvidia.com/gpu": "x"}})));
    let expected = (Severity::Error, "ElasticQuota/quotas/q", "/spec/max/nvidia.com~1gpu", "`x` is not a quantity");
    assert_eq!(told(&world.findings), [expected]);
}

#[test]
fn a_min_above_max_is_told_and_read_as_it_stands() {
    let mut world = World::new();
    world.object(quota("q", "", "cpu=5 memory=1Gi", "cpu=4 memory=1Gi"));
    let message = "min of cpu 5 is more than max 4";
    assert_eq!(told(&world.findings), [(Severity::Warning, "ElasticQuota/quotas/q", "/spec/min/cpu", message)]);
    assert_eq!(bound(&world, "q", "min"), amounts("cpu=5 memory=1Gi"));
}

#[test]
fn a_resource_that_min_names_and_max_does_not_is_told_unless_max_names_none() {
    let mut world = World::new();
    world.object(quota("q", "", "cpu=1 memory=1Gi", "cpu=4"));
    let message = "min names memory and max does not: there is no limit to it";
    assert_eq!(told(&world.findings), [(Severity::Warning, "ElasticQuota/quotas/q", "/spec/min/memory", message)]);
    assert_eq!(bound(&world, "q", "max"), amounts("cpu=4"), "it is read as it stands");
    let mut world = World::new();
    world.object(quota("q", "", "cpu=1 memory=1Gi", ""));
    assert_eq!(told(&world.findings), []);
}

#[test]
fn the_number_of_pods_is_not_counted_by_quotas() {
    let mut world = World::new();
    world.object(with_spec("q", json!({"min": {"pods": 1}, "max": {"pods": "10", "cpu": 4}})));
    assert_eq!(
        told(&world.findings),
        [
            (Severity::Warning, "ElasticQuota/quotas/q", "/spec/min/pods", "`pods` is ignored"),
            (Severity::Warning, "ElasticQuota/quotas/q", "/spec/max/pods", "`pods` is ignored"),
        ]
    );
    assert_eq!(bound(&world, "q", "max"), amounts("cpu=4"));
}

#[test]
fn the_limits_upstream_writes_into_its_own_quotas_are_no_limits() {
    let mut world = World::new();
    let endless = json!({"max": {"cpu": "9223372036854775807", "memory": "4Gi"}});
    world.object(with_spec(DEFAULT, endless.clone()));
    assert_eq!(told(&world.findings), []);
    assert_eq!(bound(&world, DEFAULT, "max"), amounts("memory=4Gi"));
    world.object(with_spec("q", endless));
    assert_eq!(told(&world.findings).len(), 1, "anybody else is told");
}

#[test]
fn usage_and_requests_count_with_every_ancestor() {
    let mut world = World::new();
    world.object(quota("group", "", "", ""));
    world.object(quota("team", "group", "", ""));
    world.node("n", "cpu=8");
    world.pod(pod("running").quota("team").asks("cpu=2").on("n"));
    world.pod(pod("pending").quota("team").preemptible(false).asks("cpu=1 gpu=1"));
    world.pod(pod("other").asks("cpu=4").on("n"));
    for (name, used, pending) in [
        ("team", "cpu=2", "cpu=1 gpu=1"),
        ("group", "cpu=2", "cpu=1 gpu=1"),
        (DEFAULT, "cpu=4", ""),
        (ROOT, "cpu=6", "cpu=1 gpu=1"),
    ] {
        let account = world.account(name);
        assert_eq!([account.used, account.pending], [amounts(used), amounts(pending)], "{name}");
    }
}

#[test]
fn promises_are_accounted_until_the_pod_has_its_node() {
    let mut world = World::new();
    world.object(quota("group", "", "", ""));
    world.object(quota("team", "group", "", ""));
    world.node("n", "cpu=8");
    world.pod(pod("a").quota("team").asks("cpu=2").nominated("n"));
    world.pod(pod("b").quota("team").preemptible(false).asks("cpu=1").nominated("n"));
    for name in ["team", "group", ROOT] {
        assert_eq!(world.account(name).promised, amounts("cpu=3"), "{name}");
    }
    world.reserve("a", "n");
    assert_eq!(world.account("team").promised, amounts("cpu=1"));
    assert_eq!(world.account("team").used, amounts("cpu=2"));
}

#[test]
fn a_list_of_namespaces_that_is_none_makes_the_quota_unusable() {
    let mut world = World::new();
    world.object(object("ElasticQuota", "quotas/q", [&[], &[(NAMESPACES, "a, b")]], json!({})));
    let finding = world.findings.first();
    assert!(finding.is_some_and(|finding| finding.message.starts_with("`a, b` is not a JSON list of namespaces: ")));
    assert_eq!(world.engine.queues().unwrap().len(), 3);
}

#[test]
fn the_share_of_a_quota_is_told_before_anybody_asks_for_a_decision() {
    let mut world = World::with(r#"{"enableRuntimeQuota": true}"#);
    world.object(quota("team", "", "", "cpu=20"));
    world.node("n", "cpu=12");
    world.pod(pod("a").quota("team").asks("cpu=3"));
    let before = world.account("team").bounds;
    world.pre_filter("a");
    assert_eq!(before, world.account("team").bounds);
}
