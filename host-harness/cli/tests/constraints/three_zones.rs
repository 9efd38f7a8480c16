//! What must happen in the snapshot: the table of `fixtures/snapshots/README.md`, which was worked out by hand from the rules.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;

use super::decided::{decided, listed, victims};

static DECIDED: LazyLock<Value> =
    LazyLock::new(|| decided("fixtures/snapshots/three-zones.yaml", &["--system", "kubernetes"]));

/// Returns the zones that pods with this prefix got, by binding or by nomination, in order.
fn zones(part: &str, prefix: &str) -> Vec<String> {
    let placed = listed(&DECIDED, part).into_iter().filter(|(pod, _)| pod.starts_with(prefix));
    let mut zones: Vec<String> = placed.map(|(_, node)| node.split('-').next().unwrap().to_owned()).collect();
    zones.sort();
    zones
}

/// Checks that the pod has no node, and that the reasons of some nodes have this text.
#[track_caller]
fn refused(pod: &str, says: &str) {
    let attempts = DECIDED["cycles"][0]["attempts"].as_array().unwrap();
    let attempt = attempts.iter().find(|attempt| attempt["pod"] == pod).unwrap();
    assert_eq!(attempt["result"], "Unschedulable");
    assert!(attempt["nodes"].to_string().contains(says), "{attempt}");
}

#[test]
fn web_and_proxy_get_a_pod_a_zone_and_evict_where_it_is_full() {
    for name in ["shop/web-", "shop/proxy-"] {
        assert_eq!(zones("bound", name), ["b", "c"], "{name}");
        assert_eq!(zones("nominated", name), ["a"], "{name}");
    }
}

#[test]
fn cache_is_nominated_beside_api_for_the_pod_that_is_not_api() {
    assert_eq!(listed(&DECIDED, "nominated")["shop/cache-1"], "b-1");
    assert!(victims(&DECIDED).contains("batch/crunch-7"));
}

#[test]
fn only_pods_of_full_nodes_that_are_needed_are_evicted() {
    let of_a: BTreeSet<String> = (1..=6).map(|number| format!("batch/crunch-{number}")).collect();
    let mut victims = victims(&DECIDED);
    victims.remove("batch/crunch-7");
    assert!(victims.is_subset(&of_a) && (1..=2).contains(&victims.len()), "{victims:?}");
}

#[test]
fn pods_with_volumes_go_where_these_are() {
    let bound = listed(&DECIDED, "bound");
    assert!(["c-2", "c-3"].contains(&&*bound["data/db-2"]), "{bound:?}");
    assert!(["b-2", "b-3"].contains(&&*bound["data/import-0"]), "{bound:?}");
    assert_eq!(bound["data/store-0"], "b-2");
}

#[test]
fn loud_keeps_away_from_bench() {
    let bound = listed(&DECIDED, "bound");
    assert!(["c-2", "c-3"].contains(&&*bound["batch/loud-1"]), "{bound:?}");
}

#[test]
fn who_cannot_be_helped_evicts_nobody() {
    refused("shop/quorum-4", "node(s) didn't match pod topology spread constraints");
    refused("data/license-1", "ReadWriteOncePod");
    refused("data/report-0", "persistentvolumeclaim \\\"data-report-0\\\" not found");
    refused("lab/render-1", "resource claims");
}

#[test]
fn gated_pods_and_those_of_others_are_not_tried() {
    for pod in ["batch/gated-1", "batch/other-1"] {
        let attempts = DECIDED["cycles"][0]["attempts"].as_array().unwrap();
        assert!(attempts.iter().all(|attempt| attempt["pod"] != pod), "{pod}");
    }
}
