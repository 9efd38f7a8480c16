use super::*;
use crate::data::Record;

/// A decision as the command prints it: a gang of two is nominated for one victim, a pod is bound, one is refused, one gated.
const RECORD: &str = r#"{"cycles": [{"cycle": 1,
  "attempts": [
    {"pod": "a/w-0", "result": "Nominated", "node": "n1", "preemption": {"code": "engine/plan", "message": "evicts 1 pod(s)"}},
    {"pod": "a/w-1", "result": "Nominated", "node": "n2", "preemption": {"code": "engine/plan", "message": "evicts 1 pod(s)"}},
    {"pod": "a/x", "result": "Scheduled", "node": "n1"},
    {"pod": "a/y", "result": "Rejected", "reason": {"code": "s/law", "message": "too much"},
     "preemption": {"code": "s/law", "message": "too much"}},
    {"pod": "a/z", "result": "Unschedulable", "nodes": {"nodes": 3, "obstacles": {"Insufficient cpu": 1, "taint": 2}}}],
  "bound": {"a/x": "n1"}, "nominated": {"a/w-0": "n1", "a/w-1": "n2"},
  "victims": {"b/v": {"how": "Soft", "node": "n2", "plan": 1, "preemptor": "a/w-0", "reason": {"code": "engine/plan"}}},
  "plans": [{"plan": 1, "preemptor": "a/w-0", "nominated": {"a/w-0": "n1", "a/w-1": "n2"}, "victims": ["b/v"]}],
  "stillPending": ["a/w-0", "a/w-1", "a/y", "a/z", "a/g"],
  "heldBack": {"a/g": {"code": "host/gated", "message": "waits for its gates"}}}]}"#;

fn shown() -> Vec<Section> {
    let record: Record = serde_json::from_str(RECORD).unwrap();
    let jobs = Jobs::from([("a/w-0".to_owned(), "a/w".to_owned()), ("a/w-1".to_owned(), "a/w".to_owned())]);
    sections(record.cycles.first().unwrap(), &jobs)
}

#[test]
fn every_pod_that_waited_stands_in_one_section() {
    let shown = shown();
    let pods: Vec<(Fate, Vec<&str>)> = shown
        .iter()
        .map(|section| (section.fate, section.entries.iter().map(|entry| entry.name.as_str()).collect()))
        .collect();
    assert_eq!(
        pods,
        [
            (Fate::Bound, vec!["a/x"]),
            (Fate::Nominated, vec!["a/w"]),
            (Fate::Refused, vec!["a/y"]),
            (Fate::Unschedulable, vec!["a/z"]),
            (Fate::Gated, vec!["a/g"]),
        ]
    );
}

#[test]
fn a_job_has_its_nodes_and_its_victims() {
    let shown = shown();
    let gang = &shown[1].entries[0];
    assert_eq!((gang.pods.len(), gang.nodes.as_str()), (2, "n1, n2"));
    let victim = Victim { pod: "b/v".to_owned(), node: "n2".to_owned(), how: "labelled for eviction" };
    assert_eq!(gang.victims, [victim]);
}

#[test]
fn what_is_said_twice_is_shown_once() {
    let shown = shown();
    let said = Line { law: Some("s/law".to_owned()), text: "too much".to_owned() };
    assert_eq!(shown[2].entries[0].lines, [said]);
    assert_eq!(shown[3].entries[0].lines[0].text, "0/3 nodes are available: 2 taint, 1 Insufficient cpu");
}
