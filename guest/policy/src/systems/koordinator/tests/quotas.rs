//! ElasticQuotas: their bounds, the usage counted against them, and the findings about them.

use serde_json::{Value, json};

use super::reported;
use crate::contract::{Amount, Bound, Event, Object, Severity};
use crate::testing::{DEFAULT, PolicyHarness, ROOT, amounts, object, pod, quota};

const NAMESPACES: &str = "quota.scheduling.koordinator.sh/namespaces";

/// Creates a quota of namespace `quotas` with this spec.
fn with_spec(name: &str, spec: Value) -> Object {
    object("ElasticQuota", &format!("quotas/{name}"), [&[], &[]], json!({"spec": spec}))
}

fn bound(world: &PolicyHarness, quota: &str, name: &str) -> Vec<Amount> {
    let bounds: Vec<Bound> = world.account(quota).bounds;
    bounds.into_iter().find(|bound| bound.name == name).map(|bound| bound.amounts).unwrap_or_default()
}

#[test]
fn min_and_max_accept_every_form_of_a_quantity() {
    let mut world = PolicyHarness::new();
    world.object(with_spec(
        "q",
        json!({"min": {"cpu": 2, "memory": "1.5Gi"}, "max": {"cpu": "2500m", "gpu": 3, "memory": "2Gi"}}),
    ));
    assert_eq!(bound(&world, "q", "min"), amounts("cpu=2 memory=1536Mi"));
    assert_eq!(bound(&world, "q", "max"), amounts("cpu=2500m memory=2Gi gpu=3"));
    assert_eq!(reported(&world.findings), []);
}

#[test]
fn a_quota_without_bounds_is_valid() {
    let mut world = PolicyHarness::new();
    world.object(object("ElasticQuota", "quotas/q", [&[], &[]], json!({})));
    world.object(with_spec("r", json!({"min": null, "max": {}})));
    assert_eq!(world.account("q").bounds, []);
    assert_eq!(world.account("r").bounds, []);
    assert_eq!(reported(&world.findings), []);
}

#[test]
fn a_bound_on_an_unknown_resource_applies_once_the_resource_is_known() {
    let mut world = PolicyHarness::new();
    world.object(with_spec("q", json!({"max": {"fpga": 2}})));
    assert_eq!(bound(&world, "q", "max"), []);
    let fpga = crate::contract::Resource { name: "fpga".to_owned(), everywhere: 0 };
    world.apply(vec![Event::Resources(vec![fpga])]);
    assert_eq!(bound(&world, "q", "max"), [Amount { resource: 3, value: 2 }]);
}

#[test]
fn an_invalid_amount_makes_the_quota_unusable_and_the_last_valid_one_stays() {
    for (amount, message) in [
        (json!("4 cores"), "`4 cores` is not a quantity"),
        (json!("-1"), "`-1` is negative"),
        (json!(-1), "`-1` is negative"),
        (json!(true), "`true` is not a quantity"),
        (json!(null), "`null` is not a quantity"),
    ] {
        let mut world = PolicyHarness::new();
        world.object(quota("q", "", "cpu=1", "cpu=4"));
        world.object(with_spec("q", json!({"min": {"cpu": "1"}, "max": {"cpu": amount}})));
        assert_eq!(reported(&world.findings), [(Severity::Error, "ElasticQuota/quotas/q", "/spec/max/cpu", message)]);
        assert_eq!(bound(&world, "q", "max"), amounts("cpu=4"));
    }
}

#[test]
fn an_amount_beyond_64_bits_is_the_largest_number() {
    let mut world = PolicyHarness::new();
    world.object(with_spec("q", json!({"min": {"memory": "50E"}, "max": {"memory": "50E"}})));
    assert_eq!(reported(&world.findings), []);
    for name in ["min", "max"] {
        assert_eq!(bound(&world, "q", name), [Amount { resource: 1, value: i64::MAX }]);
    }
}

