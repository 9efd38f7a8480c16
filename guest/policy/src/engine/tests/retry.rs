//! A refusal says when it is worth asking again.

use serde_json::json;

use crate::contract::{Event, NotedPods, Permission, Retry};
use crate::testing::{PolicyHarness, object, pod, pod_group, quota};

const SECOND: i64 = 1_000_000_000;

fn has(retry: &Retry, changes: &[&str]) -> bool {
    changes.iter().all(|change| retry.after.iter().any(|known| known == change))
}

#[test]
fn a_pod_that_passes_or_gets_a_plan_has_nothing_to_wait_for() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=1");
    world.pod(pod("v").requests("cpu=1").on("n"));
    world.pod(pod("a").requests("cpu=1").priority(1));
    let a = world.id("a");
    assert_eq!(world.engine.pre_filter(a).unwrap().retry, Retry::default());
    let answer = world.post_filter("a");
    assert!(answer.plan.is_some());
    assert_eq!(answer.retry, Retry::default());
}

#[test]
fn a_gang_without_its_members_waits_for_pods_and_for_its_object() {
    let mut world = PolicyHarness::new();
    world.object(pod_group("g", 2, &[]));
    world.pod(pod("g1").job("g"));
    let g1 = world.id("g1");
    let retry = world.engine.pre_filter(g1).unwrap().retry;
    assert!(has(&retry, &["pod-upserted", "object-upserted/PodGroup"]), "{retry:?}");
    assert!(!has(&retry, &["node-upserted"]), "{retry:?}");
    assert_eq!(retry.at, None);
}

#[test]
fn a_pod_without_a_node_waits_for_nodes_and_pods() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=1");
    world.pod(pod("a").requests("cpu=2"));
    let retry = world.post_filter("a").retry;
    assert!(has(&retry, &["node-upserted", "pod-removed", "pod-upserted"]), "{retry:?}");
}

#[test]
fn a_plan_under_way_ends_when_its_victims_leave() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=1");
    world.pod(pod("v").requests("cpu=1").on("n"));
    world.pod(pod("a").requests("cpu=1").priority(1));
    let plan = world.plan("a").unwrap();
    world.apply(vec![Event::PlanAccepted(plan.id)]);
    assert!(has(&world.post_filter("a").retry, &["pod-upserted", "pod-removed"]));
}

#[test]
fn a_full_quota_waits_for_pods_and_for_the_quota() {
    let mut world = PolicyHarness::new();
    world.object(quota("q", "", "cpu=1", "cpu=1"));
    world.node("n", "cpu=4");
    world.pod(pod("v").quota("q").preemptible(false).requests("cpu=1").on("n"));
    world.pod(pod("a").quota("q").preemptible(false).requests("cpu=1"));
    let a = world.id("a");
    let retry = world.engine.pre_filter(a).unwrap().retry;
    assert!(has(&retry, &["pod-removed", "object-upserted/ElasticQuota"]), "{retry:?}");
    assert!(!has(&retry, &["node-upserted"]), "{retry:?}");
}

#[test]
fn a_gang_that_waits_at_permit_waits_for_its_members() {
    let mut world = PolicyHarness::new();
    world.node("n", "cpu=4");
    world.object(pod_group("g", 2, &[]));
    for name in ["g1", "g2"] {
        world.pod(pod(name).job("g"));
    }
    world.reserve("g1", "n");
    let g1 = world.id("g1");
    let answer = world.engine.permit(g1).unwrap();
    assert!(matches!(answer.permission, Permission::Wait(_)) && has(&answer.retry, &["pod-upserted"]), "{answer:?}");
}

/// Creates a Volcano gang `new` that waits for the capacity of gang `old`. The pods of `old` were placed at 5 s and may not be evicted for 60 s.
fn cooling() -> PolicyHarness {
    let mut world = PolicyHarness::of("volcano", "");
    world.node("n", "cpu=2");
    for (queue, cores) in [("mine", "2"), ("theirs", "1")] {
        let spec = json!({"spec": {"deserved": {"cpu": cores}, "capability": {"cpu": "2"}}});
        world.object(object("Queue", &format!("/{queue}"), [&[], &[]], spec));
    }
    for (group, queue) in [("old", "theirs"), ("new", "mine")] {
        let spec = json!({"spec": {"queue": queue, "minMember": 1}});
        world.object(object("PodGroup", &format!("default/{group}"), [&[], &[]], spec));
    }
    let member =
        |name: &str, group: &str| pod(name).requests("cpu=2").annotation("scheduling.k8s.io/group-name", group);
    let cooled = member("old", "old").on("n").label("volcano.sh/cooldown-time", "60s");
    world.pod(cooled.with(|pod| pod.scheduled = Some(5 * SECOND)));
    world.pod(member("new", "new"));
    world.apply(vec![Event::Clock(20 * SECOND)]);
    world
}

#[test]
fn the_end_of_a_cooldown_is_said_for_an_attempt_and_for_a_cycle() {
    let mut world = cooling();
    assert_eq!(world.post_filter("new").retry.at, Some(65 * SECOND));
    let mut steps = Vec::new();
    loop {
        let actions = world.engine.act().unwrap();
        steps.extend(actions.retry.at);
        if !actions.more {
            break;
        }
    }
    assert_eq!(steps.into_iter().min(), Some(65 * SECOND));
    world.apply(vec![Event::Clock(65 * SECOND)]);
    assert!(world.post_filter("new").plan.is_some());
}

#[test]
fn explanations_change_no_hint() {
    let mut plain = cooling();
    let mut told = cooling();
    told.engine.record_notes(&NotedPods::All);
    assert_eq!(plain.post_filter("new").retry, told.post_filter("new").retry);
    assert_eq!(plain.engine.act().unwrap().retry, told.engine.act().unwrap().retry);
}
