use serde_json::{Value, json};

use super::*;
use crate::cluster::PodChange;
use crate::rails::Rails;
use crate::session::RetryHint;
use crate::verify::departures::PlannedEviction;
use crate::verify::testing::{ClusterFixture, node, object, on, pod, with};

/// Returns a running pod of the application `a`.
fn of_app(name: &str, conditions: Value) -> Value {
    let pod = with(on("n1", pod(name, 2, 0)), "/metadata", "labels", json!({"app": "a"}));
    with(pod, "/status", "conditions", conditions)
}

/// Returns a budget for the pods of `a`, with this specification and status. The selector is added.
fn budget(spec: Value, status: Value) -> Value {
    let selector = json!({"matchLabels": {"app": "a"}});
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                        "metadata": {"name": "b", "namespace": "default"}, "spec": spec, "status": status});
    with(budget, "/spec", "selector", selector)
}

fn allowing(allowed: i64) -> Value {
    budget(json!({}), json!({"disruptionsAllowed": allowed}))
}

/// Returns a cluster whose node is full with `v` and `w` of the application `a`, and where `p` waits.
fn world(budgets: impl IntoIterator<Item = Value>) -> ClusterFixture {
    let ready = || json!([{"type": "Ready", "status": "True"}]);
    let pods = [node("n1", 4), of_app("v", ready()), of_app("w", ready()), pod("p", 4, 10)];
    let mut world = ClusterFixture::of(pods.into_iter().chain(budgets));
    world.mirror.set_rails(Rails::of_command());
    world
}

/// Returns why a plan for `p` with these victims is refused. `None`: the plan is accepted.
fn refusal(world: &ClusterFixture, victims: &[&str]) -> Option<BudgetViolation> {
    let victims: Vec<PodId> = victims.iter().map(|victim| world.pod(victim)).collect();
    check(&world.context(), &victims).err()
}

const BOTH: [&str; 2] = ["default/v", "default/w"];

#[test]
fn a_plan_that_a_budget_refuses_in_part_is_refused_as_a_whole() {
    let world = world([allowing(1)]);
    assert_eq!(refusal(&world, &["default/w"]), None);
    let violation = refusal(&world, &BOTH).unwrap();
    let says = "the rail `budgets` refuses 2 victims of the PodDisruptionBudget `default/b`: it allows 1";
    assert_eq!(violation.reason().message, says);
    assert_eq!(violation.refuted, [world.pod("default/w")], "with one of them less there is a plan");
    let plan = world.plan(&[("default/p", "n1")], &BOTH);
    let violation = world.check(&plan).unwrap_err();
    assert_eq!(violation.refuted_part(&plan).victims, [world.pod("default/w")]);
    let changes = ["object-removed/PodDisruptionBudget", "object-upserted/PodDisruptionBudget"].map(str::to_owned);
    assert_eq!(RetryHint::from(&violation), RetryHint { retry_at: None, retry_after: changes.into() });
}

#[test]
fn the_rail_can_be_off() {
    let mut world = world([allowing(0)]);
    assert!(refusal(&world, &BOTH).is_some());
    world.mirror.set_rails(Rails::default());
    assert_eq!(refusal(&world, &BOTH), None);
}

#[test]
fn no_pod_of_a_budget_that_allows_nothing_is_planned_again() {
    let world = world([allowing(0)]);
    let violation = refusal(&world, &["default/v"]).unwrap();
    assert_eq!(violation.refuted, BOTH.map(|pod| world.pod(pod)));
}

#[test]
fn a_victim_of_an_earlier_plan_counts_while_it_runs() {
    let mut world = world([allowing(1)]);
    let departure = PlannedEviction { plan: 3, beneficiaries: [world.pod("default/p")].into() };
    world.departures.set(world.pod("default/v"), Some(departure));
    let violation = refusal(&world, &["default/w"]).unwrap();
    let says = "the rail `budgets` refuses 1 victim of the PodDisruptionBudget `default/b`: it allows 1, and 1 of earlier plans still leaves";
    assert_eq!(violation.reason().message, says);
    // The API server has evicted `v`: the budget allows one less, and names `v`.
    let status = json!({"disruptionsAllowed": 1, "disruptedPods": {"v": "2026-01-01T00:00:00Z"}});
    world.mirror.upsert(object(budget(json!({}), status)));
    assert_eq!(refusal(&world, &["default/w"]), None);
    world.mirror.upsert(object(allowing(1)));
    world.departures.cancel_plan(3);
    assert_eq!(refusal(&world, &["default/w"]), None, "the plan was given up");
}

#[test]
fn an_eviction_counts_from_its_request_on_and_after_the_api_server_has_accepted_it() {
    for (allowed, refused) in [(1, true), (2, false)] {
        let mut world = world([allowing(allowed)]);
        let v = world.pod("default/v");
        let departure = PlannedEviction { plan: 3, beneficiaries: [world.pod("default/p")].into() };
        world.departures.set(v, Some(departure));
        world.mirror.assume(v, 7, PodChange::Evict { deleted: Some(0), marks: Vec::new() });
        assert_eq!(refusal(&world, &["default/w"]).is_some(), refused, "requested; {allowed} allowed");
        world.mirror.confirm(v, 7);
        assert_eq!(refusal(&world, &["default/w"]).is_some(), refused, "accepted; {allowed} allowed");
        // What the API server shows next counts alone.
        world.mirror.upsert(object(allowing(1)));
        assert_eq!(refusal(&world, &["default/w"]), None);
    }
}