#[test]
fn an_invalid_resource_list_and_invalid_json_are_reported() {
    let mut world = PolicyHarness::new();
    world.object(with_spec("q", json!({"max": ["cpu"]})));
    world.object(Object { json: "{".to_owned(), ..quota("r", "", "", "") });
    let [first, second] = world.findings.as_slice() else { panic!("{:?}", world.findings) };
    assert_eq!((first.path.as_str(), first.message.as_str()), ("/spec/max", r#"`["cpu"]` is not a resource list"#));
    assert!(second.message.starts_with("the object is not valid JSON: "), "{second:?}");
    assert_eq!(world.engine.queues().unwrap().len(), 3, "neither became a quota");
}

#[test]
fn a_name_with_a_slash_is_escaped_in_the_path() {
    let mut world = PolicyHarness::new();
    world.object(with_spec("q", json!({"max": {"nvidia.com/gpu": "x"}})));
    let expected = (Severity::Error, "ElasticQuota/quotas/q", "/spec/max/nvidia.com~1gpu", "`x` is not a quantity");
    assert_eq!(reported(&world.findings), [expected]);
}

#[test]
fn a_min_above_max_is_reported_and_used_as_written() {
    let mut world = PolicyHarness::new();
    world.object(quota("q", "", "cpu=5 memory=1Gi", "cpu=4 memory=1Gi"));
    let message = "min of cpu 5 is more than max 4";
    assert_eq!(reported(&world.findings), [(Severity::Warning, "ElasticQuota/quotas/q", "/spec/min/cpu", message)]);
    assert_eq!(bound(&world, "q", "min"), amounts("cpu=5 memory=1Gi"));
}

#[test]
fn a_resource_in_min_but_not_in_max_is_reported_unless_max_is_empty() {
    let mut world = PolicyHarness::new();
    world.object(quota("q", "", "cpu=1 memory=1Gi", "cpu=4"));
    let message = "min sets memory and max does not: its use is unlimited";
    assert_eq!(reported(&world.findings), [(Severity::Warning, "ElasticQuota/quotas/q", "/spec/min/memory", message)]);
    assert_eq!(bound(&world, "q", "max"), amounts("cpu=4"), "it is used as written");
    let mut world = PolicyHarness::new();
    world.object(quota("q", "", "cpu=1 memory=1Gi", ""));
    assert_eq!(reported(&world.findings), []);
}

#[test]
fn quotas_do_not_count_pods() {
    let mut world = PolicyHarness::new();
    world.object(with_spec("q", json!({"min": {"pods": 1}, "max": {"pods": "10", "cpu": 4}})));
    assert_eq!(
        reported(&world.findings),
        [
            (Severity::Warning, "ElasticQuota/quotas/q", "/spec/min/pods", "`pods` is ignored"),
            (Severity::Warning, "ElasticQuota/quotas/q", "/spec/max/pods", "`pods` is ignored"),
        ]
    );
    assert_eq!(bound(&world, "q", "max"), amounts("cpu=4"));
}

#[test]
fn the_no_limit_amounts_in_the_quotas_of_upstream_do_not_bind() {
    let mut world = PolicyHarness::new();
    let endless = json!({"max": {"cpu": "9223372036854775807", "memory": "4Gi"}});
    world.object(with_spec(DEFAULT, endless.clone()));
    assert_eq!(reported(&world.findings), []);
    assert_eq!(bound(&world, DEFAULT, "max"), amounts("memory=4Gi"));
    world.object(with_spec("q", endless));
    assert_eq!(reported(&world.findings), [], "a bound beyond 64 bits is the largest number there is, in any quota");
}

#[test]
fn usage_and_requests_count_with_every_ancestor() {
    let mut world = PolicyHarness::new();
    world.object(quota("group", "", "", ""));
    world.object(quota("team", "group", "", ""));
    world.node("n", "cpu=8");
    world.pod(pod("running").quota("team").requests("cpu=2").on("n"));
    world.pod(pod("pending").quota("team").preemptible(false).requests("cpu=1 gpu=1"));
    world.pod(pod("other").requests("cpu=4").on("n"));
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
fn nominated_usage_is_accounted_until_the_pod_has_its_node() {
    let mut world = PolicyHarness::new();
    world.object(quota("group", "", "", ""));
    world.object(quota("team", "group", "", ""));
    world.node("n", "cpu=8");
    world.pod(pod("a").quota("team").requests("cpu=2").nominated("n"));
    world.pod(pod("b").quota("team").preemptible(false).requests("cpu=1").nominated("n"));
    for name in ["team", "group", ROOT] {
        assert_eq!(world.account(name).promised, amounts("cpu=3"), "{name}");
    }
    world.reserve("a", "n");
    assert_eq!(world.account("team").promised, amounts("cpu=1"));
    assert_eq!(world.account("team").used, amounts("cpu=2"));
}

#[test]
fn an_invalid_namespace_list_makes_the_quota_unusable() {
    let mut world = PolicyHarness::new();
    world.object(object("ElasticQuota", "quotas/q", [&[], &[(NAMESPACES, "a, b")]], json!({})));
    let finding = world.findings.first();
    assert!(finding.is_some_and(|finding| finding.message.starts_with("`a, b` is not a JSON list of namespaces: ")));
    assert_eq!(world.engine.queues().unwrap().len(), 3);
}

#[test]
fn the_runtime_quota_is_reported_before_any_decision() {
    let mut world = PolicyHarness::with(r#"{"enableRuntimeQuota": true}"#);
    world.object(quota("team", "", "", "cpu=20"));
    world.node("n", "cpu=12");
    world.pod(pod("a").quota("team").requests("cpu=3"));
    let before = world.account("team").bounds;
    world.pre_filter("a");
    assert_eq!(before, world.account("team").bounds);
}
