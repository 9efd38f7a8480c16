//! The rulings about single pods: the answers of kube-scheduler depend on the cluster of the question.

use serde_json::{Value, json};

use lictor_oracle::{CaseStep, FuzzCase, RoundKind, SystemKind};

use super::super::departures::is_covered;
use super::{KubernetesResponse, member, plan, planned};
use crate::tests::{binds, node, nominates, pod, refuses};
use crate::{CaseComparison, JudgeRequest, TrialError, UpstreamDifference};

/// Returns the rulings that explain the attempt for `d/p`, or the kind of the difference. `d/q` waits at Permit before, where it is there.
pub(super) fn judge(
    objects: Vec<Value>,
    outcome: &Value,
    answer: impl Fn(&JudgeRequest) -> KubernetesResponse,
) -> Result<Vec<&'static str>, &'static str> {
    let has_q = objects.iter().any(|object| object["metadata"]["name"] == "q");
    let case = FuzzCase::by_hand(SystemKind::Kubernetes, RoundKind::Attempts, objects);
    let mut trial = CaseComparison::of(&case).unwrap();
    if has_q {
        let waits = json!({"result": "Waiting", "node": "n1", "bound": {}, "nominated": {}, "victims": [], "waiting": ["d/q"],
            "standing": outcome["standing"]});
        trial
            .step(&CaseStep::Schedule("d/q".to_owned()), &waits, |_| Ok(json!({"group": {"outcomes": [{}]}})))
            .unwrap();
    }
    match trial.step(&CaseStep::Schedule("d/p".to_owned()), outcome, |question| Ok(json!(answer(question)))) {
        Ok(()) => Ok(trial.tally.departures.into_keys().collect()),
        Err(TrialError::Difference(UpstreamDifference { kind, .. })) => Err(kind),
        Err(error) => panic!("{error}"),
    }
}

/// Returns an object of the cluster of a question; null where it is gone.
pub(super) fn of<'q>(question: &'q JudgeRequest, name: &str) -> &'q Value {
    question.objects.iter().find(|object| object["metadata"]["name"] == name).unwrap_or(&Value::Null)
}

/// Returns an answer with these feasible nodes.
pub(super) fn places(nodes: &[&str]) -> KubernetesResponse {
    KubernetesResponse {
        feasible: nodes.iter().map(|node| (*node).to_owned()).collect(),
        ..KubernetesResponse::default()
    }
}

/// Returns an answer with one plan.
pub(super) fn evicts(node: &str, victims: &[&str]) -> KubernetesResponse {
    planned(vec![plan(node, victims)])
}

/// Returns a PodGroup of priority 5, with this disruption mode.
pub(super) fn group(name: &str, mode: &str) -> Value {
    json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name, "namespace": "d"},
        "spec": {"priority": 5, "disruptionMode": {mode: {}}}})
}

/// Returns a pod of group `d/g` on a node.
pub(super) fn running(name: &str, node: &str) -> Value {
    let mut running = member(name, 5);
    running["spec"]["nodeName"] = json!(node);
    running
}

/// Promises a node to a pod.
fn promised(mut pod: Value, node: &str) -> Value {
    pod["status"]["nominatedNodeName"] = json!(node);
    pod
}

#[test]
fn an_empty_selector_covers_the_namespace() {
    let budget = |selector: Value| {
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "d"},
            "spec": {"selector": selector}})
    };
    let judged = |selector: Value, victim: &str| {
        let objects = vec![node("n1"), pod("v", Some("n1")), pod("w", Some("n1")), budget(selector), pod("p", None)];
        judge(objects, &nominates("d/p", "n1", &[victim]), |question| {
            let covers = is_covered(of(question, "w"), of(question, "b"));
            evicts("n1", if covers { &["d/w"] } else { &["d/v"] })
        })
    };
    assert_eq!(judged(json!({}), "d/w"), Ok(vec!["K30"]));
    assert_eq!(judged(json!({}), "d/p"), Err("upstream/victims"));
    assert_eq!(judged(json!({"matchLabels": {"app": "a"}}), "d/w"), Err("upstream/victims"));
}

#[test]
fn no_other_budget_covers_a_pod_without_labels_because_an_empty_selector_does() {
    let budget = |name: &str, selector: Value| {
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": "d"},
            "spec": {"selector": selector}})
    };
    let others = budget("c", json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]}));
    let objects = vec![node("n1"), pod("v", Some("n1")), budget("b", json!({})), others, pod("p", None)];
    let judged = judge(objects, &nominates("d/p", "n1", &["d/v"]), |question| {
        let covers = |name| is_covered(of(question, "v"), of(question, name));
        evicts("n1", if covers("b") && !covers("c") { &["d/v"] } else { &[] })
    });
    assert_eq!(judged, Ok(vec!["K30"]));
}

#[test]
fn a_pod_that_leaves_another_node_spends_no_budget_here() {
    let leaving = |name: &str, node: &str| {
        let mut leaving = pod(name, Some(node));
        leaving["metadata"]["deletionTimestamp"] = json!("1970-01-01T00:00:00Z");
        leaving["metadata"]["labels"] = json!({"app": "a"});
        leaving
    };
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "d"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}}, "status": {"disruptionsAllowed": 2}});
    let objects = vec![
        node("n1"),
        node("n2"),
        pod("v", Some("n1")),
        pod("w", Some("n1")),
        leaving("x", "n1"),
        leaving("y", "n2"),
        budget,
        pod("p", None),
    ];
    let judged = judge(objects, &nominates("d/p", "n1", &["d/v"]), |question| {
        let allowed = &of(question, "b")["status"]["disruptionsAllowed"];
        evicts("n1", if *allowed == 1 { &["d/v"] } else { &["d/v", "d/w"] })
    });
    assert_eq!(judged, Ok(vec!["K10"]));
}

