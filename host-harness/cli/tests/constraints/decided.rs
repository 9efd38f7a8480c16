//! What is decided, judged by the checker.

use std::collections::BTreeSet;

use serde_json::Value;

use lictor_oracle::constraints::{NodeByPod, ObjectIndex, broken};

use super::run::{file, lictor};

/// Reads the objects of a file in the root of the project.
pub fn objects(name: &str) -> Vec<Value> {
    let path = format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"));
    objects_of(name, &std::fs::read_to_string(path).unwrap())
}

/// Reads the objects of a text.
pub fn objects_of(name: &str, text: &str) -> Vec<Value> {
    let documents = lictor_host::cluster::load::read(name, text).unwrap();
    documents.into_iter().map(|document| document.value).collect()
}

/// Returns the answer of `decide` in JSON.
pub fn decided(file: &str, options: &[&str]) -> Value {
    lictor(&[&["decide", file, "--output", "json"], options].concat()).exits(0).json()
}

/// Returns the pods and their nodes, as a part of the first cycle lists them.
pub fn listed(decided: &Value, part: &str) -> NodeByPod {
    let entries = decided["cycles"][0][part].as_object().unwrap().iter();
    entries.map(|(pod, node)| (pod.clone(), node.as_str().unwrap().to_owned())).collect()
}

/// Returns the victims of the first cycle.
pub fn victims(decided: &Value) -> BTreeSet<String> {
    decided["cycles"][0]["victims"].as_object().unwrap().keys().cloned().collect()
}

/// Checks that no pod that got a node breaks a hard constraint: neither now, with the victims still there, nor after these have left and the
/// nominated pods have arrived.
#[track_caller]
fn sound(file: &str, options: &[&str]) {
    judge(&objects(file), &decided(file, options));
}

#[track_caller]
fn judge(objects: &[Value], decided: &Value) {
    let dump = ObjectIndex::of(objects);
    let (bound, nominated, victims) = (listed(decided, "bound"), listed(decided, "nominated"), victims(decided));
    assert!(!bound.is_empty(), "nothing is judged");
    let mut places = dump.node_by_pod();
    places.extend(bound.clone());
    assert_eq!(broken(&dump, &places, bound.keys()), [""; 0], "with the victims");
    places.retain(|pod, _| !victims.contains(pod));
    places.extend(nominated.clone());
    assert_eq!(broken(&dump, &places, bound.keys().chain(nominated.keys())), [""; 0], "without the victims");
    let ours = |pod: &String| dump.find("Pod", pod).unwrap()["spec"]["schedulerName"] != "other-scheduler";
    assert!(bound.keys().chain(nominated.keys()).all(ours));
}

#[test]
fn koordinator_breaks_no_constraint() {
    sound("fixtures/snapshots/three-zones.yaml", &["--system", "koordinator"]);
    sound("fixtures/snapshots/four-teams.yaml", &["--system", "koordinator"]);
}

#[test]
fn kubernetes_breaks_no_constraint() {
    sound("fixtures/snapshots/three-zones.yaml", &["--system", "kubernetes"]);
    sound("fixtures/snapshots/three-zones.yaml", &["--system", "kubernetes", "--native"]);
}

#[test]
fn coscheduling_breaks_no_constraint() {
    sound("fixtures/snapshots/three-zones.yaml", &["--system", "coscheduling"]);
}

/// Checks YuniKorn with another scheduler's pods, because it schedules only its own pods otherwise.
#[test]
fn yunikorn_breaks_no_constraint() {
    let options = ["--system", "yunikorn", "--scheduler", "default-scheduler"];
    sound("fixtures/snapshots/three-zones.yaml", &options);
}

/// Checks Volcano, which tries no pod without a queue. Its controller puts its own pods, which have no group, into `default`.
#[test]
fn volcano_breaks_no_constraint() {
    let snapshot = "fixtures/snapshots/three-zones.yaml";
    let text = std::fs::read_to_string(format!("{}/../../{snapshot}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let text = text.replace("schedulerName: default-scheduler", "schedulerName: volcano");
    let queue =
        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: default}\nspec: {weight: 1}\n";
    let with_queue = file("three-zones-with-queue.yaml", format!("{text}---\n{queue}"));
    judge(&objects(snapshot), &decided(&with_queue, &["--system", "volcano"]));
}
