//! `--explain` and `lictor explain`. What must be said of the bundled snapshot follows from the table in
//! `fixtures/snapshots/README.md`, which was worked out by hand.

use lictor::embedded;
use serde_json::{Value, json};

use crate::assemble::renamed;
use crate::run::{FOUR_TEAMS, Ran, file, lictor, lictor_reading};

fn explain(name: &str) -> Ran {
    lictor(&["explain", FOUR_TEAMS, name, "--native"])
}

/// Returns the explanation of one pod, as JSON.
fn told(name: &str) -> Value {
    let answer = lictor(&["explain", FOUR_TEAMS, name, "--native", "--output", "json"]).exits(0).json();
    assert_eq!((&answer["kind"], answer["pods"].as_array().unwrap().len()), (&json!("Explanation"), 1));
    answer["pods"][0].clone()
}

/// Returns the names that the trace of a pod's only attempt has of one kind, with this outcome.
fn named(pod: &Value, about: &str, outcome: &str) -> Vec<String> {
    let notes = pod["attempts"][0]["explanation"]["notes"].as_array().unwrap().iter();
    let these = notes.filter(|note| note["about"] == about && note["outcome"] == outcome);
    let mut names: Vec<String> = these.map(|note| note["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_job_without_room_is_told_what_would_have_been_enough() {
    let ran = explain("nlp/long-context").exits(0).tells(&["note: the laws of `koordinator` decide"]);
    assert_eq!(ran.err.lines().count(), 1);
    // ib-2 is three nodes. On two of them, evicting the eligible pods is enough; on the third one, `depth-fm` may not be evicted.
    ran.prints(&[
        "\nnlp/long-context-worker-0: unschedulable\n",
        "\nnlp/long-context: 2 pods: refused\n",
        "2 of the 3 waiting pods of the job find one",
        "    34 of 44 nodes: didn't match Pod's node affinity/selector\n",
        "    3 of 44 nodes: Insufficient cpu (requested 96, free ",
        "Insufficient nvidia.com/gpu (requested 8, free 0)\n      h100-04, h100-05, h100-06\n",
        ", even after evicting all 0 eligible pods there\n      h100-05\n",
        "    2 nodes would do: 1 to 2 pods would be evicted, of priority up to 5000\n      h100-04, h100-06\n",
        "    1 pod, koordinator/victim-ranks-lower: its node would have room if this pod were evicted: priority 9000 is not lower \
         than 7000 of the preemptor\n      vision/depth-fm-worker-0 on h100-05\n",
        "    6 pods, engine/protected: the host evicts no such pod: its priority, its namespace or its label protects it\n      \
         koordinator-system/",
    ]);
}

#[test]
fn a_plan_is_told_by_its_victims_who_came_back_and_what_else_would_have_done() {
    let pod = told("vision/vit-huge-worker-0");
    // The pod on `a100-05` is alone; on the other nodes pods of gangs would be evicted.
    assert_eq!((&pod["state"], &pod["node"]), (&json!("nominated"), &json!("a100-05")));
    let victims = [
        "bert-large-worker-0",
        "bert-large-worker-1",
        "llm-eval-worker-0",
        "t5-distill-worker-0",
        "t5-distill-worker-1",
    ];
    assert_eq!(named(&pod, "pod", "needed"), victims.map(|name| format!("nlp/{name}")));
    assert_eq!(named(&pod, "pod", "reprieved"), ["nlp/bert-large-tensorboard"]);
    assert_eq!(named(&pod, "node", "chosen"), ["a100-02", "a100-03", "a100-04", "a100-05"]);
    // `a100-01` could be cleared of eight pods; the others run pods of equal priority.
    assert_eq!(named(&pod, "node", "enough"), ["a100-01"]);
    assert_eq!(named(&pod, "pod", "unneeded").len(), 8);
    let counted = pod["attempts"][0]["explanation"]["counted"].as_array().unwrap();
    let of = |about: &str, outcome: &str| {
        let these = counted.iter().filter(|counted| counted["about"] == about && counted["outcome"] == outcome);
        these.map(|counted| counted["count"].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!((of("pod", "needed"), of("pod", "unneeded"), of("node", "chosen")), (5, 8, 4));
    assert_eq!(pod["attempts"][0]["explanation"]["nodes"], 44);
}

#[test]
fn a_running_pod_is_said_to_be_safe_by_its_law_or_to_be_evicted_by_whom() {
    // Priority 5000, preemptible: any pod of a higher priority may evict it, in whatever quota.
    let taken = told("nlp/bert-large-worker-0");
    let from = json!([
        {"by": "same-queue", "priority": 5001, "spared": null},
        {"by": "other-queue", "priority": 5001, "spared": null},
    ]);
    let by = "may be evicted by a pod of its own queue of priority 5001 or higher, by a pod of another queue of priority 5001 or higher";
    assert_eq!(taken["standing"], json!({"safe": false, "sentence": by, "threats": from}));
    explain("nlp/bert-large-worker-0")
        .exits(0)
        .prints(&["  may be evicted by a pod of its own queue of priority 5001 or higher"]);
    let decided = lictor(&["decide", FOUR_TEAMS, "--native", "--explain", "--output", "json"]).json();
    let standings = decided["standings"].as_object().unwrap();
    let spared = |pod: &str| {
        let (_, standing) = standings.iter().find(|(name, _)| name.starts_with(pod)).unwrap();
        assert_eq!(standing["safe"], true, "{standing}");
        standing["threats"][0]["spared"]["code"].clone()
    };
    assert_eq!(spared("etl/ledger-sync"), "koordinator/victim-is-preemptible");
    assert_eq!(spared("kube-system/cilium"), "engine/protected");
    // It waits: it has no standing.
    assert!(told("nlp/long-context-worker-0")["standing"].is_null());
    lictor(&["decide", FOUR_TEAMS, "--native", "--explain"])
        .prints(&["\nRunning pods that are safe\n", "\nRunning pods that may be evicted\n"]);
    let unexplained = lictor(&["decide", FOUR_TEAMS, "--native", "--output", "json"]).json();
    assert!(unexplained.get("standings").is_none(), "nobody asked");
}

#[test]
fn the_view_in_a_terminal_says_which_running_pods_are_safe() {
    let view = |more: &[&str]| lictor(&[&["view", FOUR_TEAMS, "--native", "--text"], more].concat());
    let all = view(&["--nodes", "1000"]).exits(0).prints(&[
        "\nRunning pods that are safe\n",
        "safe, koordinator/victim-is-preemptible: ",
        "\nRunning pods that may be evicted\n",
        "may be evicted by a pod of its own queue of priority 5001 or higher",
    ]);
    assert!(!all.out.contains("decide --explain"), "all are shown");
    view(&["--nodes", "2"]).exits(0).prints(&[" more: `lictor decide --explain` shows all\n"]);
}

#[test]
fn a_quota_that_refuses_is_told_with_both_sides() {
    let pod = told("search/ranker-xl-4lgmcjn4c-dx6ll");
    let note = &pod["attempts"][0]["explanation"]["notes"][0];
    let expected = json!({"about": "queue", "name": "search", "outcome": "barred", "law": "koordinator/non-preemptible-job-fits-min",
        "message": "quota `search`, cpu: non-preemptible used 324 + requested 40 is more than min 352 \
                    (Insufficient non-preemptible quotas)",
        "code": "koordinator/non-preemptible-job-fits-min",
        "facts": {"queue": "search", "used": {"cpu": "324"}, "requested": {"cpu": "40"}, "min": {"cpu": "352"}}});
    assert_eq!(note, &expected);
    explain("search/ranker-xl-4lgmcjn4c-dx6ll").exits(0).prints(&[
        ": refused\n",
        "  In the way\n",
        "324 + requested 40",
    ]);
}

#[test]
fn who_goes_for_the_quota_and_who_need_not_is_told() {
    let pod = told("adhoc/quarter-close-0-jgfjx");
    assert_eq!(named(&pod, "pod", "needed"), ["adhoc/what-if-model-0-2nmlp"]);
    let back = named(&pod, "pod", "reprieved");
    for job in ["adhoc/ab-report-", "adhoc/cohort-query-"] {
        assert!(back.iter().any(|pod| pod.starts_with(job)), "{back:?}");
    }
    // 312 with the two back, and 12 more are 324.
    explain("adhoc/quarter-close-0-jgfjx")
        .exits(0)
        .prints(&["with this pod back: quota `analytics`, cpu: ", "more than max 320"]);
}

#[test]
fn a_victim_is_told_for_whom_it_goes_and_a_bystander_why_it_stays() {
    let victim = told("nlp/bert-large-worker-0");
    assert_eq!((&victim["state"], &victim["evicted"]["plan"]), (&json!("makesWay"), &json!(1)));
    assert_eq!((&victim["looked_at"], &victim["lookedAt"][0]["outcome"]), (&Value::Null, &json!("needed")));
    explain("nlp/bert-large-worker-0")
        .exits(0)
        .prints(&["  may be evicted by a pod of its own queue of priority 5001 or higher"]);
    explain("bert-large-tensorboard").exits(0).prints(&[
        "\nnlp/bert-large-tensorboard: stays on a100-04\n",
        "    reprieved, engine/reprieved: there is room for the pod beside the preemptor\n      for vision/vit-huge-worker-0\n",
    ]);
    explain("nlp/lr-sweep-3-worker-0")
        .exits(0)
        .prints(&[": stays on a100-01\n", "    not needed, engine/not-needed: no pod is planned onto its node\n"]);
    // Its node is of no pool that a pod could be planned onto.
    let edge = lictor(&["decide", FOUR_TEAMS, "--native", "--output", "json"]).exits(0).json();
    assert!(
        edge["cycles"][0].get("explanations").is_none()
            && edge["cycles"][0]["attempts"][0].get("explanation").is_none()
    );
}

#[test]
fn a_pod_whose_job_gave_up_is_shown_with_the_others_of_its_job() {
    explain("nlp/tokenize-shards-worker-0").exits(0).prints(&[
        "nlp/tokenize-shards-worker-0: still pending, after a place was held for it: the policy released it\n",
        "The others of its job\n",
        "nlp/tokenize-shards-worker-1: still pending, after a place was held for it",
        "nlp/tokenize-shards-worker-2: unschedulable\n",
    ]);
}

#[test]
fn names_are_taken_without_a_namespace_where_they_are_clear() {
    explain("vit-huge")
        .exits(0)
        .prints(&["vision/vit-huge-worker-0: nominated to a100-05", "vision/vit-huge: 3 pods: nominated to "]);
    let missing = explain("nlp/long-contxt").exits(2).prints_nothing();
    missing.tells(&["error: there is no pod and no job `nlp/long-contxt`", "hint: did you mean `nlp/long-context`"]);
    explain("zzz").exits(2).prints_nothing().tells(&["no job `zzz`", "`namespace/name`"]);
    let twice = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 4, pods: 10}}\n---\n\
                 apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a}\nspec: {containers: [{name: main}]}\n---\n\
                 apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: b}\nspec: {containers: [{name: main}]}\n";
    let ran = lictor_reading(&["explain", "-", "p", "--native"], twice).exits(2).prints_nothing();
    ran.tells(&["`p` matches several pods or jobs", "`a/p` or `b/p`"]);
    lictor_reading(&["explain", "-", "a/p", "--native"], twice)
        .exits(0)
        .prints(&["a/p: bound to n\n", "No law and no node stood in its way."]);
}

