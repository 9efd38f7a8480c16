//! The checker, and that it sees each kind of broken constraint.

use lictor_oracle::constraints::{ObjectIndex, broken};

use super::decided::objects;

/// Returns the failed constraints if these pods of the snapshot get these nodes.
fn with(placed: &[(&str, &str)]) -> Vec<String> {
    let objects = objects("fixtures/snapshots/three-zones.yaml");
    let dump = ObjectIndex::of(&objects);
    let new: Vec<String> = placed.iter().map(|(pod, _)| (*pod).to_owned()).collect();
    let mut places = dump.node_by_pod();
    places.extend(placed.iter().map(|(pod, node)| ((*pod).to_owned(), (*node).to_owned())));
    broken(&dump, &places, &new)
}

#[track_caller]
fn refused(placed: &[(&str, &str)], rules: &[&str]) {
    let said = with(placed);
    assert_eq!(said.len(), rules.len(), "{said:?}");
    for (said, rule) in said.iter().zip(rules) {
        assert!(said.contains(rule), "{said} is not: {rule}");
    }
}

#[test]
fn it_sees_what_a_node_is_not() {
    refused(&[("batch/loud-1", "b-2")], &["not selected"]);
    refused(&[("data/import-0", "control-1")], &["taint", "not there"]);
    refused(&[("batch/gated-1", "b-2")], &["scheduling gates"]);
    refused(&[("lab/render-1", "b-2")], &["resource claims"]);
    refused(&[("shop/cache-1", "b-1")], &["too little cpu"]);
}

#[test]
fn it_sees_where_volumes_are() {
    refused(&[("data/db-2", "b-2")], &["the volume of claim data/data-db-2 is not there"]);
    refused(&[("data/store-0", "b-3")], &["the volume of claim data/data-store-0 is not there"]);
    refused(&[("data/import-0", "c-2")], &["the volume of claim data/data-import-0 is not there"]);
    refused(&[("data/report-0", "b-2")], &["there is no claim data/data-report-0"]);
    refused(&[("data/license-1", "b-2")], &["claim data/license is used by another pod"]);
}

#[test]
fn it_sees_who_is_near() {
    refused(&[("batch/loud-1", "c-1")], &["anti-affinity of lab/bench-1"]);
    refused(&[("data/db-2", "c-1")], &["anti-affinity to data/db-1", "anti-affinity of data/db-1"]);
    let both = ["anti-affinity to shop/proxy-2", "anti-affinity of shop/proxy-2"];
    let all = [both[0], both[1], "anti-affinity to shop/proxy-1", "anti-affinity of shop/proxy-1"];
    refused(&[("shop/proxy-1", "b-2"), ("shop/proxy-2", "b-3")], &all);
    refused(&[("shop/cache-1", "c-3")], &["affinity to nobody"]);
}

#[test]
fn it_sees_how_pods_are_spread() {
    let two = [("shop/web-4", "b-2"), ("shop/web-5", "b-3")];
    refused(&two, &["spread: 2 more in north-b", "spread: 2 more in north-b"]);
    refused(&[("shop/web-4", "lab-1")], &["spread: the node has no such label"]);
    refused(&[("shop/quorum-4", "b-2")], &["spread: 2 more in north-b"]);
}

#[test]
fn it_lets_pass_what_is_sound() {
    let sound = [
        ("batch/loud-1", "c-3"),
        ("data/db-2", "c-2"),
        ("data/store-0", "b-2"),
        ("data/import-0", "b-3"),
        ("shop/web-4", "b-2"),
        ("shop/web-5", "c-2"),
        ("shop/proxy-1", "b-3"),
        ("shop/proxy-2", "c-1"),
    ];
    assert_eq!(with(&sound), [""; 0]);
}
