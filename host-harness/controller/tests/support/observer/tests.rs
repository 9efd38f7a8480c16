//! Tests that the observer finds what is wrong in the objects that it receives.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::objects::{merge, node, pod};
use super::books::{Books, What};

/// Returns a pod of this name with a uid, on a node.
fn on(name: &str, cpu: &str, at: &str) -> Value {
    merge(pod("a", name, cpu), &json!({"metadata": {"uid": name}, "spec": {"nodeName": at}}))
}

/// Returns what is wrong once a node of 4 cores has these pods, one after the other.
fn wrong(pods: &[Value]) -> Vec<String> {
    let (mut books, now) = (Books::default(), Instant::now());
    books.node(node("n", 4), now);
    pods.iter().for_each(|pod| books.pod(pod.clone(), now));
    books.close();
    books.violations
}

#[test]
fn a_full_node_is_right_and_one_pod_more_is_not() {
    assert_eq!(wrong(&[on("x", "3", "n"), on("y", "1", "n")]), Vec::<String>::new());
    let violations = wrong(&[on("x", "3", "n"), on("y", "1001m", "n")]);
    assert_eq!(violations.len(), 1);
    assert!(violations[0].starts_with("n is overcommitted since a/y is there: cpu"), "{violations:?}");
}

#[test]
fn what_is_finished_or_gone_takes_no_room() {
    let finished = merge(on("x", "3", "n"), &json!({"status": {"phase": "Succeeded"}}));
    assert_eq!(wrong(&[on("x", "3", "n"), finished, on("y", "4", "n")]), Vec::<String>::new());
    // A pod that is being deleted has its room until it is gone.
    let leaving = merge(on("x", "3", "n"), &json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}));
    assert_eq!(wrong(&[on("x", "3", "n"), leaving.clone(), on("y", "4", "n")]).len(), 1);
    let (mut books, now) = (Books::default(), Instant::now());
    books.node(node("n", 4), now);
    books.pod(leaving.clone(), now);
    books.pod_gone(&leaving, now);
    books.pod(on("y", "4", "n"), now);
    assert_eq!(books.violations, Vec::<String>::new());
    let what: Vec<What> = books.moments.iter().map(|moment| moment.what).collect();
    assert_eq!(what, [What::Created, What::Bound, What::Deleted, What::Gone, What::Created, What::Bound]);
}

#[test]
fn places_that_are_no_resource_are_counted() {
    let small = merge(node("n", 4), &json!({"status": {"allocatable": {"pods": "1"}}}));
    let (mut books, now) = (Books::default(), Instant::now());
    books.node(small, now);
    books.pod(on("x", "0", "n"), now);
    assert_eq!(books.violations, Vec::<String>::new());
    books.pod(on("y", "0", "n"), now);
    assert_eq!(books.violations.len(), 1);
    // What the node does not have at all is too much, too.
    let strange = json!({"spec": {"containers": [{"resources": {"requests": {"example.com/gpu": "1"}}}]}});
    assert_eq!(wrong(&[merge(on("z", "0", "n"), &strange)]).len(), 1);
}

#[test]
fn a_pod_that_is_bound_twice_is_noticed() {
    assert_eq!(wrong(&[on("x", "1", "n"), on("x", "1", "n")]), Vec::<String>::new());
    let twice = wrong(&[on("x", "1", "n"), on("x", "1", "m")]);
    assert_eq!(twice, ["a/x was bound to n, and then to m"]);
}

#[test]
fn a_misplaced_pod_is_noticed_and_a_node_that_is_none() {
    let picky = merge(on("x", "1", "n"), &json!({"spec": {"nodeSelector": {"zone": "b"}}}));
    assert_eq!(wrong(&[picky]), ["a/x is misplaced on n: its node selector asks for zone=\"b\""]);
    assert_eq!(wrong(&[on("x", "1", "m")]), ["a/x is bound to m, which is no node"]);
}

#[test]
fn a_node_may_be_seen_later_than_its_pods_and_counts_as_it_was_lately() {
    let (mut books, began) = (Books::default(), Instant::now());
    books.pod(on("x", "4", "n"), began);
    books.node(node("n", 4), began);
    let later = began + Duration::from_secs(1);
    books.node(node("n", 1), later);
    books.pod_gone(&on("x", "4", "n"), later);
    books.pod(on("y", "3", "n"), later);
    assert_eq!(books.violations, Vec::<String>::new());
    let much_later = began + Duration::from_secs(10);
    books.pod_gone(&on("y", "3", "n"), much_later);
    books.pod(on("z", "3", "n"), much_later);
    assert_eq!(books.violations.len(), 1);
}

#[test]
fn after_a_gap_what_left_has_made_room() {
    let (mut books, now) = (Books::default(), Instant::now());
    books.all_nodes(vec![node("n", 4)], now);
    // The pods of the first list are not judged.
    books.all_pods(vec![on("old", "1", "n"), on("x", "4", "n")], now);
    assert_eq!(books.violations, Vec::<String>::new());
    books.all_pods(vec![on("y", "4", "n")], now);
    assert_eq!(books.violations, Vec::<String>::new());
    books.all_pods(vec![on("y", "4", "n"), on("z", "1", "n")], now);
    assert_eq!(books.violations.len(), 1);
}
