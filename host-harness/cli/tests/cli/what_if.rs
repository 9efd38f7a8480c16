//! `lictor what-if`. `fixtures/snapshots/README.md` works out which constraints fail for the jobs of the bundled snapshot.

use serde_json::json;

use crate::run::{FOUR_TEAMS, lictor};

/// Checks the raise of a quota: 324 cores are in use and 40 are requested, 12 more than the 352 of the quota.
#[test]
fn a_quota_is_to_be_raised_by_what_is_missing() {
    let ran = lictor(&["what-if", FOUR_TEAMS, "search/ranker-xl-4lgmcjn4c", "--native"]).exits(0);
    ran.prints(&["search/ranker-xl-4lgmcjn4c: 1 pod waits", "  - raise in `search` min cpu from 352 to 364"]);
}

/// Checks the addition of a node: two of three pods find a node in their domain of three nodes, and one more is needed there.
#[test]
fn a_node_more_like_those_that_would_do_is_enough() {
    let ran = lictor(&["what-if", FOUR_TEAMS, "nlp/long-context", "--native", "--output", "json"]).exits(0);
    let answer = ran.json();
    assert_eq!((&answer["kind"], &answer["isIn"]), (&json!("WhatIf"), &json!(false)));
    let nodes = answer["changes"].as_array().unwrap().iter().find(|change| change["kind"] == "nodes").unwrap();
    assert_eq!((&nodes["of"], &nodes["fields"][0]["to"]), (&json!("h100-04"), &json!("1")));
}

/// Checks a gang that has three of the four pods that it needs, so that only a fourth pod helps.
#[test]
fn where_nothing_helps_that_is_told() {
    let ran = lictor(&["what-if", FOUR_TEAMS, "vision/stereo-match", "--native"]).exits(1);
    ran.prints(&["No change of one quota, of the nodes or of its priority lets it in"]);
    let unknown = lictor(&["what-if", FOUR_TEAMS, "vision/stereo-macht", "--native"]).exits(2);
    assert!(unknown.err.contains("did you mean `vision/stereo-match`"), "{}", unknown.err);
}

/// Checks a pod that its scheduling gate holds back, not the cluster.
#[test]
fn for_a_pod_with_gates_nothing_is_tried() {
    let asked =
        ["what-if", "--system", "kubernetes", "fixtures/snapshots/three-zones.yaml", "batch/gated-1", "--native"];
    let ran = lictor(&asked).exits(1);
    ran.prints(&["waits for its scheduling gates to be removed: example.com/quota", "No change of a quota"]);
}
