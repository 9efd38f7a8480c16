//! Each judgement can fail: histories that are wrong.
#![cfg(test)]

use lictor_host::session::ObjectRef;
use lictor_host::verify::testing::{node, pod};
use serde_json::{Value, json};

use super::super::queue::{Rejectors, SchedulingQueue};
use super::*;

const PLAN: (u64, u64) = (1, 7);

/// Returns a cluster of a node with four cores, the pod `v` on it, and the pod `p`.
fn world() -> SimulatedApiServer {
    let mut world = SimulatedApiServer::at(0);
    let mut v = pod("v", 3, 0);
    v["spec"]["nodeName"] = json!("n1");
    for object in [node("n1", 4), v, pod("p", 3, 9)] {
        assert!(world.create(object));
    }
    world
}

fn uid(world: &SimulatedApiServer, name: &str) -> String {
    uid_of(world.pod(name).unwrap()).to_owned()
}

/// Returns an order of the plan.
fn order(world: &SimulatedApiServer, action: &str, name: &str, node: &str) -> CommandMessage {
    let (kind, namespace) = ("Pod".to_owned(), "default".to_owned());
    let uid = uid(world, &format!("default/{name}"));
    let object = ObjectRef { kind, namespace, name: name.to_owned(), uid };
    let plan = if action == "evict" { PLAN.1 } else { 0 };
    let (action, node) = (action.to_owned(), node.to_owned());
    CommandMessage { id: 1, action, object, node, delete: true, plan, marks: Vec::new() }
}

/// Serves the eviction of `v`.
fn evict(observer: &mut SchedulerChecker, world: &mut SimulatedApiServer) {
    let body = json!({"host": PLAN.0, "plan": PLAN.1});
    let request = SchedulerApiRequest { verb: "delete", pod: "default/v".to_owned(), uid: String::new(), body };
    let before = world.pod("default/v").cloned();
    let served = world.serve(&request);
    observer.requested(world.now, &request, before.as_ref(), &served);
}

/// Returns an observer that knows the plan for `p`.
fn planned(world: &SimulatedApiServer) -> SchedulerChecker {
    let mut observer = SchedulerChecker::default();
    observer.planned(world.now, PLAN.0, &[order(world, "nominate", "p", "n1"), order(world, "evict", "v", "")]);
    observer
}

fn patched(world: &mut SimulatedApiServer, name: &str, patch: Value) {
    world.change("Pod", name, |pod| json_patch::merge(pod, &patch));
}

#[test]
fn a_plan_for_a_pod_that_runs_is_not_wrong() {
    let mut world = world();
    let mut observer = planned(&world);
    evict(&mut observer, &mut world);
    world.remove("Pod", "default/v");
    patched(&mut world, "default/p", json!({"spec": {"nodeName": "n1"}}));
    observer.bound(&world, world.pod("default/p").unwrap());
    observer.judge(&world, &BTreeSet::new());
    assert_eq!(observer.violations, [""; 0]);
}

#[test]
fn a_pod_that_is_evicted_twice_for_one_plan_is_found() {
    let mut world = world();
    let mut observer = planned(&world);
    evict(&mut observer, &mut world);
    evict(&mut observer, &mut world);
    assert_eq!(observer.violations, ["default/v is evicted twice for plan (1, 7)"]);
}

#[test]
fn plans_without_victims_that_are_made_again_and_again_are_found() {
    let world = world();
    let nominate = || [order(&world, "nominate", "p", "n1")];
    let plan = |observer: &mut SchedulerChecker, every: i64| {
        observer.calm(true);
        (0..200).for_each(|number| observer.planned(number * every, PLAN.0, &nominate()));
    };
    let mut observer = SchedulerChecker::default();
    plan(&mut observer, 10 * SECOND);
    assert_eq!(observer.violations, [""; 0], "that is the pace of the plugin");
    plan(&mut observer, SECOND / 30);
    assert_eq!(observer.violations.len(), 1, "{:?}", observer.violations);
    let mut observer = SchedulerChecker::default();
    observer.calm(true);
    let evicts = [order(&world, "nominate", "p", "n1"), order(&world, "evict", "v", "")];
    (0..200).for_each(|_| observer.planned(0, PLAN.0, &evicts));
    assert_eq!(observer.violations, [""; 0], "a plan with a victim is judged by what becomes of the victim");
}

#[test]
fn a_pod_that_is_evicted_for_no_plan_is_found() {
    let (mut world, mut observer) = (world(), SchedulerChecker::default());
    evict(&mut observer, &mut world);
    assert_eq!(observer.violations, ["default/v is evicted for plan (1, 7), which nobody has made"]);
}

