use super::*;
use crate::driver::VirtualDriver;
use crate::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedPlan, ScriptedReply, session};
use crate::verify::testing::{node, on, pod};

const CLUSTER_POD: &str = "default/p";

/// Creates a cluster of one node, full with `v` and `w`; `p` is pending.
fn cluster(policy: &Scripted) -> VirtualDriver {
    session(policy, [node("n1", 4), on("n1", pod("v", 3, 0)), on("n1", pod("w", 1, 0)), pod("p", 3, 9)])
}

/// Returns the decisions of an attempt for `p`.
fn decided(policy: Scripted) -> Decisions {
    let mut session = cluster(&policy);
    session.try_pod(CLUSTER_POD).unwrap();
    let held = session.session.permit_holds();
    Decisions::of_step(&session.take_report(), &held)
}

/// Returns a policy that finds no node, and evicts these pods for `p`.
fn evicting(victims: &'static [&'static str]) -> Scripted {
    let plan = ScriptedPlan { id: 5, nominations: &[("default/p", "n1")], victims, soft: false };
    Scripted::deciding(ALL)
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()))
}

fn refusing(why: &'static str) -> Scripted {
    Scripted::deciding(ALL).reply("pre-filter default/p", ScriptedReply::Final(why))
}

#[test]
fn a_plan_names_the_nominated_pod_and_its_victims() {
    let decisions = decided(evicting(&["default/v"]));
    let p = &decisions.pods[CLUSTER_POD];
    assert_eq!((p.verdict, p.node.as_deref()), (DecisionKind::Nominated, Some("n1")));
    let v = &decisions.victims["default/v"];
    assert_eq!((v.node.as_deref(), v.for_whom.preemptor()), (Some("n1"), Some(CLUSTER_POD)));
}

#[test]
fn a_pod_that_is_held_at_the_end_is_held_and_one_that_was_let_go_is_released() {
    let policy = Scripted::deciding(ALL).reply("permit default/a", ScriptedReply::Wait(10, ScriptedEffects::default()));
    let mut session = session(&policy, [node("n1", 4), pod("a", 1, 0)]);
    session.try_pod("default/a").unwrap();
    let first = Decisions::of_step(&session.take_report(), &session.session.permit_holds());
    assert_eq!(first.pods["default/a"].verdict, DecisionKind::Held);
    session.advance(10).unwrap();
    let later = Decisions::of_step(&session.take_report(), &session.session.permit_holds());
    assert_eq!(later.pods["default/a"].verdict, DecisionKind::Released);
}

#[test]
fn what_is_decided_alike_is_no_difference() {
    let one = decided(evicting(&["default/v"]));
    assert!(Differences::between(&one, &decided(evicting(&["default/v"]))).is_empty());
    // The sentence has other numbers, but the decision is the same.
    let mut other = one.clone();
    other.pods.get_mut(CLUSTER_POD).unwrap().message = "needs 7 cores".to_owned();
    assert!(Differences::between(&one, &other).is_empty());
}

#[test]
fn another_verdict_another_victim_and_another_law_are_differences() {
    let (one, none) = (decided(evicting(&["default/v"])), decided(refusing("no")));
    let differences = Differences::between(&one, &none);
    let pods: Vec<&str> = differences.pods.iter().map(|changed| changed.pod.as_str()).collect();
    let victims: Vec<&str> = differences.victims.iter().map(|changed| changed.pod.as_str()).collect();
    assert_eq!((pods, victims, differences.len()), (vec![CLUSTER_POD], vec!["default/v"], 2));
    let both = decided(evicting(&["default/v", "default/w"]));
    let differences = Differences::between(&one, &both);
    assert_eq!((differences.pods.len(), differences.victims.len()), (0, 1));
    assert_eq!(differences.victims[0].then, None);
    let mut law = none.clone();
    law.pods.get_mut(CLUSTER_POD).unwrap().laws = vec!["test/other".to_owned()];
    assert_eq!(Differences::between(&none, &law).len(), 1);
}

#[test]
fn the_laws_of_a_difference_are_those_that_one_side_names() {
    let decision = |laws: &[&str]| Decision {
        verdict: DecisionKind::Refused,
        node: None,
        laws: laws.iter().map(|law| (*law).to_owned()).collect(),
        message: String::new(),
    };
    let changed = |then: &[&str], now: &[&str]| DecisionChange {
        pod: "p".to_owned(),
        then: Some(decision(then)),
        now: Some(decision(now)),
    };
    assert!(changed(&["a", "b"], &["b", "c"]).laws().into_iter().eq(["a", "c"]));
    assert!(changed(&["a"], &["a"]).laws().into_iter().eq(["a"]));
    let bound = DecisionChange { now: None, ..changed(&["a"], &[]) };
    assert!(bound.laws().into_iter().eq(["a"]));
}

#[test]
fn an_error_is_a_difference_and_decisions_are_read_as_they_were_written() {
    let (served, failed) = (Decisions::default(), Decisions::failed("the policy broke"));
    assert_eq!(Differences::between(&served, &failed).len(), 1);
    for decisions in [decided(evicting(&["default/v"])), decided(refusing("no")), failed] {
        let written = serde_json::to_string(&decisions).unwrap();
        assert_eq!(serde_json::from_str::<Decisions>(&written).unwrap(), decisions);
    }
}
