//! What must happen in the bundled snapshot: the table of `fixtures/snapshots/README.md`, row by row, which was worked out by hand
//! from the rules.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::run::{FOUR_TEAMS, lictor};

/// What the component decides in one cycle.
static DECIDED: LazyLock<Value> = LazyLock::new(|| lictor(&["decide", FOUR_TEAMS, "--output", "json"]).exits(0).json());

fn cycle() -> &'static Value {
    &DECIDED["cycles"][0]
}

/// Returns the attempt for a pod.
#[track_caller]
fn attempt(pod: &str) -> &'static Value {
    let attempts = cycle()["attempts"].as_array().unwrap();
    attempts.iter().find(|attempt| attempt["pod"] == pod).unwrap_or_else(|| panic!("{pod} was not tried"))
}

/// Checks that the pod is bound to one of these nodes.
#[track_caller]
fn bound(pod: &str, nodes: &[&str]) {
    let node = cycle()["bound"][pod].as_str().unwrap_or_else(|| panic!("{pod} is not bound"));
    assert!(nodes.contains(&node), "{pod} is bound to {node}");
}

/// Checks that the cycle did nothing for the pod: the attempt ended with this result, by this law, whose message has these parts.
#[track_caller]
fn left_over(pod: &str, result: &str, law: &str, says: &[&str]) {
    let attempt = attempt(pod);
    assert_eq!(attempt["result"], result, "{attempt}");
    for list in ["bound", "nominated", "waiting", "victims"] {
        assert_eq!(cycle()[list][pod], Value::Null, "{pod} in {list}");
    }
    for victim in cycle()["victims"].as_object().unwrap().values() {
        assert_ne!(victim["preemptor"], pod);
    }
    let reason = if attempt["reason"].is_null() { &attempt["preemption"] } else { &attempt["reason"] };
    assert_eq!(reason["law"], law, "{attempt}");
    for part in says {
        assert!(reason["message"].as_str().unwrap().contains(part), "`{part}` is not in {reason}");
    }
}

/// Returns the nodes that pods with this prefix were nominated to, each as often as it was.
fn nominated(prefix: &str) -> Vec<&'static str> {
    let nominated = cycle()["nominated"].as_object().unwrap().iter();
    let mut nodes: Vec<&str> =
        nominated.filter(|(pod, _)| pod.starts_with(prefix)).filter_map(|(_, node)| node.as_str()).collect();
    nodes.sort_unstable();
    nodes
}

/// Returns the victims of a plan for a pod with this prefix, each with the node that it leaves. Checks that all are marked and not deleted.
fn victims(prefix: &str) -> BTreeSet<(&'static str, &'static str)> {
    let all = cycle()["victims"].as_object().unwrap().iter();
    let of = all.filter(|(_, victim)| victim["preemptor"].as_str().unwrap().starts_with(prefix));
    of.map(|(pod, victim)| {
        assert_eq!(victim["how"], "Soft", "{pod}");
        (pod.as_str(), victim["node"].as_str().unwrap())
    })
    .collect()
}

#[test]
fn edge_proxy_takes_the_last_free_port_and_the_second_finds_none() {
    bound("search-edge/edge-proxy-bnlx86pxw-mwzgs", &["edge-3"]);
    left_over("search-edge/edge-proxy-bnlx86pxw-4zb6k", "Unschedulable", "engine/no-node", &[]);
}

#[test]
fn ranker_xl_is_over_min() {
    // What `edge-proxy` was just given counts already: 324 + 40 > 352.
    left_over(
        "search/ranker-xl-4lgmcjn4c-dx6ll",
        "Rejected",
        "koordinator/non-preemptible-job-fits-min",
        &["324", "40", "352"],
    );
}

