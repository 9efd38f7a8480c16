use std::time::Duration;

use lictor_contract::Plan;
use serde_json::{Value, json};

use super::super::testing::{ClusterFixture, IN_SLOT, node, on, pod, slot, with};
use super::*;
use crate::rails::{NEVER_EVICT, Rails, SYSTEM_PRIORITY};

/// Returns `p` of priority 10 pending, and one running pod `v` of priority 0 that is changed.
fn world(change: impl Fn(Value) -> Value) -> ClusterFixture {
    ClusterFixture::of([node("n1", 4), change(on("n1", pod("v", 4, 0))), pod("p", 3, 10)])
}

/// Returns why the plan that evicts `v` for `p` is refused. `None`: the plan is accepted.
fn refusal(world: &ClusterFixture, victim: &str) -> Option<String> {
    let plan = world.plan(&[("default/p", "n1")], &[victim]);
    world.check(&plan).err().map(|violation| violation.to_string())
}

/// Sets rails, each written as `name=value`.
fn set(world: &mut ClusterFixture, texts: &[&str]) {
    let mut rails = Rails::default();
    texts.iter().for_each(|text| rails.set(text).unwrap());
    world.mirror.set_rails(rails);
    world.sync();
}

#[test]
fn a_pod_of_the_cluster_itself_is_no_victim() {
    let critical = |pod| with(pod, "/spec", "priority", json!(SYSTEM_PRIORITY));
    let mut world = world(critical);
    let protects = "the rail `system-priority` protects `default/v`: its priority 2000000000 is 2000000000 or above";
    assert_eq!(refusal(&world, "default/v").as_deref(), Some(protects));
    set(&mut world, &["system-priority=off"]);
    let ranks = "the rail `higher-priority` refuses the victim `default/v` of priority 2000000000 for `default/p` of priority 10";
    assert_eq!(refusal(&world, "default/v").as_deref(), Some(ranks));
}

#[test]
fn a_pod_of_a_protected_namespace_is_no_victim() {
    let mut world = world(|pod| with(pod, "/metadata", "namespace", json!("kube-system")));
    let protects = "the rail `namespaces` protects the namespace of `kube-system/v`";
    assert_eq!(refusal(&world, "kube-system/v").as_deref(), Some(protects));
    let plan = world.plan(&[("default/p", "n1")], &["kube-system/v"]);
    let refuted = world.check(&plan).unwrap_err().refuted_part(&plan);
    assert_eq!(refuted, Refuted { victims: vec![world.pod("kube-system/v")], ..Refuted::default() });
    set(&mut world, &["namespaces=monitoring"]);
    assert_eq!(refusal(&world, "kube-system/v"), None);
}

#[test]
fn a_pod_with_the_label_is_no_victim_and_the_policy_knows() {
    let mut world = world(|pod| with(pod, "/metadata", "labels", json!({NEVER_EVICT: "true"})));
    let protects = "the rail `never-evict` protects `default/v` by its label `lictor.dev/never-evict`";
    assert_eq!(refusal(&world, "default/v").as_deref(), Some(protects));
    let is_protected = |world: &ClusterFixture| world.mirror.pod(world.pod("default/v")).unwrap().template.protected;
    assert!(is_protected(&world));
    set(&mut world, &["never-evict=off"]);
    assert_eq!(refusal(&world, "default/v"), None);
    assert!(!is_protected(&world));
}

#[test]
fn a_victim_of_a_higher_priority_needs_a_declaration_and_an_agreement() {
    let mut world = ClusterFixture::of([node("n1", 4), on("n1", pod("v", 4, 11)), pod("p", 3, 10)]);
    let refuses =
        "the rail `higher-priority` refuses the victim `default/v` of priority 11 for `default/p` of priority 10";
    assert_eq!(refusal(&world, "default/v").as_deref(), Some(refuses));
    let plan = world.plan(&[("default/p", "n1")], &["default/v"]);
    let declared = |world: &ClusterFixture| {
        let context = VerifyContext { evicts_higher_priority: true, ..world.context() };
        let (effects, refuted) = (Default::default(), Refuted::default());
        super::super::plan(
            &context,
            &PlanUnderTest { plan: &plan, preemptor: None, effects: &effects, refuted: &refuted },
        )
    };
    assert_eq!(declared(&world), Ok(()));
    set(&mut world, &["higher-priority=refused"]);
    assert!(declared(&world).is_err());
}

#[test]
fn the_priority_of_a_pod_that_gets_nothing_does_not_count() {
    let cluster = [node("n1", 4), on("n1", pod("v", 4, 5)), pod("p", 3, 1), pod("important", 3, 9)];
    let world = ClusterFixture::of(cluster);
    let plan = Plan { preemptor: world.pod("default/important"), ..world.plan(&[("default/p", "n1")], &["default/v"]) };
    let code = |preemptor| {
        let (effects, refuted) = (Default::default(), Refuted::default());
        let proposal = PlanUnderTest { plan: &plan, preemptor, effects: &effects, refuted: &refuted };
        super::super::plan(&world.context(), &proposal).err().map(|violation| violation.reason().code)
    };
    assert_eq!(code(None).as_deref(), Some("host/rail-higher-priority"), "in a cycle of the policy's own");
    assert_eq!(code(Some(world.pod("default/p"))).as_deref(), Some("host/rail-higher-priority"), "in an attempt");
}

