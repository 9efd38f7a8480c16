//! Attempts whose answer by kube-scheduler is written by hand.

mod groups;
mod single;
mod whole;

use std::collections::BTreeMap;

use lictor_oracle::{CaseStep, FuzzCase, RoundKind, SystemKind};
use serde_json::{Value, json};

use super::answer::{KubernetesResponse, UpstreamPlan, UpstreamPreemption};
use crate::tests::{binds, node, nominates, pod, refuses};
use crate::{AttemptComparison, CaseComparison, ComparisonCounts, JudgeRequest};

/// Returns a plan that upstream chooses.
fn plan(node: &str, victims: &[&str]) -> UpstreamPlan {
    let victims = victims.iter().map(|victim| (*victim).to_owned()).collect();
    UpstreamPlan { node: node.to_owned(), victims, possible: true, ..UpstreamPlan::default() }
}

/// Returns an answer with these plans.
fn planned(plans: Vec<UpstreamPlan>) -> KubernetesResponse {
    let preemption = UpstreamPreemption { plans, ..UpstreamPreemption::default() };
    KubernetesResponse { preemption, ..KubernetesResponse::default() }
}

/// Compares one attempt of `d/p`, and returns the kind of the difference.
fn compared(
    objects: Vec<Value>,
    outcome: &Value,
    answer: &KubernetesResponse,
) -> Result<ComparisonCounts, &'static str> {
    crate::tests::compared(SystemKind::Kubernetes, objects, outcome, answer)
}

#[test]
fn a_binding_is_to_a_node_that_upstream_finds_feasible() {
    let objects = || vec![node("n1"), node("n2"), pod("p", None)];
    let answer = KubernetesResponse { feasible: vec!["n2".to_owned()], ..KubernetesResponse::default() };
    assert!(compared(objects(), &binds("d/p", "n2"), &answer).is_ok());
    assert_eq!(compared(objects(), &binds("d/p", "n1"), &answer).err(), Some("upstream/node"));
    assert_eq!(compared(objects(), &refuses(&json!({})), &answer).err(), Some("upstream/node"));
}

#[test]
fn upstream_takes_the_nominated_node_if_that_is_feasible() {
    let mut nominated = pod("p", None);
    nominated["status"]["nominatedNodeName"] = json!("n1");
    let answer = KubernetesResponse {
        feasible: vec!["n1".to_owned(), "n2".to_owned()],
        nominated: true,
        ..KubernetesResponse::default()
    };
    let objects = || vec![node("n1"), node("n2"), nominated.clone()];
    assert!(compared(objects(), &binds("d/p", "n1"), &answer).is_ok());
    assert_eq!(compared(objects(), &binds("d/p", "n2"), &answer).err(), Some("upstream/node"));
}

#[test]
fn a_plan_is_one_that_upstream_may_choose() {
    let objects = || vec![node("n1"), node("n2"), pod("v", Some("n1")), pod("w", Some("n2")), pod("p", None)];
    let other = UpstreamPlan { possible: false, ..plan("n2", &["d/w"]) };
    let answer = planned(vec![plan("n1", &["d/v"]), other]);
    assert_eq!(compared(objects(), &nominates("d/p", "n1", &["d/v"]), &answer).map(|tally| tally.same), Ok(1));
    assert_eq!(compared(objects(), &nominates("d/p", "n2", &["d/w"]), &answer).err(), Some("upstream/plan"));
    assert_eq!(compared(objects(), &nominates("d/p", "n1", &["d/w"]), &answer).err(), Some("upstream/victims"));
    assert_eq!(compared(objects(), &refuses(&json!({})), &answer).err(), Some("upstream/plan"));
}

#[test]
fn equal_victims_may_come_in_another_order() {
    let objects = vec![node("n1"), pod("v", Some("n1")), pod("w", Some("n1")), pod("p", None)];
    let turned = UpstreamPlan { node: String::new(), ..plan("", &["d/w"]) };
    let answer = planned(vec![UpstreamPlan { alternatives: vec![turned], ..plan("n1", &["d/v"]) }]);
    assert!(compared(objects, &nominates("d/p", "n1", &["d/w"]), &answer).is_ok());
}

#[test]
fn nominations_are_kept_and_withdrawn_as_upstream_does() {
    let mut nominated = pod("p", None);
    nominated["status"]["nominatedNodeName"] = json!("n1");
    let kept = json!({"d/p": "n1"});
    for keeps_nomination in [true, false] {
        let preemption = UpstreamPreemption { keeps_nomination, ..UpstreamPreemption::default() };
        let answer = KubernetesResponse { preemption, ..KubernetesResponse::default() };
        let alike =
            |standing: &Value| compared(vec![node("n1"), nominated.clone()], &refuses(standing), &answer).is_ok();
        assert_eq!(alike(&kept), keeps_nomination);
        assert_eq!(alike(&json!({})), !keeps_nomination);
    }
    let mut other = pod("q", None);
    other["status"]["nominatedNodeName"] = json!("n1");
    let clears = BTreeMap::from([("n1".to_owned(), vec!["d/q".to_owned()])]);
    let objects = vec![node("n1"), pod("v", Some("n1")), other, pod("p", None)];
    let plans = vec![plan("n1", &["d/v"])];
    let outcome = nominates("d/p", "n1", &["d/v"]);
    let preemption = UpstreamPreemption { plans: plans.clone(), clears, ..UpstreamPreemption::default() };
    let answer = KubernetesResponse { preemption, ..KubernetesResponse::default() };
    assert!(compared(objects.clone(), &outcome, &answer).is_ok());
    assert_eq!(compared(objects, &outcome, &planned(plans)).err(), Some("upstream/nominations"));
}