#[test]
fn vit_huge_takes_back_what_was_lent() {
    assert_eq!(nominated("vision/vit-huge-worker-"), ["a100-02", "a100-03", "a100-04", "a100-05"]);
    let expected = [
        ("nlp/bert-large-worker-0", "a100-02"),
        ("nlp/bert-large-worker-1", "a100-04"),
        ("nlp/llm-eval-worker-0", "a100-05"),
        ("nlp/t5-distill-worker-0", "a100-03"),
        ("nlp/t5-distill-worker-1", "a100-03"),
    ];
    assert_eq!(victims("vision/vit-huge-worker-"), BTreeSet::from(expected));
    // The first attempt plans for all four; the others plan nothing more.
    let results = [0, 1, 2, 3].map(|pod| attempt(&format!("vision/vit-huge-worker-{pod}"))["result"].as_str().unwrap());
    assert_eq!(results, ["Nominated", "Unschedulable", "Unschedulable", "Unschedulable"]);
    assert_eq!(attempt("vision/vit-huge-worker-3")["preemption"]["law"], "koordinator/last-plan-is-done");
}

#[test]
fn suggest_api_has_room() {
    bound("search/suggest-api-7pc4npv6d-gs2r8", &["serving-4", "serving-5", "serving-6", "serving-7", "serving-8"]);
}

#[test]
fn summarizer_ft_is_bound_when_it_is_complete() {
    for pod in ["nlp/summarizer-ft-worker-0", "nlp/summarizer-ft-worker-1"] {
        bound(pod, &["h100-07", "h100-08"]);
    }
    let mut results = [0, 1].map(|pod| attempt(&format!("nlp/summarizer-ft-worker-{pod}"))["result"].as_str().unwrap());
    results.sort_unstable();
    assert_eq!(results, ["Scheduled", "Waiting"]);
}

#[test]
fn long_context_would_find_two_nodes_of_three() {
    left_over("nlp/long-context-worker-0", "Unschedulable", "engine/no-node", &["2 of the 3"]);
    // The gang cannot start in this round, so its other pods are not tried (ruling C27).
    for pod in 1..3 {
        left_over(
            &format!("nlp/long-context-worker-{pod}"),
            "Rejected",
            "koordinator/gang-has-not-failed",
            &["0 of the 3"],
        );
    }
}

#[test]
fn segment_tune_may_not_preempt() {
    left_over("vision/segment-tune-worker-0", "Unschedulable", "koordinator/may-preempt", &[]);
}

#[test]
fn corpus_dedup_waits_for_the_pod_that_is_leaving() {
    left_over(
        "nlp/corpus-dedup-worker-0",
        "Unschedulable",
        "koordinator/last-plan-is-done",
        &["waiting for preemption"],
    );
    assert_eq!(cycle()["stillNominated"], json!({"nlp/corpus-dedup-worker-0": "nlp-prep-1"}));
}

#[test]
fn frame_extract_runs_with_two_of_three() {
    let nodes = ["vision/frame-extract-worker-0", "vision/frame-extract-worker-1"].map(|pod| {
        bound(pod, &["vision-prep-1", "vision-prep-2"]);
        &cycle()["bound"][pod]
    });
    assert_ne!(nodes[0], nodes[1]);
    left_over("vision/frame-extract-worker-2", "Unschedulable", "engine/no-node", &[]);
}

#[test]
fn render_farm_tolerates_no_node_that_is_large_enough() {
    left_over("vision/render-farm-worker-0", "Unschedulable", "engine/no-node", &[]);
}

#[test]
fn b200_smoke_asks_for_a_label_that_no_node_has() {
    left_over("nlp/b200-smoke-worker-0", "Unschedulable", "engine/no-node", &[]);
}

#[test]
fn clickstream_backfill_is_over_max() {
    let over_max = &["76", "248", "32", "320"];
    left_over("etl/clickstream-backfill-0-k9rwb", "Rejected", "koordinator/preemptible-job-leaves-min", over_max);
    left_over("etl/clickstream-backfill-1-rchng", "Rejected", "koordinator/gang-has-not-failed", &["0 of the 2"]);
}