#[test]
fn decide_says_why_of_every_pod_that_was_not_bound() {
    let plain = lictor(&["decide", FOUR_TEAMS, "--native"]).exits(0).out;
    let ran = lictor(&["decide", FOUR_TEAMS, "--native", "--explain", "--system", "koordinator"]).exits(0);
    assert_eq!(ran.err, "");
    let at = ran.out.find("\nWhy\n").unwrap();
    let (hints, decided): (Vec<&str>, Vec<&str>) =
        ran.out[..at].lines().partition(|line| line.starts_with("    try again "));
    assert!(plain.starts_with(&decided.join("\n")), "what was decided is told as before");
    assert!(!hints.is_empty() && !plain.contains("try again "), "when to try again is a part of why");
    let ran =
        ran.prints(&["  nlp/long-context-worker-0\n    In the way\n", "    Victims\n      VICTIM ", " and 15 more\n"]);
    assert!(!ran.out[at..].contains("search/suggest-api"), "that was bound");
    let record = lictor(&["decide", FOUR_TEAMS, "--native", "--explain", "--output", "json"]).exits(0).json();
    let attempts = record["cycles"][0]["attempts"].as_array().unwrap();
    assert!(attempts.iter().all(|attempt| attempt["explanation"]["notes"].is_array()));
}