#[test]
fn a_victim_whose_preemptor_does_not_run_is_found_until_the_preemptor_says_why() {
    let mut world = world();
    let mut observer = planned(&world);
    evict(&mut observer, &mut world);
    world.remove("Pod", "default/v");
    let p = uid(&world, "default/p");
    let why = "nothing helps";
    let condition = json!({"type": "PodScheduled", "status": "False", "message": why});
    patched(&mut world, "default/p", json!({"status": {"conditions": [condition], "nominatedNodeName": "n1"}}));
    observer.judge(&world, &[p.clone()].into());
    let set = format!("{:?}", BTreeSet::from([p]));
    let expected = [
        format!("default/v was evicted for (1, 7), and {set} neither run nor is it said why"),
        "default/p is nominated, and nothing moves".to_owned(),
    ];
    assert_eq!(observer.violations, expected);
    observer.violations.clear();
    observer.judge(&world, &BTreeSet::new());
    assert_eq!(observer.violations, [""; 0]);
}

#[test]
fn a_pod_of_which_nothing_is_said_and_one_that_does_not_stop_are_found() {
    let (mut world, mut observer) = (world(), SchedulerChecker::default());
    patched(&mut world, "default/v", json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}));
    observer.judge(&world, &BTreeSet::new());
    let expected = ["default/p does not run, and nothing says why", "default/v has not stopped"];
    assert_eq!(observer.violations, expected);
}

#[test]
fn a_pod_that_is_bound_without_room_is_found() {
    let (mut world, mut observer) = (world(), SchedulerChecker::default());
    observer.calm(true);
    patched(&mut world, "default/p", json!({"spec": {"nodeName": "n1"}}));
    observer.bound(&world, world.pod("default/p").unwrap());
    assert_eq!(observer.violations, ["default/p is bound to n1, which has no room for it"]);
}

/// Binds `p` to the node of `v`, whose binding an ended kube-scheduler had sent. True: kube-scheduler knew of `v` when it chose the node.
fn bind_beside_a_late_binding(knows: bool) -> Vec<String> {
    let (mut world, mut observer) = (world(), SchedulerChecker::default());
    observer.calm(true);
    observer.bound_late(world.pod("default/v").unwrap());
    let assigned = world.pod("default/v").filter(|_| knows).map(|v| (uid_of(v).to_owned(), v.clone()));
    observer.chooses(world.pod("default/p").unwrap(), &assigned.into_iter().collect());
    patched(&mut world, "default/p", json!({"spec": {"nodeName": "n1"}}));
    observer.bound(&world, world.pod("default/p").unwrap());
    observer.violations
}

#[test]
fn room_that_an_ended_scheduler_gives_is_not_missed_until_the_next_one_knows_of_it() {
    assert_eq!(bind_beside_a_late_binding(false), [""; 0]);
    assert_eq!(bind_beside_a_late_binding(true), ["default/p is bound to n1, which has no room for it"]);
}

#[test]
fn a_pod_that_nothing_had_tried_is_found() {
    let (world, mut observer) = (world(), SchedulerChecker::default());
    observer.calm(true);
    let mut queue = SchedulingQueue::default();
    let mut entry = QueuedPodInfo::new(world.pod("default/p").unwrap().clone(), 0);
    observer.succeeded(&entry);
    assert_eq!(observer.violations, [""; 0]);
    entry.failed(entry.pod.clone(), Rejectors::LICTOR, 0);
    queue.unschedulable.insert("p".to_owned(), entry);
    // It is looked for each 30 s, and is not flushed before it has waited for 300 s.
    assert!(queue.flush_refused(329 * SECOND).is_empty());
    observer.succeeded(&queue.flush_refused(330 * SECOND)[0]);
    assert_eq!(observer.violations, ["default/p could be placed, and nothing had it tried"]);
}

#[test]
fn calls_without_end_are_found() {
    let (world, mut observer) = (world(), SchedulerChecker::default());
    observer.calm(true);
    let (verb, body) = ("patch status", json!({}));
    let request = SchedulerApiRequest { verb, pod: "default/p".to_owned(), uid: String::new(), body };
    for _ in 0..MOST_REQUESTS {
        observer.requested(0, &request, world.pod("default/p"), &Err(403));
    }
    for _ in 0..MOST_QUESTIONS {
        observer.record_request(0, kind::PRE_FILTER_AND_FILTER, "default/p");
    }
    let expected = [
        format!("default/p: {MOST_REQUESTS} requests in a minute"),
        format!("default/p: {MOST_QUESTIONS} questions in a minute"),
    ];
    assert_eq!(observer.violations, expected);
}

#[test]
fn calls_that_come_in_their_time_are_not_wrong() {
    let mut observer = SchedulerChecker::default();
    observer.calm(true);
    for number in 0..3 * i64::try_from(MOST_QUESTIONS).unwrap() {
        observer.record_request(number * SECOND, kind::PRE_FILTER_AND_FILTER, "default/p");
    }
    assert_eq!(observer.violations, [""; 0]);
}
