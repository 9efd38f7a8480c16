//! Objects and outcomes of cases that are written by hand, and the program.

use std::path::Path;

use lictor_oracle::{CaseStep, FuzzCase, RoundKind, SystemKind};
use serde::Serialize;
use serde_json::{Value, json};

use crate::program::read;
use crate::{CaseComparison, ComparisonCounts, Program, TrialError, UpstreamDifference};

/// Returns a node with a cpu.
pub(crate) fn node(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": {"cpu": "1", "pods": "10"}}})
}

/// Returns a pod of a cpu, on a node or pending.
pub(crate) fn pod(name: &str, on: Option<&str>) -> Value {
    let mut spec = json!({"containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}], "priority": 0});
    if let (Some(on), Some(fields)) = (on, spec.as_object_mut()) {
        fields.insert("nodeName".to_owned(), json!(on));
    }
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "d"}, "spec": spec, "status": {"phase": "Pending"}})
}

/// Returns an outcome that evicts pods.
pub(crate) fn nominates(pod: &str, node: &str, victims: &[&str]) -> Value {
    json!({"result": "Nominated", "node": node, "bound": {}, "nominated": {pod: node}, "victims": victims, "standing": {pod: node}})
}

/// Returns an outcome that binds a pod.
pub(crate) fn binds(pod: &str, node: &str) -> Value {
    json!({"result": "Scheduled", "node": node, "bound": {pod: node}, "nominated": {}, "victims": [], "standing": {}})
}

/// Returns an outcome without a node; these nominations stand.
pub(crate) fn refuses(standing: &Value) -> Value {
    json!({"result": "Unschedulable", "bound": {}, "nominated": {}, "victims": [], "standing": standing})
}

/// Compares one attempt of `d/p`, and returns the kind of the difference.
pub(crate) fn compared(
    system: SystemKind,
    objects: Vec<Value>,
    outcome: &Value,
    answer: &impl Serialize,
) -> Result<ComparisonCounts, &'static str> {
    let case = FuzzCase::by_hand(system, RoundKind::Attempts, objects);
    let mut trial = CaseComparison::of(&case).unwrap();
    match trial.step(&CaseStep::Schedule("d/p".to_owned()), outcome, |_| Ok(serde_json::to_value(answer).unwrap())) {
        Ok(()) => Ok(trial.tally),
        Err(TrialError::Difference(UpstreamDifference { kind, .. })) => Err(kind),
        Err(TrialError::Judge(_) | TrialError::Answer(_) | TrialError::Read(_)) => Err("no answer"),
    }
}

#[test]
fn a_judge_that_there_is_not_is_refused_with_its_system_or_path() {
    let refused = |system| Program::start(system, Path::new("/no/judge")).map(drop).map_err(|error| error.to_string());
    assert!(refused(SystemKind::Volcano).is_err_and(|error| error.contains("`volcano`")));
    assert!(refused(SystemKind::Kubernetes).is_err_and(|error| error.contains("/no/judge cannot be started")));
}

#[test]
fn the_judge_of_another_system_is_found_out() {
    for system in [SystemKind::Kubernetes, SystemKind::Yunikorn, SystemKind::Coscheduling, SystemKind::Koordinator] {
        let answered = compared(system, vec![node("n1"), pod("p", None)], &refuses(&json!({})), &json!({}));
        assert_eq!(answered.err(), Some("no answer"), "{system}");
    }
}

#[test]
fn an_answer_is_to_the_question() {
    let mut line = json!({"id": 7, "feasible": ["n1"]});
    let text = |line: &Value| read(&line.to_string(), 7);
    assert_eq!(text(&line), Ok(Some(line.clone())));
    line["id"] = json!(6);
    assert_eq!(text(&line), Ok(None), "it is late");
    line["id"] = json!(8);
    assert_eq!(text(&line).err(), Some("the question has number 7".to_owned()));
    assert_eq!(text(&json!({"id": 7, "error": "no such pod"})).err(), Some("no such pod".to_owned()));
    assert!(read("no answer", 7).is_err());
}