#[test]
fn the_component_says_what_the_library_says() {
    let explained = |more: &[&str]| {
        let arguments = [&["decide", FOUR_TEAMS, "--explain", "--output", "json"], more].concat();
        lictor(&arguments).exits(0).json()["cycles"].clone()
    };
    assert_eq!(explained(&[]), explained(&["--native"]));
}

#[test]
fn a_cycle_of_the_policys_own_is_explained_for_every_pod_that_waits() {
    let input = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 1, pods: 10}}\n---\n\
                 apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: default}\n\
                 spec: {schedulerName: volcano, containers: [{name: main, resources: {requests: {cpu: '2'}}}]}\n";
    let arguments = ["decide", "-", "--native", "--system", "volcano", "--explain"];
    lictor_reading(&arguments, input).exits(0).prints(&[
        "Why\n  default/a\n",
        "1 of 1 nodes: Insufficient cpu (requested 2, free 1), even after evicting all 0 eligible pods there\n        n\n",
    ]);
    let record = lictor_reading(&[&arguments[..], &["--output", "json"]].concat(), input).exits(0).json();
    assert_eq!(record["cycles"][0]["explanations"]["default/a"]["nodes"], 1);
}

#[test]
fn a_policy_that_does_not_say_why_decides_all_the_same_but_is_not_asked_why() {
    let path = file("mute.wasm", renamed(embedded(), "lictor:policy/explain@", "lictor:policy/explaix@"));
    let ran = lictor(&["decide", FOUR_TEAMS, "--component", &path, "--explain"]).exits(0);
    let ran = ran.tells(&[
        "warning: the policy cannot explain its decisions",
        "`lictor:policy/explain`",
        "hint: continuing without explanations",
        &format!("  --> {path}\n"),
    ]);
    assert!(ran.out.contains("6 victims") && !ran.out.contains("\nWhy\n"));
    let scenario = "fixtures/scenarios/koordinator/eviction-delete.yaml";
    let ran = lictor(&["test", scenario, "--component", &path, "--explain"]).exits(0);
    let ran = ran.tells(&["warning: the policy cannot explain its decisions"]);
    assert_eq!(ran.out, "1 passed, 0 failed\n");
    let ran = lictor(&["explain", FOUR_TEAMS, "nlp/long-context", "--component", &path]).exits(2).prints_nothing();
    ran.tells(&["error: the policy cannot explain its decisions", "hint: run `lictor decide`"]);
}

