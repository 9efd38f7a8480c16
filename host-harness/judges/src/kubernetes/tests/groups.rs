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
        answered.map(|()| trial.tally.passed_over.values().sum::<u64>())
    };
    assert_eq!(compared(&["d/p"], json!(["d/p"])), Ok(1));
    assert_eq!(compared(&["d/p"], json!([])), Err(()), "none waits for the other pod");
    assert_eq!(compared(&["d/p", "d/q"], json!(["d/p"])), Err(()), "both were tried");
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
    let mut spread = member("q", 5);
    spread["spec"]["topologySpreadConstraints"] = json!([]);
    assert_eq!(of([member("p", 5), spread], nothing()), Ok(vec!["K63"]));
    let evicts = [nominates("d/p", "n1", &["d/v"]), refuses(&json!({"d/p": "n1"}))];
    assert_eq!(of([member("p", 5), member("q", 5)], evicts), Ok(vec!["K17"]));
}
