//! `lictor decide`: what it reads, what it prints, what it refuses.

use std::process::Stdio;

use serde_json::json;

use crate::run::{FOUR_TEAMS, command, file, lictor, lictor_reading};

/// Returns a node with this much cpu.
fn node(name: &str, cpu: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\nstatus: {{allocatable: {{cpu: '{cpu}', pods: '10'}}}}\n"
    )
}

/// Returns a pending pod that requests 2 cpu.
fn pod(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: default}}\n\
         spec: {{containers: [{{name: main, resources: {{requests: {{cpu: '2'}}}}}}]}}\n"
    )
}

/// Returns a pending pod of a gang that waits 10 minutes for two members.
fn member(name: &str) -> String {
    pod(name).replace("namespace: default", "namespace: default, labels: {pod-group.scheduling.sigs.k8s.io: job}")
}

#[test]
fn the_page_says_everything_in_order_and_in_words() {
    let ran = lictor(&["decide", FOUR_TEAMS, "--system", "koordinator"]).exits(0);
    assert_eq!(ran.err, "");
    let expected = [
        "44 nodes, 177 pods on nodes, 29 pending",
        "system koordinator; policy lictor",
        "Bound",
        "edge-3",
        "Nominated",
        "vision/vit-huge: 4 pods -> a100-02, a100-03, a100-04, a100-05",
        "nlp/t5-distill-worker-1  a100-03  soft",
        "Released from permit",
        "nlp/tokenize-shards: 2 pods",
        "Refused",
        "koordinator/non-preemptible-job-fits-min: quota `search`",
        "nlp/long-context: 2 pods",
        "koordinator/gang-has-not-failed: gang `nlp/long-context`",
        "Unschedulable",
        "nlp/long-context-worker-0",
        "0/44 nodes are available: ",
        "no preemption, koordinator/may-preempt",
        "nominated to nlp-prep-1 before",
        "Usage",
        "QUOTA",
        "Ignored",
        "6 apps/v1 Deployment",
        "6 bound, 5 nominated, 2 held but released, 8 refused, 8 unschedulable; 6 victims\n",
    ];
    assert!(!ran.out.contains("PodDisruptionBudget"), "the host reads it: {}", ran.out);
    let mut rest = ran.out.as_str();
    for part in expected {
        let at = rest.find(part).unwrap_or_else(|| panic!("`{part}` is not where it should be in\n{}", ran.out));
        rest = &rest[at..];
    }
    assert!(!ran.out.contains('\u{1b}'), "no colours where none are wanted");
    for absent in ["Held at permit", "Plans the host refused", "Cycle"] {
        assert!(!ran.out.contains(absent), "{absent}");
    }
}

#[test]
fn several_documents_and_the_standard_input() {
    let input = format!("{}---\n{}---\n{}", node("n1", "4"), pod("a"), pod("b"));
    let record = lictor_reading(&["decide", "-", "--native", "--output", "json"], &input).exits(0).json();
    assert_eq!(record["cycles"][0]["bound"], json!({"default/a": "n1", "default/b": "n1"}));
}

#[test]
fn several_files_are_one_cluster_and_json_is_as_good_as_yaml() {
    let nodes = file("nodes.yaml", node("n1", "2"));
    let pods = json!({"apiVersion": "v1", "kind": "PodList", "items": [
        {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": 2}}}]}},
    ]});
    let pods = file("pods.json", pods.to_string());
    let record = lictor(&["decide", &nodes, &pods, "--native", "--output", "json"]).exits(0).json();
    assert_eq!(record["cycles"][0]["bound"], json!({"default/a": "n1"}));
}

#[test]
fn yaml_says_what_json_says() {
    let yaml = lictor(&["decide", FOUR_TEAMS, "--native", "--output", "yaml"]).exits(0).out;
    let json = lictor(&["decide", FOUR_TEAMS, "--native", "--output", "json"]).exits(0).json();
    let read = lictor_host::cluster::load::read("output", &yaml).unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].value, json);
}

#[test]
fn who_is_held_is_shown_with_what_it_waits_for() {
    let group = "apiVersion: scheduling.sigs.k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: job, namespace: default}\n\
                 spec: {minMember: 2}\n";
    // One of the two has a node; the other is of another namespace's kind of node: larger than any.
    let large = member("b").replace("cpu: '2'", "cpu: '8'");
    let nonstrict = group.replace(
        "namespace: default}",
        "namespace: default, annotations: {gang.scheduling.koordinator.sh/mode: NonStrict}}",
    );
    let input = [node("n1", "4"), nonstrict, member("a"), large].join("---\n");
    let ran = lictor_reading(&["decide", "-", "--native"], &input).exits(0);
    let ran = ran.prints(&["Held at permit\n  default/a -> n1\n    waits, koordinator/gang-is-complete: ", "1 held"]);
    assert!(ran.out.ends_with("1 held, 1 unschedulable; no victims\n"), "{}", ran.out);
}

