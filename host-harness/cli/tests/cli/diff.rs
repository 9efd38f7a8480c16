//! `lictor diff`, and `lictor replay` with another policy.

use std::fs;
use std::path::PathBuf;

use lictor::embedded;
use serde_json::{Value, json};

use crate::run::{FOUR_TEAMS, file, lictor};

const THREE_ZONES: &str = "fixtures/snapshots/three-zones.yaml";

/// Writes the embedded policy under another digest: an empty section is appended. Returns the path.
fn renamed() -> String {
    let mut bytes = embedded().to_vec();
    // A custom section: id 0, its size, the length of its name, its name.
    bytes.extend([0, 2, 1, b'x']);
    file("renamed.wasm", bytes)
}

/// Records two cycles, and returns the path of the recording.
fn recording(name: &str, snapshot: &str, system: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    let path = path.to_str().unwrap().to_owned();
    lictor(&["decide", snapshot, "--system", system, "--cycles", "2", "--record", &path]).exits(0);
    path
}

fn pods(step: &Value) -> Vec<&str> {
    step["pods"].as_array().unwrap().iter().map(|changed| changed["pod"].as_str().unwrap()).collect()
}

/// Four cores: `a` and `b` want three each, `b` has the higher priority.
const TWO_WAIT: &str = r#"
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}}
  - apiVersion: v1
    kind: Pod
    metadata: {name: v, namespace: default}
    spec: {nodeName: n1, priority: 1, containers: [{name: c, resources: {requests: {cpu: 3}}}]}
    status: {phase: Running}
  - apiVersion: v1
    kind: Pod
    metadata: {name: p, namespace: default}
    spec: {priority: 9, containers: [{name: c, resources: {requests: {cpu: 3}}}]}
    status: {phase: Pending}
"#;

#[test]
fn the_same_policy_under_another_digest_decides_the_same_of_everything() {
    let other = renamed();
    for (name, snapshot, system) in [
        ("d-four.rec", FOUR_TEAMS, "koordinator"),
        ("d-three.rec", THREE_ZONES, "kubernetes"),
        ("d-volcano.rec", THREE_ZONES, "volcano"),
        ("d-yunikorn.rec", THREE_ZONES, "yunikorn"),
        ("d-coscheduling.rec", THREE_ZONES, "coscheduling"),
    ] {
        let path = recording(name, snapshot, system);
        let replayed = lictor(&["replay", &path, "--component", &other]).exits(0);
        replayed.prints(&["another policy", "decides the same: "]);
        lictor(&["diff", "native", &other, &path]).exits(0).prints(&["no decision changes in 1 input"]);
    }
    let all = lictor(&["diff", "native", "embedded", "fixtures/scenarios", FOUR_TEAMS]).exits(0);
    all.prints(&["no decision changes in "]);
}

