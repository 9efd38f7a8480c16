use super::*;
use crate::data::DecisionReportView;

/// A decision as the command prints it: a gang of two is nominated for one victim, a pod is bound, one is refused, one gated.
const RECORD: &str = r#"{"cycles": [{"cycle": 1,
  "attempts": [
    {"pod": "a/w-0", "result": "Nominated", "node": "n1", "preemption": {"code": "engine/plan", "message": "evicts 1 pod"}},
    {"pod": "a/w-1", "result": "Nominated", "node": "n2", "preemption": {"code": "engine/plan", "message": "evicts 1 pod"}},
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
    let record: DecisionReportView = serde_json::from_str(RECORD).unwrap();
    let jobs = Jobs::from([("a/w-0".to_owned(), "a/w".to_owned()), ("a/w-1".to_owned(), "a/w".to_owned())]);
    sections(record.cycles.first().unwrap(), &jobs)
}

#[test]
fn every_pod_that_waited_stands_in_one_section() {
    let shown = shown();
    assert_eq!(
        names(&shown),
        [
            ("bound", vec!["a/x"]),
            ("nominated", vec!["a/w"]),
            ("refused", vec!["a/y"]),
            ("unschedulable", vec!["a/z"]),
            ("gated", vec!["a/g"]),
        ]
    );
}

fn names(sections: &[Section]) -> Vec<(&str, Vec<&str>)> {
    sections.iter().map(|it| (it.word, it.entries.iter().map(|entry| entry.name.as_str()).collect())).collect()
}

#[test]
fn the_counts_of_a_cycle_are_of_pods() {
    let record: DecisionReportView = serde_json::from_str(RECORD).unwrap();
    let said = summary(record.cycles.first().unwrap());
    assert_eq!(said, "1 bound · 2 nominated · 1 evicted · 1 refused · 1 unschedulable · 1 gated");
    assert_eq!(summary(&CycleView::default()), "");
}

/// A cycle in which a queue over its maximum gives back two pods, for no pod; a plan of an earlier pod is refused, and a nomination is taken back.
const OTHERS: &str = r#"{"cycles": [{"cycle": 1,
  "victims": {
    "b/v": {"how": "Delete", "node": "n1", "plan": 3, "queue": "root.b", "reason": {"code": "y/over-max", "message": "used 4 is more than max 2"}},
    "b/w": {"how": "Delete", "node": "n2", "plan": 3, "queue": "root.b", "reason": {"code": "y/over-max", "message": "used 4 is more than max 2"}}},
  "plans": [{"plan": 3, "queue": "root.b", "nominated": {}, "victims": ["b/v", "b/w"]}],
  "refused": [{"plan": 4, "preemptor": "a/x", "reason": {"code": "host/fits", "message": "n1 has no room"}}],
  "withdrawn": ["a/y"]}]}"#;

#[test]
fn evictions_for_no_pod_refused_plans_and_withdrawn_nominations_are_shown() {
    let record: DecisionReportView = serde_json::from_str(OTHERS).unwrap();
    let shown = sections(record.cycles.first().unwrap(), &Jobs::new());
    assert_eq!(names(&shown), [("evicted", vec!["root.b"]), ("withdrawn", vec!["a/y"]), ("refused-plan", vec!["a/x"])]);
    let [evicted, _, refused] = shown.as_slice() else { panic!("{shown:?}") };
    let [queue] = evicted.entries.as_slice() else { panic!("{evicted:?}") };
    let victims: Vec<(&str, &str)> = queue.victims.iter().map(|it| (it.pod.as_str(), it.node.as_str())).collect();
    assert_eq!(victims, [("b/v", "n1"), ("b/w", "n2")]);
    assert_eq!(queue.explain_name, None);
    // The reason of both is shown once.
    let said = |law: &str, text: &str| Line { law: Some(law.to_owned()), text: text.to_owned() };
    let gives_back = Line::plain("gives back what it holds over its maximum".to_owned());
    assert_eq!(queue.lines, [gives_back, said("y/over-max", "used 4 is more than max 2")]);
    assert_eq!(refused.entries[0].lines, [said("host/fits", "n1 has no room")]);
}

#[test]
fn a_job_has_its_nodes_and_its_victims() {
    let shown = shown();
    let gang = &shown[1].entries[0];
    assert_eq!((gang.pods.len(), gang.nodes.as_str()), (2, "n1, n2"));
    let victim = ListedVictim { pod: "b/v".to_owned(), node: "n2".to_owned(), method: "labelled for eviction" };
    assert_eq!(gang.victims, [victim]);
}

#[test]
fn what_is_said_twice_is_shown_once() {
    let shown = shown();
    let said = Line { law: Some("s/law".to_owned()), text: "too much".to_owned() };
    assert_eq!(shown[2].entries[0].lines, [said]);
    assert_eq!(shown[3].entries[0].lines[0].text, "0/3 nodes are available: 2 taint, 1 Insufficient cpu");
}
