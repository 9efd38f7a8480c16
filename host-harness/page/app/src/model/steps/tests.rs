use super::*;

/// `a/w` is tried second; no node takes it; `c/p` is spared, `c/q` reprieved, `c/v` evicted.
const ANSWER: &str = r#"{"asked": "a/w", "pods": [{"pod": "a/w", "state": "nominated", "node": "n1", "attempts": [
  {"pod": "a/w", "result": "Nominated", "node": "n1", "nodes": {"nodes": 3, "obstacles": {"Insufficient cpu": 3}},
   "explanation": {"nodes": 3, "counted": [], "notes": [
    {"about": "node", "name": "n1", "outcome": "barred", "code": "node/has-room", "message": "free cpu 1"},
    {"about": "pod", "name": "c/p", "node": "n1", "outcome": "spared", "code": "s/ranks", "message": "too high"},
    {"about": "node", "name": "n1", "outcome": "chosen", "code": "engine/fewest", "message": "1 victim"},
    {"about": "pod", "name": "c/q", "node": "n1", "outcome": "reprieved", "code": "engine/reprieved", "message": "fits with it"},
    {"about": "pod", "name": "c/v", "node": "n1", "outcome": "needed", "code": "engine/needed", "message": "no room with it"}]}}]}]}"#;
const CYCLE: &str = r#"{"cycle": 1, "attempts": [{"pod": "b/x", "result": "Scheduled"}, {"pod": "a/w", "result": "Nominated"}],
  "nominated": {"a/w": "n1"}, "victims": {"c/v": {"how": "Delete", "plan": 7}},
  "plans": [{"plan": 7, "nominated": {"a/w": "n1"}, "victims": ["c/v"]}]}"#;

fn read(answer: &str, cycle: &str) -> Option<(String, Vec<DecisionStep>)> {
    stages(&serde_json::from_str(answer).unwrap(), &serde_json::from_str(cycle).unwrap())
}

fn ends(stages: &[DecisionStep]) -> Vec<(&str, &str, Vec<&str>)> {
    let titles = |stage: &DecisionStep| stage.parts.iter().map(|part| part.title).collect();
    stages.iter().map(|stage| (stage.name, stage.end.as_str(), titles(stage))).collect()
}

#[test]
fn a_preemption_goes_through_every_step() {
    let (pod, stages) = read(ANSWER, CYCLE).unwrap();
    assert_eq!(pod, "a/w");
    assert_eq!(
        ends(&stages),
        [
            ("Queue order", "It was tried as number 2 of 2, behind b/x.", vec![]),
            ("Pre-filter", "It passed.", vec![]),
            ("Filter", "None of 3 nodes takes it as it is.", vec!["Nodes as they are"]),
            ("Dry run", "", vec!["Spared because", "Nodes after evictions"]),
            ("Reprieve", "", vec!["Reprieved: they stay after all", "Needed: they cannot be reprieved"]),
            ("Plan", "Plan 7: 1 pod nominated, 1 pod evicted.", vec!["Victims, evicted because"]),
            ("Verify", "Plan 7 holds: it is carried out.", vec![]),
        ]
    );
    // The reasons for a node as it is, and those after evictions, are kept apart.
    assert_eq!(stages[2].parts[0].items[0].law, "node/has-room");
    assert_eq!(stages[3].parts[1].items[0].law, "engine/fewest");
}

#[test]
fn a_pod_that_is_refused_ends_at_the_pre_filter() {
    let reason = r#"{"code": "s/fits", "message": "used 5 is over max 4"}"#;
    let answer = format!(
        r#"{{"pods": [{{"pod": "a/w", "attempts": [{{"pod": "a/w", "result": "Rejected", "reason": {reason}, "preemption": {reason}}}]}}]}}"#
    );
    let (_, stages) = read(&answer, r#"{"attempts": [{"pod": "a/w", "result": "Rejected"}]}"#).unwrap();
    let ends: Vec<&str> = stages.iter().map(|stage| stage.end.as_str()).collect();
    assert_eq!(
        ends,
        [
            "It was tried as number 1 of 1.",
            "It was refused.",
            "No node was asked: it was refused before.",
            "No eviction was tried.",
            "There was nothing to reprieve.",
            "There is no plan.",
            "There is nothing to verify.",
        ]
    );
    assert_eq!(stages[1].parts[0].items[0].text, "used 5 is over max 4");
}

#[test]
fn a_plan_that_the_host_refuses_ends_at_verify() {
    let cycle = r#"{"attempts": [{"pod": "a/w"}], "refused": [{"plan": 7, "preemptor": "a/w", "reason": {"code": "host/room", "message": "no room on n1"}}]}"#;
    let (_, stages) = read(ANSWER, cycle).unwrap();
    assert_eq!(
        (stages[6].end.as_str(), stages[6].parts[0].items[0].law.as_str()),
        ("Nothing of it is carried out.", "host/room")
    );
}

#[test]
fn a_pod_that_was_not_tried_has_its_reason_and_one_that_runs_has_no_steps() {
    let held =
        r#"{"pods": [{"pod": "a/w", "heldBack": {"code": "host/gated", "message": "it has scheduling gates"}}]}"#;
    let (_, stages) = read(held, "{}").unwrap();
    assert_eq!((stages[0].end.as_str(), stages[0].parts[0].items[0].law.as_str()), ("It was not tried.", "host/gated"));
    assert_eq!(read(r#"{"pods": [{"pod": "a/w", "state": "stays"}]}"#, "{}"), None);
}