#[test]
fn cycles_are_told_apart() {
    let input = [node("n1", "2"), pod("a"), pod("b")].join("---\n");
    let ran = lictor_reading(&["decide", "-", "--native", "--cycles", "2"], &input).exits(0);
    ran.prints(&[
        "Cycle 1\n",
        "Cycle 2\n",
        "cycle 1: 1 bound, 1 unschedulable; no victims\n",
        "cycle 2: 1 unschedulable; no victims\n",
    ]);
}

#[test]
fn arguments_come_from_a_file_plain_or_below_args() {
    let plain = file("plain.yaml", "podShouldBeDeletedWhenPreempted: true\n");
    let below = file("below.json", r#"{"args": {"podShouldBeDeletedWhenPreempted": true}}"#);
    for arguments in [plain, below] {
        let ran = lictor(&["decide", FOUR_TEAMS, "--native", "--system", "koordinator", "--args", &arguments]).exits(0);
        ran.prints(&["system koordinator with podShouldBeDeletedWhenPreempted=true", "a100-02  deleted"]);
    }
    let empty = file("none.yaml", "# nothing\n");
    lictor(&["decide", FOUR_TEAMS, "--native", "--args", &empty]).exits(0).prints(&["system koordinator; policy"]);
}

#[test]
fn arguments_that_are_none_are_told_with_their_line() {
    for (name, text, line, parts) in [
        ("unknown", "defaultTimeout: 5m\nenableTurbo: true\n", 2, ["`enableTurbo`", "`defaultTimeout` (duration)"]),
        ("kind", "args:\n  enableCheckParentQuota: maybe\n", 2, ["`enableCheckParentQuota`", "true or false"]),
        ("list", "- a\n", 1, ["not a mapping", "`name: value` pairs"]),
        ("second", "a: 1\n---\nb: 2\n", 3, ["second document", "one mapping"]),
    ] {
        let path = file(&format!("{name}.args.yaml"), text);
        let ran = lictor(&["decide", FOUR_TEAMS, "--native", "--args", &path]).exits(2).prints_nothing();
        ran.tells(&["error: ", &format!("  --> {path}:{line}\n"), "  hint: "]).tells(&parts);
    }
}

#[test]
fn unknown_laws_are_answered_with_the_known_ones() {
    let ran = lictor(&["decide", FOUR_TEAMS, "--system", "anarchy"]).exits(2).prints_nothing();
    ran.tells(&["`anarchy`", "`koordinator`", "`--system`"]);
}

#[test]
fn what_cannot_be_read_is_named_all_of_it() {
    let ran = lictor(&["decide", "no-such-file.yaml", "fixtures"]).exits(2).prints_nothing();
    ran.tells(&["--> no-such-file.yaml\n", "--> fixtures\n", "is a directory", "hint: "]);
}

#[test]
fn a_cluster_without_objects_nodes_or_pods_is_none() {
    for (input, what) in [(String::new(), "object"), (pod("a"), "Node"), (node("n1", "2"), "Pod")] {
        let ran = lictor_reading(&["decide", "-", "--native"], &input).exits(2).prints_nothing();
        ran.tells(&[&format!("error: there is no {what} in standard input"), "hint: "]);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = command(&["decide", FOUR_TEAMS, "--system", "koordinator", "--native", "--output", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn mistakes_on_the_command_line_end_with_2() {
    lictor(&[]).exits(2).tells(&["Usage: lictor"]);
    lictor(&["decide"]).exits(2).tells(&["SNAPSHOT"]);
    lictor(&["decide", FOUR_TEAMS, "--cycles", "0"]).exits(2).tells(&["--cycles"]);
    lictor(&["decide", FOUR_TEAMS, "--native", "--component", "x.wasm"]).exits(2).tells(&["--native"]);
    lictor(&["--version"]).exits(0).prints(&[concat!("lictor ", env!("CARGO_PKG_VERSION"))]);
    lictor(&["--help"]).exits(0).prints(&["decide", "test", "inspect", "laws"]);
}

#[test]
fn who_waits_without_a_reason_is_named_all_the_same() {
    // The laws of Volcano run a cycle of their own, which does not say of each pod why it waits.
    let input = [node("n1", "1"), pod("a")].join("---\n");
    let ran = lictor_reading(&["decide", "-", "--native", "--system", "volcano"], &input).exits(0);
    let ran = ran.prints(&["Still pending\n  default/a\n"]);
    assert!(ran.out.ends_with("1 still pending; no victims\n"), "{}", ran.out);
}

#[test]
fn a_cycle_of_the_laws_own_says_what_stands_in_the_way_of_those_who_still_wait() {
    let pod = |name: &str, annotations: &str| {
        format!(
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: default, annotations: {{{annotations}}}}}, \
             spec: {{schedulerName: volcano, containers: [{{name: c, resources: {{requests: {{cpu: '1'}}}}}}]}}}}\n"
        )
    };
    let snapshot = format!(
        "apiVersion: v1\nkind: List\nitems:\n\
         - {{apiVersion: v1, kind: Node, metadata: {{name: n1}}, status: {{allocatable: {{cpu: '8', pods: '110'}}}}}}\n\
         - {{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {{name: q}}, spec: {{capability: {{cpu: '1'}}}}, \
         status: {{state: Open}}}}\n\
         - {{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {{name: g, namespace: default}}, \
         spec: {{minMember: 2, queue: q}}}}\n{}{}{}",
        pod("a", "scheduling.k8s.io/group-name: g"),
        pod("b", "scheduling.k8s.io/group-name: g"),
        pod("c", "scheduling.volcano.sh/queue-name: nope"),
    );
    let decide = |output| {
        lictor_reading(&["decide", "--system", "volcano", "--native", "--output", output, "-"], &snapshot).exits(0)
    };
    // The gang asks for 2 of the 1 that its queue may hold.
    decide("table").prints(&[
        "Still pending",
        "volcano/queue-fits-capability: ",
        "requested 2",
        "1",
        "volcano/queue-takes-pods: ",
    ]);
    let cycle = decide("json").json()["cycles"][0].clone();
    assert_eq!(cycle["reasons"]["default/c"]["law"], "volcano/queue-takes-pods");
    assert!(cycle.get("explanations").is_none());
}

#[test]
fn gated_pods_are_listed_with_their_gates_and_pods_of_other_schedulers_are_counted() {
    let gated =
        |name: &str| pod(name).replace("spec: {", "spec: {schedulingGates: [{name: a.io/quota}, {name: b.io/net}], ");
    let foreign = |name: &str| pod(name).replace("spec: {", "spec: {schedulerName: batch, ");
    let input = [node("n1", "4"), pod("a"), gated("g"), foreign("x"), foreign("y")]
        .map(|object| format!("{object}---\n"))
        .concat();
    let ran = lictor_reading(&["decide", "-", "--native"], &input).exits(0);
    ran.prints(&[
        "\nGated, not tried\n  default/g\n    waits for its scheduling gates to be removed: a.io/quota, b.io/net\n",
        "\nNot tried\n  2 pods: another scheduler decides about it: `batch`; `--scheduler` chooses which pods are tried\n",
        "1 bound, 1 gated, 2 left to other schedulers; no victims\n",
    ]);
    let record = lictor_reading(&["decide", "-", "--native", "--output", "json"], &input).exits(0).json();
    let held_back = &record["cycles"][0]["heldBack"];
    assert_eq!(held_back["default/g"]["code"], "host/gated");
    assert_eq!(held_back["default/g"]["facts"]["gates"], "a.io/quota, b.io/net");
    assert_eq!(held_back["default/x"]["facts"]["scheduler"], "batch");
    assert_eq!(record["cycles"][0]["attempts"].as_array().unwrap().len(), 1);

    let chosen =
        ["decide", "-", "--native", "--output", "json", "--scheduler", "batch", "--scheduler", "default-scheduler"];
    let record = lictor_reading(&chosen, &input).exits(0).json();
    assert_eq!(record["cycles"][0]["attempts"].as_array().unwrap().len(), 3);
    assert_eq!(record["cycles"][0]["bound"], json!({"default/a": "n1", "default/x": "n1"}));
}

#[test]
fn a_pod_that_is_not_tried_is_explained_by_its_gates() {
    let gated = pod("g").replace("spec: {", "spec: {schedulingGates: [{name: a.io/quota}], ");
    let snapshot = file("gated.yaml", format!("{}---\n{gated}", node("n1", "4")));
    lictor(&["explain", &snapshot, "g", "--native"])
        .exits(0)
        .prints(&["default/g: not tried\n", "host/gated: waits for its scheduling gates to be removed: a.io/quota\n"]);
}

#[test]
fn the_snapshot_chooses_the_system() {
    let said = "the laws of `koordinator` decide: 107 pods name scheduler `koord-scheduler`, and the cluster has 7 ElasticQuota, 11 PodGroup";
    lictor(&["decide", FOUR_TEAMS, "--native"]).exits(0).prints(&["system koordinator"]).tells(&[said]);
    let zones = "fixtures/snapshots/three-zones.yaml";
    let plain = lictor(&["decide", zones, "--native"]).exits(0).prints(&["system kubernetes"]);
    plain.tells(&["note: the laws of `kubernetes` decide"]);
    let other = lictor(&["decide", zones, "--native", "--system", "volcano"]).exits(0);
    other.tells(&["warning: nothing in the snapshot is of system `volcano`", "--system kubernetes"]);
    let named = lictor(&["decide", zones, "--native", "--system", "kubernetes"]).exits(0);
    assert_eq!(named.err, "");
}