#[test]
fn a_pod_that_leaves_is_gone_and_spends_its_budget() {
    let by_expression = json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["b"]}]});
    for selector in [json!({"matchLabels": {"app": "a"}}), by_expression] {
        spends_a_budget(&selector);
    }
}

/// Checks that a pod that leaves is gone, and spends a budget of this selector.
fn spends_a_budget(selector: &Value) {
    let judged = |outcome: &Value, after: &KubernetesResponse| {
        let mut leaving = pod("x", Some("n1"));
        leaving["metadata"]["deletionTimestamp"] = json!("1970-01-01T00:00:00Z");
        leaving["metadata"]["labels"] = json!({"app": "a"});
        let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "d"},
            "spec": {"selector": selector}, "status": {"disruptionsAllowed": 1}});
        let objects = vec![node("n1"), pod("v", Some("n1")), leaving, budget, pod("p", None)];
        judge(objects, outcome, |question| match of(question, "x") {
            Value::Null => {
                assert_eq!(of(question, "b")["status"]["disruptionsAllowed"], 0);
                after.clone()
            }
            _ => evicts("n1", &["d/v", "d/x"]),
        })
    };
    assert_eq!(judged(&nominates("d/p", "n1", &[]), &places(&["n1"])), Ok(vec!["K10"]));
    assert_eq!(judged(&nominates("d/p", "n1", &[]), &places(&[])), Err("upstream/victims"));
    assert_eq!(judged(&nominates("d/p", "n1", &["d/v"]), &evicts("n1", &["d/v"])), Ok(vec!["K10"]));
    assert_eq!(judged(&nominates("d/p", "n1", &["d/v"]), &places(&["n1"])), Err("upstream/victims"));
}

#[test]
fn a_promise_to_a_pod_of_a_group_has_the_priority_of_the_group() {
    let judged = |priority: i64| {
        let objects = vec![node("n1"), group("g", "single"), promised(member("m", priority), "n1"), pod("p", None)];
        judge(objects, &refuses(&json!({"d/m": "n1"})), |question| {
            places(if of(question, "m")["spec"]["priority"] == 5 { &[] } else { &["n1"] })
        })
    };
    assert_eq!(judged(0), Ok(vec!["K18"]));
    assert_eq!(judged(5), Ok(vec![]));
}

#[test]
fn a_pod_of_a_group_that_leaves_one_by_one_counts_as_a_pod_alone() {
    let judged = |mode: &str| {
        let objects = vec![node("n1"), group("g", mode), running("v", "n1"), pod("w", Some("n1")), pod("p", None)];
        judge(objects, &nominates("d/p", "n1", &["d/v"]), |question| {
            let is_of_group = of(question, "v")["spec"]["schedulingGroup"].is_object();
            evicts("n1", if is_of_group { &["d/w"] } else { &["d/v"] })
        })
    };
    assert_eq!(judged("single"), Ok(vec!["K75"]));
    assert_eq!(judged("all"), Err("upstream/victims"));
}

#[test]
fn a_nominated_pod_waits_while_its_room_is_held_at_permit() {
    let judged = |standing: &Value, later: &KubernetesResponse| {
        let group = [group("g", "single"), member("q", 5), member("r", 5)];
        let objects = [node("n1"), promised(pod("p", None), "n1")].into_iter().chain(group).collect();
        let mut outcome = refuses(standing);
        outcome["waiting"] = json!(["d/q"]);
        judge(objects, &outcome, |question| match of(question, "q")["spec"]["nodeName"].is_string() {
            true => KubernetesResponse::default(),
            false => later.clone(),
        })
    };
    let stands = json!({"d/p": "n1"});
    assert_eq!(judged(&stands, &places(&["n1"])), Ok(vec!["K22"]));
    assert_eq!(judged(&stands, &places(&["n2"])), Err("upstream/nominations"), "another pod is in the way");
    assert_eq!(judged(&json!({}), &places(&["n1"])), Ok(vec![]));
}

#[test]
fn pods_at_permit_hold_their_nodes() {
    let objects = vec![node("n1"), group("g", "single"), member("q", 5), member("r", 5), pod("p", None)];
    let mut outcome = binds("d/p", "n1");
    outcome["waiting"] = json!(["d/q"]);
    let answer =
        |question: &JudgeRequest| places(if of(question, "q")["spec"]["nodeName"] == "n1" { &[] } else { &["n1"] });
    assert_eq!(judge(objects, &outcome, answer), Err("upstream/node"));
}

#[test]
fn pods_of_a_group_that_holds_nodes_are_not_compared() {
    let objects = vec![node("n1"), group("g", "single"), member("q", 5), member("p", 5)];
    let mut outcome = binds("d/p", "n9");
    outcome["waiting"] = json!(["d/q"]);
    let case = FuzzCase::by_hand(SystemKind::Kubernetes, RoundKind::Attempts, objects);
    let mut trial = CaseComparison::of(&case).unwrap();
    let waits = json!({"result": "Waiting", "node": "n1", "bound": {}, "nominated": {}, "victims": [], "waiting": ["d/q"], "standing": {}});
    let mut group = |step: CaseStep, outcome: &Value| {
        trial.step(&step, outcome, |_| Ok(json!({"group": {"outcomes": [{}]}}))).unwrap()
    };
    group(CaseStep::Schedule("d/q".to_owned()), &waits);
    group(CaseStep::Advance(1), &json!({"waiting": ["d/q"], "standing": {}}));
    group(CaseStep::Schedule("d/p".to_owned()), &outcome);
    assert_eq!((trial.tally.attempts, trial.tally.not_compared.len()), (1, 1));
}
