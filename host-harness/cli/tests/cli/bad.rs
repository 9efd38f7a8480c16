//! Every file of `fixtures/snapshots/bad`: each mistake is reported with its line, and there is no decision where it would be a guess.

use std::collections::BTreeSet;

use crate::run::lictor;

/// A file with a mistake, and the report of the mistake.
struct Case {
    file: &'static str,
    /// The line that is reported; 0 where the file as a whole is meant.
    line: u32,
    /// What is said, besides the line.
    says: &'static [&'static str],
}

const fn case(file: &'static str, line: u32, says: &'static [&'static str]) -> Case {
    Case { file, line, says }
}

/// Nothing is decided.
const STOPS: [Case; 33] = [
    case("empty", 0, &["there is no object"]),
    case("gang-min-available-not-a-number", 30, &["gang.scheduling.koordinator.sh/min-available", "Pod default/pod-1"]),
    case("items-not-a-list", 4, &["`items`", "sequence"]),
    case("kind-missing", 12, &["kind", "missing"]),
    case("labels-not-text", 31, &["metadata.labels.shard", "Pod default/pod-1", "quote a text"]),
    case("not-a-mapping", 2, &["not a Kubernetes object", "mapping"]),
    case("not-an-object", 2, &["not a Kubernetes object"]),
    case("pod-priority-not-a-number", 41, &["spec.priority", "Pod default/pod-1"]),
    case("pod-without-name", 28, &["metadata.name", "missing"]),
    case("podgroup-min-member-negative", 32, &["spec.minMember", "PodGroup default/job-a", "-2"]),
    case("podgroup-min-member-not-a-number", 32, &["spec.minMember", "PodGroup default/job-a", "four"]),
    case("podgroup-min-member-overflow", 32, &["spec.minMember", "PodGroup default/job-a", "9999999999"]),
    case("podgroup-min-member-zero", 32, &["spec.minMember", "PodGroup default/job-a", "`0`"]),
    case("quantity-malformed", 39, &["`4 cores`", "requests.cpu", "Pod default/pod-1", "500m"]),
    case("quantity-negative", 39, &["`-1` is negative", "requests.cpu", "Pod default/pod-1"]),
    case("quantity-negative-allocatable", 8, &["`-8` is negative", "allocatable.cpu", "Node node-1"]),
    case("quantity-not-a-scalar", 39, &["requests.cpu", "Pod default/pod-1", "sequence"]),
    case("quantity-wrong-suffix", 9, &["`32GB` is not a quantity"]),
    case("quota-is-its-own-parent", 17, &["ElasticQuota quotas/team-a", "team-a -> team-a"]),
    case("quota-max-negative", 22, &["spec.max.cpu", "ElasticQuota quotas/team-a", "`-8` is negative"]),
    case("quota-name-twice", 18, &["team-a", "quota of this name", "`other`"]),
    case("quota-namespaces-not-json", 16, &["`default, batch`", "not a JSON list", "[\"ns-1\", \"ns-2\"]"]),
    case("quota-parents-cyclic", 17, &["team-a -> team-b -> team-a", "root"]),
    case("spec-not-a-mapping", 33, &["spec of Pod default/pod-1"]),
    case("wrong-kind", 3, &["scenario", "`lictor test`"]),
    case("yaml-billion-laughs", 12, &["aliases"]),
    case("yaml-deep-nesting", 17, &["limit"]),
    case("yaml-duplicate-key", 40, &["`cpu`", "second time"]),
    case("yaml-not-utf8", 22, &["UTF-8"]),
    case("yaml-second-document", 21, &["not valid YAML"]),
    case("yaml-tab-indent", 8, &["tabs"]),
    case("yaml-unclosed-quote", 22, &["quoted"]),
    case("yaml-unknown-alias", 39, &["unknown anchor"]),
];

/// Likewise; apart only because the list would be too long for a screen.
const STOPS_TOO: [Case; 1] = [case("yaml-wrong-indent", 9, &["not valid YAML"])];

/// The cluster is decided upon, and what its author may not have meant is said.
const SAYS_SO: [Case; 7] = [
    case("pod-twice", 45, &["Pod/default/pod-1", "second time"]),
    case("quota-min-above-max", 24, &["min of cpu 10", "max 8", "ElasticQuota quotas/team-a"]),
    case("quota-unknown-parent", 17, &["`division-x`", "does not exist"]),
    case("quota-max-without-key", 25, &["memory", "ElasticQuota quotas/team-a"]),
    case("quantity-overflow", 26, &["Pod default/pod-1", "`memory`", "no node takes the pod"]),
    case("quantity-sum-overflow", 26, &["Node node-1", "Pod default/pod-1", "Pod default/pod-2", "`memory`"]),
    case("quota-namespace-claimed-twice", 32, &["`default`", "team-a", "team-b"]),
];

fn place(case: &Case) -> String {
    match case.line {
        0 => format!("fixtures/snapshots/bad/{}.yaml", case.file),
        line => format!("  --> fixtures/snapshots/bad/{}.yaml:{line}\n", case.file),
    }
}

fn decide(case: &Case, more: &[&str]) -> crate::run::Ran {
    let path = format!("fixtures/snapshots/bad/{}.yaml", case.file);
    lictor(&[&["decide", &path], more].concat())
}

#[test]
fn mistakes_stop_it() {
    for case in STOPS.iter().chain(&STOPS_TOO) {
        let ran = decide(case, &["--native"]).exits(2).prints_nothing();
        ran.tells(&["error: ", "  hint: ", &place(case)]).tells(case.says);
    }
}

#[test]
fn what_may_not_be_meant_is_said() {
    for case in &SAYS_SO {
        let ran = decide(case, &["--native"]).exits(0);
        ran.prints(&["Findings\nwarning: ", "  hint: ", &place(case)]).prints(case.says);
    }
}

/// Checks that the component and the native engine have the same findings: one that stops, one that is reported, one from the host.
#[test]
fn the_component_finds_the_same() {
    for case in STOPS.iter().filter(|case| ["quota-max-negative", "quota-parents-cyclic"].contains(&case.file)) {
        let (native, component) = (decide(case, &["--native"]).exits(2), decide(case, &[]).exits(2));
        assert_eq!(component.err, native.err);
    }
    let findings = |more: &[&str]| {
        decide(&SAYS_SO[1], &[&["--output", "json"], more].concat()).exits(0).json()["findings"].clone()
    };
    assert_eq!(findings(&[]), findings(&["--native"]));
    assert_eq!(findings(&[])[0]["line"], 24);
}

#[test]
fn every_file_is_tried() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/snapshots/bad");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = names.filter_map(|name| Some(name.strip_suffix(".yaml")?.to_owned())).collect();
    let cases = STOPS.iter().chain(&STOPS_TOO).chain(&SAYS_SO);
    assert_eq!(files, cases.map(|case| case.file.to_owned()).collect());
}
