//! Rounds of attempts for the pods of a group, which are one cycle of upstream.

use std::collections::BTreeMap;

use lictor_oracle::{CaseStep, FuzzCase, RoundKind, SystemKind};
use serde_json::{Value, json};

use super::member;
use crate::CaseComparison;
use crate::tests::{node, nominates, pod, refuses};

/// Compares the round of two pods of a group, of these outcomes, with one outcome of upstream.
fn compared_round(
    members: [Value; 2],
    outcomes: [Value; 2],
    upstream: &Value,
) -> Result<BTreeMap<&'static str, u64>, &'static str> {
    let group = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "d"}, "spec": {"priority": 5}});
    let objects = [node("n1"), node("n2"), pod("v", Some("n1")), group].into_iter().chain(members).collect();
    let case = FuzzCase::by_hand(SystemKind::Kubernetes, RoundKind::Attempts, objects);
    let mut trial = CaseComparison::of(&case).unwrap();
    let mut asked: Vec<String> = Vec::new();
    let steps = ["d/p", "d/q"].map(|pod| CaseStep::Schedule(pod.to_owned()));
    let [first, second] = outcomes;
    let done = (CaseStep::EvictionsComplete, json!({"standing": {}}));
    for (step, outcome) in steps.into_iter().zip([first, second]).chain([done]) {
        let answered = trial.step(&step, &outcome, |question| {
            asked.push(question.pod.clone());
            Ok(json!({"group": {"outcomes": [upstream]}}))
        });
        if let Err(error) = answered {
            assert!(error.to_string().contains("group `d/g`"), "{error}");
            return Err("upstream/group");
        }
    }
    assert_eq!((asked.len(), trial.tally.attempts), (1, 1), "a round is one question");
    Ok(trial.tally.departures)
}

#[test]
fn a_round_of_attempts_for_a_group_is_one_cycle_of_upstream() {
    let members = || [member("p", 5), member("q", 5)];
    let waits = json!({"result": "Waiting", "node": "n1", "bound": {}, "nominated": {}, "victims": [], "waiting": ["d/p"], "standing": {}});
    let both = json!({"result": "Scheduled", "node": "n2", "bound": {"d/p": "n1", "d/q": "n2"}, "nominated": {}, "victims": [], "standing": {}});
    let placed = json!({"placed": {"d/p": "n2", "d/q": "n1"}, "nominated": {}, "victims": [], "refused": {}});
    let none = json!({"placed": {}, "nominated": {}, "victims": [], "refused": {}});
    let compared = |upstream| compared_round(members(), [waits.clone(), both.clone()], upstream);
    assert_eq!(compared(&placed), Ok(BTreeMap::new()));
    assert_eq!(compared(&none), Err("upstream/group"));
}

#[test]
fn a_pod_that_is_turned_away_was_not_tried_in_the_round() {
    let none = json!({"placed": {}, "nominated": {}, "victims": [], "refused": {}});
    let waits = json!({"result": "Waiting", "node": "n1", "bound": {}, "nominated": {}, "victims": [], "waiting": ["d/q"], "standing": {}});
    let compared =
        |first: &Value| compared_round([member("p", 5), member("q", 5)], [first.clone(), waits.clone()], &none);
    let mut turned_away = refuses(&json!({}));
    turned_away["result"] = json!("Rejected");
    turned_away["reasons"] = json!([{"code": "kubernetes/gang-has-not-failed"}]);
    assert_eq!(compared(&turned_away), Ok(BTreeMap::new()));
    assert_eq!(compared(&refuses(&json!({}))), Err("upstream/group"), "q waits in vain");
}

#[test]
fn a_round_that_ends_before_all_pods_were_tried_is_not_compared() {
    let placed = json!({"placed": {}, "nominated": {"d/p": "n1"}, "victims": ["d/v"], "refused": {}});
    let compared = |steps: &[&str], waiting: Value| {
        let group = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
            "metadata": {"name": "g", "namespace": "d"}, "spec": {"priority": 5}});
        let objects = vec![node("n1"), pod("v", Some("n1")), group, member("p", 5), member("q", 5)];
        let case = FuzzCase::by_hand(SystemKind::Kubernetes, RoundKind::Attempts, objects);
        let mut trial = CaseComparison::of(&case).unwrap();
        let outcome = json!({"result": "Waiting", "bound": {}, "nominated": {}, "victims": [], "waiting": waiting, "standing": {}});
        let attempts = steps.iter().map(|pod| (CaseStep::Schedule((*pod).to_owned()), outcome.clone()));
        let end = (CaseStep::EvictionsComplete, json!({"standing": {}}));
        let mut steps = attempts.chain([end]);
        let answered = steps.try_for_each(|(step, outcome)| {
            trial.step(&step, &outcome, |_| Ok(json!({"group": {"outcomes": [placed]}}))).map_err(drop)
        });
        answered.map(|()| trial.tally.not_compared.values().sum::<u64>())
    };
    assert_eq!(compared(&["d/p"], json!(["d/p"])), Ok(1));
    assert_eq!(compared(&["d/p"], json!([])), Err(()), "none waits for the other pod");
    assert_eq!(compared(&["d/p", "d/q"], json!(["d/p"])), Err(()), "both were tried");
}