#[test]
fn an_object_with_a_protected_pod_inside_is_no_victim() {
    let user = on("n1", with(pod("u", 1, 0), "/metadata", "annotations", json!({IN_SLOT: r#"{"slot":{"name":"r"}}"#})));
    let user = with(user, "/metadata", "labels", json!({NEVER_EVICT: "true"}));
    let world = ClusterFixture::of([node("n1", 4), slot("r", 4, Some("n1")), user, pod("p", 3, 10)]);
    let protects = "the rail `never-evict` protects `default/u` by its label `lictor.dev/never-evict`";
    assert_eq!(refusal(&world, "Slot/r").as_deref(), Some(protects));
}

#[test]
fn a_pod_that_is_held_at_permit_is_protected_by_no_rail() {
    let held = with(pod("h", 2, 20), "/metadata", "labels", json!({NEVER_EVICT: "true"}));
    let mut world = ClusterFixture::of([node("n1", 4), held, pod("p", 3, 10)]);
    let (pod, node) = (world.pod("default/h"), world.node("n1"));
    world.hold(pod, node);
    world.sync();
    assert_eq!(refusal(&world, "default/h"), None);
}

#[test]
fn a_plan_has_at_most_so_many_victims() {
    let mut world = ClusterFixture::small();
    let plan = world.plan(&[("default/p", "n1")], &["default/v", "default/w"]);
    set(&mut world, &["victims-per-plan=2"]);
    assert_eq!(world.check(&plan), Ok(()));
    set(&mut world, &["victims-per-plan=1"]);
    let refuses = "the rail `victims-per-plan` refuses 2 victims: at most 1";
    assert_eq!(world.refusal(&plan), refuses);
    let refuted = world.check(&plan).unwrap_err().refuted_part(&plan);
    assert_eq!(refuted.placements, plan.nominations, "no single victim is to blame");
}

#[test]
fn victims_are_counted_over_a_time_and_the_plan_is_tried_again_after_it() {
    const MINUTE: i64 = 60_000_000_000;
    let mut world = ClusterFixture::small();
    set(&mut world, &["victims-per-window=2/1m", "victims-per-namespace=none"]);
    world.mirror.set_clock(5 * MINUTE);
    for (at, number) in [(4 * MINUTE, 90), (4 * MINUTE + 1, 91), (5 * MINUTE, 92)] {
        world.departures.history_mut().record(at, number, "other".to_owned());
    }
    let plan = world.plan(&[("default/p", "n1")], &["default/v"]);
    // The first of the three is a minute old. When the second one is, too, there is room for another one.
    let violation = world.check(&plan).unwrap_err();
    let refuses = "the rail `victims-per-window` refuses 1 victim before 1970-01-01T00:05:00.000000001Z: 2 were evicted in the last 1m, at most 2";
    assert_eq!(violation.to_string(), refuses);
    assert_eq!(violation.retry_at(), Some(5 * MINUTE + 1));
    world.mirror.set_clock(5 * MINUTE + 1);
    assert_eq!(world.check(&plan), Ok(()));
    let both = world.plan(&[("default/p", "n1")], &["default/v", "default/w"]);
    assert_eq!(world.check(&both).unwrap_err().retry_at(), Some(6 * MINUTE));
    set(&mut world, &["victims-per-window=1/1m"]);
    assert_eq!(world.check(&both).unwrap_err().retry_at(), None, "time alone never helps");
}

#[test]
fn victims_are_counted_by_namespace() {
    let mut world = ClusterFixture::small();
    set(&mut world, &["victims-per-namespace=1/1m"]);
    let plan = world.plan(&[("default/p", "n1")], &["default/v"]);
    world.departures.history_mut().record(0, 90, "other".to_owned());
    assert_eq!(world.check(&plan), Ok(()));
    world.departures.history_mut().record(0, 91, "default".to_owned());
    let refuses = "the rail `victims-per-namespace` refuses 1 victim in `default` before 1970-01-01T00:01:00Z: 1 was evicted in the last 1m, at most 1";
    assert_eq!(world.refusal(&plan), refuses);
    let rate = EvictionRate { victims: 1, window: Duration::from_secs(60) };
    let facts = RailViolation::TooFast { namespace: None, victims: 3, earlier: 0, rate, until: None };
    assert_eq!(
        facts.reason().message,
        "the rail `victims-per-window` refuses 3 victims: 0 were evicted in the last 1m, at most 1"
    );
}