#[test]
fn a_single_scenario_is_explained_and_of_many_those_that_fail() {
    let scenario = "fixtures/scenarios/koordinator/eviction-delete.yaml";
    let ran = lictor(&["test", scenario, "--native", "--explain"]).exits(0);
    let ran = ran.prints(&["ok eviction-delete\n", "  step 1, ", "Victims\n"]);
    assert!(ran.out.ends_with("1 passed, 0 failed\n"));
    let many = lictor(&["test", "fixtures/scenarios/coscheduling", "--native", "--explain"]).exits(0);
    assert!(many.out.ends_with(" passed, 0 failed\n") && many.out.lines().count() == 1, "{}", many.out);
    let summary = lictor(&["test", scenario, "--native", "--explain", "--output", "json"]).exits(0).json();
    let steps = summary["reports"][0]["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["actual"]["explanation"]["notes"].is_array()));
    let ran = lictor(&["test", scenario, "--native", "--explain", "--output", "junit"]).exits(2).prints_nothing();
    ran.tells(&["`--explain` does not work with `--output junit`"]);
}

#[test]
fn a_running_process_is_asked_for_one_pod_and_a_dump_for_one_name() {
    lictor(&["explain", "--live", "default/a", "default/b"]).exits(2).prints_nothing();
    let both = lictor(&["explain", FOUR_TEAMS, "default/a", "--socket", "/run/s"]).exits(2).prints_nothing();
    both.tells(&["cannot be used with", "--socket <PATH>", "[POD|JOB]"]);
    let asked = lictor(&["explain", "--live", "default/a", "--socket", "/no/such/socket"]).exits(2).prints_nothing();
    if cfg!(feature = "live") {
        asked.tells(&["no controller listens at /no/such/socket", "lictor run --explain-socket"]);
    } else {
        asked.tells(&["cannot reach a cluster", "cargo build --features live"]);
    }
}