#[test]
fn a_promise_to_a_pod_of_another_group_has_the_priority_of_that_group() {
    let judged = |priority: i64| {
        let group = |name: &str| {
            json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
                "metadata": {"name": name, "namespace": "d"}, "spec": {"priority": 5}})
        };
        let mut other = member("m", priority);
        other["spec"]["schedulingGroup"] = json!({"podGroupName": "h"});
        other["status"]["nominatedNodeName"] = json!("n1");
        let objects = vec![node("n1"), group("g"), group("h"), member("p", 5), other];
        let case = FuzzCase::by_hand(SystemKind::Kubernetes, RoundKind::Attempts, objects);
        let mut trial = CaseComparison::of(&case).unwrap();
        let attempt = (CaseStep::Schedule("d/p".to_owned()), refuses(&json!({"d/m": "n1"})));
        let end = (CaseStep::EvictionsComplete, json!({"standing": {"d/m": "n1"}}));
        let answered = [attempt, end].into_iter().try_for_each(|(step, outcome)| {
            let answered = trial.step(&step, &outcome, |question| {
                let is_least = |object: &Value| object["metadata"]["name"] == "m" && object["spec"]["priority"] == 0;
                let placed = if question.objects.iter().any(is_least) { json!({"d/p": "n1"}) } else { json!({}) };
                Ok(json!({"group": {"outcomes": [{"placed": placed, "nominated": {}, "victims": []}]}}))
            });
            answered.map_err(drop)
        });
        answered.map(|()| trial.tally.departures.into_keys().collect::<Vec<_>>())
    };
    assert_eq!(judged(0), Ok(vec!["K18"]));
    assert_eq!(judged(5), Ok(vec![]));
}

#[test]
fn pods_of_another_group_at_permit_hold_their_nodes_in_a_round() {
    let group = |name: &str| {
        json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
            "metadata": {"name": name, "namespace": "d"}, "spec": {"priority": 5}})
    };
    let others = ["q", "not-tried"].map(|name| {
        let mut other = member(name, 5);
        other["spec"]["schedulingGroup"] = json!({"podGroupName": "h"});
        other
    });
    let objects = [node("n1"), group("g"), group("h"), member("p", 5)].into_iter().chain(others).collect();
    let case = FuzzCase::by_hand(SystemKind::Kubernetes, RoundKind::Attempts, objects);
    let mut trial = CaseComparison::of(&case).unwrap();
    let waits = json!({"result": "Waiting", "node": "n1", "bound": {}, "nominated": {}, "victims": [], "waiting": ["d/q"], "standing": {}});
    let mut refused = refuses(&json!({}));
    refused["waiting"] = json!(["d/q"]);
    let steps = [("d/q", waits), ("d/p", refused)].map(|(pod, outcome)| (CaseStep::Schedule(pod.to_owned()), outcome));
    let end = (CaseStep::EvictionsComplete, json!({"standing": {}}));
    for (step, outcome) in steps.into_iter().chain([end]) {
        let answered = trial.step(&step, &outcome, |question| {
            let is_held = |object: &Value| object["metadata"]["name"] == "q" && object["spec"]["nodeName"] == "n1";
            let is_free = question.pod == "d/p" && !question.objects.iter().any(is_held);
            let placed = if is_free { json!({"d/p": "n1"}) } else { json!({}) };
            Ok(json!({"group": {"outcomes": [{"placed": placed, "nominated": {}, "victims": []}]}}))
        });
        answered.unwrap();
    }
    assert_eq!(trial.tally.same, 2, "q is not compared before the other pod of its group was tried");
}

#[test]
fn rulings_explain_a_difference_about_a_group() {
    let nothing = || [refuses(&json!({})), refuses(&json!({}))];
    let placed = json!({"placed": {"d/p": "n2", "d/q": "n1"}, "nominated": {}, "victims": [], "refused": {}});
    let of =
        |members, outcomes| compared_round(members, outcomes, &placed).map(|ids| ids.into_keys().collect::<Vec<_>>());
    assert_eq!(of([member("p", 5), member("q", 5)], nothing()), Err("upstream/group"));
    assert_eq!(of([member("p", 5), member("q", 0)], nothing()), Ok(vec!["K18"]));
    let mut other = member("q", 5);
    other["spec"]["schedulerName"] = json!("another");
    assert_eq!(of([member("p", 5), other], nothing()), Ok(vec!["K34"]));
    let mut large = member("q", 5);
    large["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("2");
    assert_eq!(of([member("p", 5), large], nothing()), Ok(vec!["K69"]));
    let mut selective = member("q", 5);
    selective["spec"]["nodeSelector"] = json!({"example.com/disk": "ssd"});
    assert_eq!(of([member("p", 5), selective], nothing()), Ok(vec!["K69"]));
    let mut spread = member("q", 5);
    spread["spec"]["topologySpreadConstraints"] = json!([]);
    assert_eq!(of([member("p", 5), spread], nothing()), Ok(vec!["K63"]));
    let evicts = [nominates("d/p", "n1", &["d/v"]), refuses(&json!({"d/p": "n1"}))];
    assert_eq!(of([member("p", 5), member("q", 5)], evicts), Ok(vec!["K17"]));
}