#[test]
fn the_judge_sees_the_cluster_as_the_steps_leave_it() {
    let case = FuzzCase::by_hand(
        SystemKind::Kubernetes,
        RoundKind::Attempts,
        vec![node("n1"), pod("v", Some("n1")), pod("p", None), pod("q", None)],
    );
    let mut trial = CaseComparison::of(&case).unwrap();
    let mut seen: Vec<JudgeRequest> = Vec::new();
    let steps = [
        (CaseStep::Schedule("d/p".to_owned()), nominates("d/p", "n1", &["d/v"])),
        (CaseStep::Schedule("d/q".to_owned()), refuses(&json!({"d/p": "n1"}))),
        (CaseStep::EvictionsComplete, json!({"standing": {"d/p": "n1"}})),
        (CaseStep::Advance(61), json!({"standing": {"d/p": "n1"}})),
        (CaseStep::Schedule("d/p".to_owned()), binds("d/p", "n1")),
        (CaseStep::Schedule("d/q".to_owned()), refuses(&json!({}))),
    ];
    for (step, outcome) in steps {
        let answered = trial.step(&step, &outcome, |question| {
            seen.push(question.clone());
            let feasible = if outcome["result"] == "Scheduled" { vec!["n1".to_owned()] } else { Vec::new() };
            let plans = if outcome["result"] == "Nominated" { vec![plan("n1", &["d/v"])] } else { Vec::new() };
            Ok(json!(KubernetesResponse { feasible, ..planned(plans) }))
        });
        assert!(answered.is_ok(), "{step:?}: {answered:?}");
    }
    let of = |question: &JudgeRequest, name: &str| {
        question.objects.iter().find(|object| object["metadata"]["name"] == name).cloned().unwrap_or_default()
    };
    let victim = of(&seen[1], "v");
    assert_eq!(victim["metadata"]["deletionTimestamp"], "1970-01-01T00:00:00Z");
    assert_eq!(victim["status"]["conditions"][0]["reason"], "PreemptionByScheduler");
    assert_eq!(of(&seen[1], "p")["status"]["nominatedNodeName"], "n1");
    assert_eq!((of(&seen[2], "v"), seen[2].now.as_str()), (Value::Null, "1970-01-01T00:01:01Z"));
    assert_eq!(of(&seen[3], "p")["spec"]["nodeName"], "n1");
    assert_eq!(seen.len(), 4);
}

/// Returns a pending pod of PodGroup `d/g`.
fn member(name: &str, priority: i64) -> Value {
    let mut member = pod(name, None);
    member["spec"]["schedulingGroup"] = json!({"podGroupName": "g"});
    member["spec"]["priority"] = json!(priority);
    member
}

#[test]
fn k78_evicts_for_a_group_that_upstream_nominates_in_vain() {
    let judged_beside = |constraint: Value, repels: Value, upstream: &Value| {
        let mut victim = pod("v", Some("n1"));
        victim["spec"]["affinity"] = constraint;
        let mut other = pod("r", Some("n2"));
        other["spec"]["affinity"] = repels;
        let group = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
            "metadata": {"name": "g", "namespace": "d"}, "spec": {"priority": 5}});
        let case = FuzzCase::by_hand(
            SystemKind::Kubernetes,
            RoundKind::Attempts,
            vec![node("n1"), node("n2"), victim, other, group, member("p", 5)],
        );
        let mut trial = CaseComparison::of(&case).unwrap();
        let answer = json!({"group": {"outcomes": [upstream]}});
        let step = CaseStep::Schedule("d/p".to_owned());
        trial.compare_step(&step, &nominates("d/p", "n1", &["d/v"]), |_| Ok(answer.clone())).unwrap();
        trial.end()
    };
    let judged = |constraint: Value, upstream: &Value| judged_beside(constraint, json!({}), upstream);
    let against = || json!({"podAntiAffinity": {}});
    let in_vain = json!({"placed": {}, "nominated": {"d/p": "n1"}, "victims": []});
    let nothing = json!({"placed": {}, "nominated": {}, "victims": []});
    assert_eq!(judged(against(), &in_vain), Some(AttemptComparison::Ruled(vec!["K78"])));
    assert!(matches!(judged(against(), &nothing), Some(AttemptComparison::Differs(_))));
    assert!(matches!(judged(json!({}), &in_vain), Some(AttemptComparison::Differs(_))));
    let elsewhere = json!({"placed": {}, "nominated": {"d/p": "n2"}, "victims": []});
    assert_eq!(judged_beside(json!({}), against(), &elsewhere), Some(AttemptComparison::Ruled(vec!["K78"])));
    assert!(matches!(judged_beside(json!({}), against(), &in_vain), Some(AttemptComparison::Differs(_))));
}

