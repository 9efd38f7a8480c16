//! The policy fails: what was decided is taken back, and the next input is served by a new instance.

use super::*;

/// Returns a policy that holds `h` at permit, and fails to reserve a node for `b`.
fn failing() -> Scripted {
    Scripted::deciding(ALL)
        .reply("permit default/h", ScriptedReply::Wait(10, ScriptedEffects::default()))
        .reply("reserve default/b", ScriptedReply::CallError)
}

fn pods() -> [Value; 4] {
    [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0), pod("h", 1, 0)]
}

#[test]
fn the_error_names_the_input_and_nothing_that_was_decided_in_it_stands() {
    let policy = failing();
    let mut session = open(&policy, pods());
    attempt(&mut session, "h").unwrap();
    let error = session.handle(SessionInput::Cycle).unwrap_err();
    assert_eq!(error.to_string(), "cycle: the policy cannot answer `reserve`: WrongState(\"scripted\")");
    // `a` had been bound before `b` failed, but the driver had not received the command.
    assert_eq!(session.mirror().pod(0).unwrap().node, None);
    assert_eq!((session.commands_in_flight(), session.waiting().len()), (0, 1));
    let step = session.handle(SessionInput::Cycle).unwrap();
    assert_eq!(short(&step), ["2 bind a n1", "3 bind b n1"]);
    assert_eq!(step.happened.bound.len(), 2);
}

#[test]
fn the_new_instance_is_told_the_cluster_and_given_the_held_pods() {
    let policy = failing();
    let mut session = open(&policy, pods());
    attempt(&mut session, "h").unwrap();
    attempt(&mut session, "b").unwrap_err();
    let before = policy.log().len();
    attempt(&mut session, "b").unwrap();
    let log = policy.log();
    assert_eq!(log[before..before + 3], ["restart", "clock 0", "reserve default/h n1"]);
    assert_eq!(policy.received_count(), 3);
    assert!(session.waiting().contains_key("default/h"));
}

#[test]
fn a_held_pod_that_the_new_instance_does_not_take_is_pending_again() {
    let policy = failing();
    let policy = policy
        .reply("reserve default/h", ScriptedReply::Effects(ScriptedEffects::default()))
        .reply("reserve default/h", ScriptedReply::CallError);
    let mut session = open(&policy, pods());
    attempt(&mut session, "h").unwrap();
    attempt(&mut session, "b").unwrap_err();
    let step = attempt(&mut session, "b").unwrap();
    assert_eq!(step.happened.released.first().unwrap().pod, "default/h");
    assert!(session.waiting().is_empty());
    assert!(session.queue().unwrap().contains(&"default/h".to_owned()));
}

#[test]
fn a_policy_that_cannot_be_started_costs_one_attempt_an_input_and_what_the_cluster_says_is_kept() {
    let mut policy = failing();
    for _ in 0..3 {
        policy = policy.reply("restart", ScriptedReply::CallError);
    }
    let mut session = open(&policy, pods());
    attempt(&mut session, "b").unwrap_err();
    attempt(&mut session, "b").unwrap_err();
    session.handle(SessionInput::Objects(vec![object(pod("c", 1, 0))])).unwrap_err();
    session.handle(SessionInput::Removed("Pod/default/a".to_owned())).unwrap_err();
    assert_eq!(policy.log().iter().filter(|asked| *asked == "restart").count(), 3);
    session.handle(SessionInput::Clock(7)).unwrap();
    assert_eq!(session.queue().unwrap(), ["default/b", "default/c", "default/h"]);
    assert_eq!(session.mirror().now(), 7);
}

#[test]
fn an_input_that_makes_no_sense_is_no_fault_of_the_policy() {
    let policy = failing();
    let mut session = open(&policy, pods());
    let error = attempt(&mut session, "x").unwrap_err();
    assert_eq!(error.to_string(), "attempt for default/x: there is no pod `default/x`");
    attempt(&mut session, "a").unwrap();
    assert!(!policy.log().contains(&"restart".to_owned()));
}

#[test]
fn a_plan_of_an_input_that_fails_is_taken_back() {
    let policy = evicting().reply("pre-filter default/q", ScriptedReply::Effects(ScriptedEffects::default()));
    let mut session = open(&policy, full().into_iter().chain([pod("q", 1, 0)]));
    // `q` is tried after `p`, and the policy gives an invalid answer.
    session.handle(SessionInput::Cycle).unwrap_err();
    let (p, v) = (session.mirror().pod_id("default/p").unwrap(), session.mirror().pod_id("default/v").unwrap());
    assert_eq!(session.mirror().pod(p).unwrap().nominated, None);
    assert!(!session.mirror().pod(v).unwrap().terminating);
    assert_eq!((session.commands_in_flight(), session.planned_evictions.iter().count()), (0, 0));
}