#[test]
fn budgets_protect_the_pods_that_the_api_server_protects_by_them() {
    let none = json!({"disruptionsAllowed": 0});
    let healthy = json!({"disruptionsAllowed": 0, "currentHealthy": 2, "desiredHealthy": 2});
    let lacks = json!({"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 2});
    let disrupted = json!({"disruptionsAllowed": 0, "disruptedPods": {"v": null}});
    let always = json!({"unhealthyPodEvictionPolicy": "AlwaysAllow"});
    let [ready, unready] = ["True", "False"].map(|status| json!([{"type": "Ready", "status": status}]));
    let rows = [
        ("a ready pod", json!({}), &none, &ready, true),
        ("an unready pod, without a number of healthy pods", json!({}), &none, &unready, true),
        ("an unready pod of too few healthy ones", json!({}), &lacks, &unready, true),
        ("an unready pod of enough healthy ones", json!({}), &healthy, &unready, false),
        ("a ready pod of enough healthy ones", json!({}), &healthy, &ready, true),
        ("an unready pod that may always go", always.clone(), &lacks, &unready, false),
        ("a ready pod whose unready siblings may always go", always, &lacks, &ready, true),
        (
            "a pod of the name of one that was evicted, such as a new one of a StatefulSet",
            json!({}),
            &disrupted,
            &ready,
            true,
        ),
    ];
    for (name, spec, status, conditions, refused) in rows {
        let mut world = world([budget(spec, status.clone())]);
        world.mirror.upsert(object(of_app("v", conditions.clone())));
        assert_eq!(refusal(&world, &["default/v"]).is_some(), refused, "{name}");
    }
}

#[test]
fn a_pod_that_does_not_run_and_one_of_another_namespace_have_no_budget() {
    let pending = with(of_app("v", json!([])), "/status", "phase", json!("Pending"));
    let deleted = with(of_app("v", json!([])), "/metadata", "deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    for (name, pod) in [("not started", pending), ("being deleted", deleted)] {
        let mut world = world([allowing(0)]);
        world.mirror.upsert(object(pod));
        assert_eq!(refusal(&world, &["default/v"]), None, "{name}");
    }
    let elsewhere = with(allowing(0), "/metadata", "namespace", json!("other"));
    assert_eq!(refusal(&world([elsewhere]), &BOTH), None);
}

#[test]
fn a_selector_selects_as_kubernetes_does() {
    let selecting = |version: &str, selector: Value| {
        let budget = with(allowing(0), "/spec", "selector", selector);
        refusal(&world([with(budget, "", "apiVersion", json!(format!("policy/{version}")))]), &BOTH).is_some()
    };
    assert!(selecting("v1", json!({})), "an empty selector is that of all pods");
    assert!(!selecting("v1beta1", json!({})), "of the former version it is that of none");
    assert!(!selecting("v1", json!(null)), "a missing selector is that of none");
    assert!(selecting("v1", json!({"matchExpressions": [{"key": "b", "operator": "DoesNotExist"}]})));
    assert!(!selecting("v1", json!({"matchLabels": {"app": "b"}})));
}

#[test]
fn a_budget_whose_newest_version_was_not_counted_allows_nothing() {
    let newer = with(allowing(2), "/metadata", "generation", json!(2));
    assert!(refusal(&world([newer.clone()]), &["default/v"]).is_some());
    let counted = with(newer, "/status", "observedGeneration", json!(2));
    assert_eq!(refusal(&world([counted]), &["default/v"]), None);
}

#[test]
fn the_api_server_evicts_no_pod_with_several_budgets() {
    let other = with(allowing(5), "/metadata", "name", json!("c"));
    let mut world = world([allowing(5), other]);
    let violation = refusal(&world, &BOTH).unwrap();
    let says = "the rail `budgets` refuses the victim `default/v`: it has 2 PodDisruptionBudgets, and the API server evicts no such pod";
    assert_eq!((violation.reason().message.as_str(), violation.refuted), (says, vec![world.pod("default/v")]));
    assert!(world.mirror.contains("PodDisruptionBudget/default/c"));
    assert!(world.mirror.remove("PodDisruptionBudget/default/c"));
    assert!(!world.mirror.remove("PodDisruptionBudget/default/c"));
    assert_eq!(refusal(&world, &BOTH), None);
}

#[test]
fn a_budget_that_cannot_be_read_covers_no_pod_and_is_reported() {
    let wrong = with(allowing(0), "/status", "disruptionsAllowed", json!("none"));
    let mut world = world([wrong]);
    assert_eq!(refusal(&world, &BOTH), None);
    let reported: Vec<String> = world.mirror.drain_invalid_objects().iter().map(|it| it.mistake.to_string()).collect();
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported.concat().contains("status.disruptionsAllowed of PodDisruptionBudget default/b"), "{reported:?}");
}