#[test]
fn tokenize_shards_gives_up_what_it_held() {
    for (pod, node) in [("nlp/tokenize-shards-worker-0", "tokenize-1"), ("nlp/tokenize-shards-worker-1", "tokenize-2")]
    {
        assert_eq!((&attempt(pod)["result"], &attempt(pod)["node"]), (&json!("Waiting"), &json!(node)));
        assert_eq!(cycle()["bound"][pod], Value::Null);
    }
    left_over("nlp/tokenize-shards-worker-2", "Unschedulable", "engine/no-node", &[]);
    let released = cycle()["released"].as_array().unwrap();
    let pods: BTreeSet<&str> = released.iter().filter_map(|release| release["pod"].as_str()).collect();
    assert_eq!(pods, BTreeSet::from(["nlp/tokenize-shards-worker-0", "nlp/tokenize-shards-worker-1"]));
}

#[test]
fn quarter_close_needs_room_in_its_own_quota() {
    let nodes = nominated("adhoc/quarter-close-0-jgfjx");
    assert!(nodes == ["batch-5"] || nodes == ["batch-6"], "{nodes:?}");
    let expected = BTreeSet::from([("adhoc/what-if-model-0-2nmlp", "batch-1")]);
    assert_eq!(victims("adhoc/quarter-close-0-jgfjx"), expected);
}

#[test]
fn stereo_match_has_too_few_members() {
    for pod in 0..3 {
        left_over(
            &format!("vision/stereo-match-worker-{pod}"),
            "Rejected",
            "koordinator/gang-has-its-members",
            &["3", "4"],
        );
    }
}

#[test]
fn in_sum() {
    let count = |list: &str| cycle()[list].as_object().unwrap().len();
    assert_eq!((count("bound"), count("nominated"), count("victims"), count("waiting")), (6, 5, 6, 0));
    assert_eq!((&cycle()["withdrawn"], &cycle()["refused"]), (&json!([]), &json!([])));
    assert_eq!(cycle()["attempts"].as_array().unwrap().len(), 29);
    let cluster = &DECIDED["cluster"];
    let counted = ["nodes", "placed", "pending", "ended"].map(|what| cluster[what].as_u64().unwrap());
    assert_eq!(counted, [44, 177, 29, 3]);
    assert_eq!(DECIDED["findings"], json!([]));
}

#[test]
fn the_books_before_and_after() {
    let used = |quota: &str, resource: &str| {
        let books = DECIDED["accounts"].as_array().unwrap();
        let book = books.iter().find(|book| book["name"] == quota).unwrap();
        let entries = book["resources"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["resource"] == resource).unwrap();
        (entry["usedBefore"].as_str().unwrap().to_owned(), entry["usedAfter"].as_str().unwrap().to_owned())
    };
    let pair = |before: &str, after: &str| (before.to_owned(), after.to_owned());
    for (quota, resource, before, after) in [
        ("search", "cpu", "324", "344"),
        ("search", "memory", "1720Gi", "1792Gi"),
        ("search", "nvidia.com/gpu", "8", "8"),
        ("vision", "cpu", "482", "530"),
        ("vision", "memory", "3924Gi", "4020Gi"),
        ("vision", "nvidia.com/gpu", "44", "44"),
        ("nlp", "cpu", "708", "756"),
        ("nlp", "memory", "5252Gi", "5636Gi"),
        ("nlp", "nvidia.com/gpu", "60", "68"),
        ("analytics", "cpu", "308", "308"),
        ("analytics", "memory", "924Gi", "924Gi"),
    ] {
        assert_eq!(used(quota, resource), pair(before, after), "{quota} {resource}");
    }
}

#[test]
fn the_same_natively_and_again() {
    let native = lictor(&["decide", FOUR_TEAMS, "--output", "json", "--native"]).exits(0).json();
    let decided = |record: &Value| [&record["cycles"], &record["accounts"], &record["ignored"]].map(Value::clone);
    assert_eq!(decided(&native), decided(&DECIDED));
    let again = lictor(&["decide", FOUR_TEAMS, "--output", "json"]).exits(0).json();
    assert_eq!(again, *DECIDED);
}