#[test]
fn k21_does_not_try_a_group_that_demands_a_topology() {
    let judged = |constraints: Value| {
        let group = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "g", "namespace": "d"},
            "spec": {"priority": 5, "schedulingConstraints": constraints}});
        let case =
            FuzzCase::by_hand(SystemKind::Kubernetes, RoundKind::Attempts, vec![node("n1"), group, member("p", 5)]);
        let mut trial = CaseComparison::of(&case).unwrap();
        let answer = json!({"group": {"outcomes": [{"placed": {"d/p": "n1"}, "nominated": {}, "victims": []}]}});
        trial
            .compare_step(&CaseStep::Schedule("d/p".to_owned()), &refuses(&json!({})), |_| Ok(answer.clone()))
            .unwrap();
        trial.end()
    };
    assert_eq!(judged(json!({"topology": [{"key": "example.com/rack"}]})), Some(AttemptComparison::Ruled(vec!["K21"])));
    assert!(matches!(judged(json!({})), Some(AttemptComparison::Differs(_))));
}

#[test]
fn no_ruling_explains_a_second_plan_while_victims_are_leaving() {
    let judged = |change: fn(&mut Value, &mut Value), first: Option<&Value>| {
        let (mut victim, mut waiting) = (pod("v", Some("n1")), pod("p", None));
        waiting["spec"]["priority"] = json!(5);
        change(&mut victim, &mut waiting);
        let case = FuzzCase::by_hand(SystemKind::Kubernetes, RoundKind::Attempts, vec![node("n1"), victim, waiting]);
        let mut trial = CaseComparison::of(&case).unwrap();
        let step = CaseStep::Schedule("d/p".to_owned());
        first.into_iter().for_each(|first| trial.follow(&step, first).unwrap());
        let answered = trial.compare_step(&step, &nominates("d/p", "n1", &[]), |question| {
            let is_gone = question.objects.iter().all(|object| object["metadata"]["name"] != "v");
            let feasible = if is_gone { vec!["n1".to_owned()] } else { Vec::new() };
            Ok(json!(KubernetesResponse { feasible, ..KubernetesResponse::default() }))
        });
        answered.unwrap().attempt
    };
    let again = judged(|_, _| {}, Some(&nominates("d/p", "n1", &["d/v"])));
    assert!(matches!(again, Some(AttemptComparison::Differs(_))));
    let leaving = |victim: &mut Value, waiting: &mut Value| {
        victim["metadata"]["deletionTimestamp"] = json!("1970-01-01T00:00:00Z");
        waiting["status"]["nominatedNodeName"] = json!("n1");
    };
    assert_eq!(judged(leaving, None), Some(AttemptComparison::Ruled(vec!["K10"])), "another plan evicts the pod");
}

#[test]
fn a_group_with_a_gated_pod_is_compared_without_that_pod() {
    let group = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "d"}, "spec": {"priority": 5}});
    let mut gated = member("q", 5);
    gated["spec"]["schedulingGates"] = json!([{"name": "example.com/wait"}]);
    let objects = vec![node("n1"), group, member("p", 5), gated];
    let judged = |outcome: &Value, placed: Value| {
        let case = FuzzCase::by_hand(SystemKind::Kubernetes, RoundKind::Attempts, objects.clone());
        let mut trial = CaseComparison::of(&case).unwrap();
        let steps =
            [(CaseStep::Schedule("d/p".to_owned()), outcome.clone()), (CaseStep::Advance(1), json!({"standing": {}}))];
        for (step, outcome) in steps {
            let answered = trial.step(&step, &outcome, |question| {
                let has_gated = question.objects.iter().any(|object| {
                    object["spec"]["schedulingGates"].is_array() && object["spec"]["schedulingGroup"].is_object()
                });
                let outcome = json!({"placed": placed.clone(), "nominated": {}, "victims": []});
                let untried = json!({"untried": "its group is gated by SchedulingGates"});
                Ok(if has_gated { untried } else { json!({"group": {"outcomes": [outcome]}}) })
            });
            if answered.is_err() {
                return Err(());
            }
        }
        Ok(trial.tally.departures.into_keys().collect::<Vec<_>>())
    };
    assert_eq!(judged(&binds("d/p", "n1"), json!({"d/p": "n1"})), Ok(vec!["K76"]));
    assert_eq!(judged(&refuses(&json!({})), json!({})), Ok(vec![]), "upstream does not try it either");
    assert_eq!(judged(&binds("d/p", "n1"), json!({})), Err(()));
}

#[test]
fn every_ruling_is_in_the_manual() {
    let manual = include_str!("../../../../guest/policy/src/systems/kubernetes/README.md");
    for id in super::departures().map(|departure| departure.id) {
        assert!(manual.contains(&format!("\n| {id} |")), "{id}");
    }
}
