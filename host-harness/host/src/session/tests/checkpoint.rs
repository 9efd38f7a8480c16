//! What a session holds outlives it.

use super::*;

#[test]
fn what_is_under_way_is_held_and_is_leaving_goes_on() {
    let policy = evicting()
        .reply("filter default/h", ScriptedReply::Fits(&["n2"]))
        .reply("permit default/h", ScriptedReply::Wait(10, ScriptedEffects::default()));
    let objects = || full().into_iter().chain([node("n2", 4), pod("h", 4, 0), pod("a", 1, 0)]);
    let mut first = open(&policy, objects());
    attempt(&mut first, "p").unwrap();
    attempt(&mut first, "h").unwrap();
    first.handle(SessionInput::Clock(3)).unwrap();
    let saved = serde_json::to_string(&first.checkpoint().unwrap()).unwrap();

    // The cluster has changed meanwhile: it shows the nomination, but not the eviction.
    let policy = Scripted::deciding(ALL);
    let nominated = with(pod("p", 3, 9), "/status", "nominatedNodeName", json!("n1"));
    let others = objects().filter(|object| object["metadata"]["name"] != "p");
    let mut second = open(&policy, others.chain([nominated]));
    second.restore(serde_json::from_str(&saved).unwrap()).unwrap();
    assert_eq!(policy.log().last().unwrap(), "reserve default/h n2");
    assert_eq!(second.waiting(), first.waiting());
    assert_eq!(second.mirror().now(), 3);
    assert_eq!(second.commands_in_flight(), 1);
    assert!(policy.received("default/v").terminating);
    let step = second.handle(SessionInput::Clock(4)).unwrap();
    assert_eq!((short(&step), step.wake_at), (vec!["2 confirm v".to_owned()], Some(10)));
    // No number is used twice, and a promise whose victim stays is withdrawn.
    let step = answer(&mut second, 2, failed());
    assert_eq!((short(&step), step.happened.withdrawn.len()), (vec!["3 nominate p -".to_owned()], 1));
    assert_eq!(second.handle(SessionInput::Clock(10)).unwrap().happened.released.len(), 1);
}

#[test]
fn a_checkpoint_of_another_layout_is_refused_and_changes_nothing() {
    let policy = Scripted::deciding(ALL);
    let mut session = open(&policy, full());
    let mut saved = serde_json::to_value(session.checkpoint().unwrap()).unwrap();
    saved["format"] = json!(9);
    let error = session.restore(serde_json::from_value(saved).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "restored checkpoint: the checkpoint has format 9, and this host knows format 1");
    assert!(!policy.log().contains(&"restart".to_owned()));
}

#[test]
fn what_a_policy_does_not_take_back_is_a_finding_and_the_rest_goes_on() {
    for (policy, why) in [
        (Scripted::deciding(ALL), "the policy takes none"),
        (Scripted::deciding(ALL).reply("restore", ScriptedReply::CallError), "it ends too early"),
    ] {
        let mut session = open(&policy, full());
        let mut saved = serde_json::to_value(session.checkpoint().unwrap()).unwrap();
        saved["policy"] = json!({"format": 1, "bytes": []});
        session.restore(serde_json::from_value(saved).unwrap()).unwrap();
        let [finding] = session.findings() else { panic!("{:?}", session.findings()) };
        assert!(finding.message.ends_with(why), "{finding:?}");
    }
}

#[test]
fn a_policy_that_fails_or_is_not_asked_leaves_what_it_saved_last_in_the_checkpoint() {
    // The plan is accepted, so a checkpoint is taken. Then `a` breaks the policy twice.
    let policy = evicting().remembering(1).reply("pre-filter default/a", ScriptedReply::CallError);
    let policy =
        policy.reply("pre-filter default/a", ScriptedReply::CallError).reply("restart", ScriptedReply::CallError);
    let rules = FaultRules { second_try: false, breaker_faults: 2, breaker_wait: 10 };
    let mut session = with_rules(rules, &policy, full().into_iter().chain([pod("a", 1, 0)]));
    attempt(&mut session, "p").unwrap();
    let before = session.checkpoint().unwrap();
    attempt(&mut session, "a").unwrap_err();
    // The policy cannot be started: the checkpoint breaks it for the first time, which is the second fault in a row.
    assert_eq!(session.checkpoint().unwrap(), before);
    assert!(matches!(session.counters().breaker.state, BreakerState::Open { .. }));
    // The policy gets no call, and nothing is counted.
    let (counted, asked) = (session.counters(), policy.log().len());
    assert_eq!(session.checkpoint().unwrap(), before);
    assert_eq!((session.counters().faults, policy.log().len()), (counted.faults, asked));
    // The checkpoint has the observations of the cluster since then.
    session.handle(SessionInput::Removed("Pod/default/v".to_owned())).unwrap();
    assert_ne!(session.checkpoint().unwrap(), before);
}

#[test]
fn a_pod_that_was_being_bound_and_has_ended_meanwhile_holds_no_room_in_the_next_process() {
    let mut first = open(&Scripted::deciding(ALL), [node("n1", 4), pod("a", 4, 0)]);
    assert_eq!(short(&attempt(&mut first, "a").unwrap()), ["1 bind a n1"]);
    let saved = first.checkpoint().unwrap();

    let ended = with(on("n1", pod("a", 4, 0)), "/status", "phase", json!("Succeeded"));
    let policy = Scripted::deciding(ALL);
    let mut second = open(&policy, [node("n1", 4), ended, pod("b", 4, 0)]);
    second.restore(saved).unwrap();
    assert_eq!((policy.received("default/a").phase, second.commands_in_flight()), (Phase::Succeeded, 0));
    assert_eq!(short(&attempt(&mut second, "b").unwrap()), ["2 bind b n1"]);
}