#[test]
fn another_system_decides_otherwise_and_pods_victims_and_laws_are_named() {
    let path = file("two-wait.yaml", TWO_WAIT);
    // YuniKorn preempts for no pod without a queue that has a guarantee; kube-scheduler evicts the pod of lower priority.
    let ran = lictor(&["diff", "kubernetes", "native@yunikorn", &path, "--output", "json"]).exits(1).json();
    assert_eq!(ran["counts"]["inputs"], 1);
    assert_eq!((&ran["counts"]["pods"], &ran["counts"]["victims"]), (&json!(1), &json!(1)));
    let step = &ran["inputs"][0]["differences"][0];
    assert_eq!((step["told"].as_str(), pods(step)), (Some("cycle"), vec!["default/p"]));
    let (then, now) = (&step["pods"][0]["then"], &step["pods"][0]["now"]);
    assert_eq!((&then["verdict"], &then["node"]), (&json!("nominated"), &json!("n1")));
    assert_ne!(now["verdict"], json!("nominated"));
    assert_eq!(step["victims"][0]["pod"], "default/v");
    assert_eq!(
        (&step["victims"][0]["then"]["preemptor"], &step["victims"][0]["now"]),
        (&json!("default/p"), &Value::Null)
    );
    let laws = ran["laws"].as_object().unwrap();
    assert_eq!(laws.values().map(|law| law["victims"].as_u64().unwrap()).sum::<u64>(), 1);
    let text = lictor(&["diff", "kubernetes", "native@yunikorn", &path]).exits(1);
    text.prints(&[
        "old: lictor ",
        "default/p: nominated to n1",
        "victim default/v: evicted from n1 for default/p => stays",
        "By law",
        "decisions change in 1 of 1 input: 1 pod, 1 victim",
    ]);
    let document = lictor(&["diff", "kubernetes", "native@yunikorn", &path, "--output", "markdown"]).exits(1);
    document.prints(&[
        "### Decisions: decisions change in 1 of 1 input",
        "| law | pods | victims |",
        "<details>",
        "| victim default/v |",
    ]);
    let same = lictor(&["diff", "kubernetes", "native@kubernetes", &path, "--output", "markdown"]).exits(0);
    same.prints(&["### Decisions: no decision changes in 1 input"]);
}

#[test]
fn other_arguments_are_compared_with_the_system_of_the_input() {
    let path = "fixtures/scenarios/koordinator";
    let args = file("no-preemption.yaml", "disableDefaultPreemptiable: true\n");
    lictor(&["diff", "native", "native", path, "--new-args", &args, "--old-args", &args]).exits(0);
    let ran = lictor(&["diff", "native", "native", path, "--new-args", &args, "--output", "json"]).exits(1).json();
    assert_eq!(ran["new"]["arguments"], json!({"disableDefaultPreemptiable": true}));
    assert!(ran["counts"]["differing"].as_u64().unwrap() > 0 && ran["old"].get("arguments").is_none());
}

#[test]
fn after_a_difference_the_cluster_goes_on_as_recorded() {
    let path = file("goes-on.yaml", TWO_WAIT);
    // Both cycles are decided about the same cluster: in the second one, the plan of the first is under way, no matter which policy made it.
    let cycles = ["--cycles", "2", "--scheduler", "default-scheduler", "--output", "json"];
    let ran = lictor(&[&["diff", "kubernetes", "native@yunikorn", &path], &cycles[..]].concat()).exits(1).json();
    let steps = ran["inputs"][0]["differences"].as_array().unwrap();
    let victims: usize = steps.iter().map(|step| step["victims"].as_array().unwrap().len()).sum();
    assert_eq!(victims, 1, "{ran:#}");
    // The other way round there is no plan that would be under way.
    let ran = lictor(&[&["diff", "native@yunikorn", "kubernetes", &path], &cycles[..]].concat()).exits(1).json();
    let steps = ran["inputs"][0]["differences"].as_array().unwrap();
    assert_eq!(steps.len(), 2, "{ran:#}");
    assert!(steps.iter().all(|step| step["victims"][0]["pod"] == "default/v"), "{ran:#}");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let path = file("diff-bad.yaml", "a: 1\n");
    lictor(&["diff", "native", "koordinater", FOUR_TEAMS])
        .exits(2)
        .tells(&["no system `koordinater`", "`koordinator`"]);
    lictor(&["diff", "native", "no/such.wasm", FOUR_TEAMS]).exits(2).tells(&["no/such.wasm", "cannot be read"]);
    lictor(&["diff", "native", "native", "no/such.yaml"]).exits(2).tells(&["no/such.yaml", "cannot be read"]);
    lictor(&["diff", "native", "native", &path]).exits(2).prints_nothing().tells(&["diff-bad.yaml"]);
    let args = file("diff-args.yaml", "noSuchArgument: 1\n");
    let ran = lictor(&["diff", "native", "native", FOUR_TEAMS, "--new-args", &args]).exits(2);
    ran.tells(&["noSuchArgument", "diff-args.yaml:1"]);
}
