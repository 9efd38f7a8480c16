//! The policy fails: the same input is tried once more, and after several that failed nothing is decided for a while.

use super::*;

const QUESTION: &str = "reserve default/b";

/// Returns a policy that fails this many times to reserve a node for `b`.
fn failing(times: usize) -> Scripted {
    (0..times).fold(Scripted::deciding(ALL), |policy, _| policy.reply(QUESTION, ScriptedReply::CallError))
}

fn cluster() -> [Value; 3] {
    [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0)]
}

fn restarts(policy: &Scripted) -> usize {
    policy.log().iter().filter(|asked| *asked == "restart").count()
}

#[test]
fn an_input_is_tried_once_more_on_a_fresh_instance() {
    let policy = failing(1);
    let mut session = with_rules(FaultRules::default(), &policy, cluster());
    let step = session.handle(SessionInput::Cycle).unwrap();
    // The decisions of the first try for `a` are not there twice.
    assert_eq!(short(&step), ["2 bind a n1", "3 bind b n1"]);
    assert_eq!((step.happened.bound.len(), step.happened.attempts.len(), restarts(&policy)), (2, 2, 1));
    let counters = session.counters();
    assert_eq!((counters.inputs, counters.failed, counters.second_tries, counters.rescued), (2, 0, 1, 1));
    assert_eq!((counters.restarts, counters.faults), (1, [(FaultKind::Refused, 1)].into()));
}

#[test]
fn an_input_that_fails_twice_is_an_error_and_nothing_of_it_stands() {
    let policy = failing(2);
    let mut session = with_rules(FaultRules::default(), &policy, cluster());
    let error = session.handle(SessionInput::Cycle).unwrap_err();
    assert_eq!(error.to_string(), "cycle: the policy cannot answer `reserve`: WrongState(\"scripted\")");
    assert_eq!((session.commands_in_flight(), restarts(&policy)), (0, 1));
    let counters = session.counters();
    assert_eq!((counters.failed, counters.second_tries, counters.rescued), (1, 1, 0));
    assert_eq!((counters.faults, counters.breaker.faults_in_row), ([(FaultKind::Refused, 2)].into(), 1));
    assert_eq!(short(&session.handle(SessionInput::Cycle).unwrap()), ["3 bind a n1", "4 bind b n1"]);
    assert_eq!(session.counters().breaker.faults_in_row, 0);
}

#[test]
fn objects_are_taken_in_once_however_often_the_policy_is_told() {
    let policy = failing(0)
        .reply("permit default/a", ScriptedReply::Wait(5, ScriptedEffects::default()))
        .reply("unreserve default/a", ScriptedReply::CallError);
    let mut session = with_rules(FaultRules::default(), &policy, cluster());
    attempt(&mut session, "a").unwrap();
    // The held pod has ended and must be unreserved.
    let ended = with(pod("a", 1, 0), "/status", "phase", json!("Failed"));
    session.handle(SessionInput::InitialList([ended, pod("c", 1, 0)].map(object).to_vec())).unwrap();
    assert_eq!((restarts(&policy), policy.received_count(), session.waiting().len()), (1, 3, 0));
    assert_eq!(session.mirror().warnings().len(), 0, "no object was there twice");
}

#[test]
fn an_object_that_cannot_be_counted_is_no_fault_of_the_policy() {
    let policy = Scripted::deciding(ALL).counting(99_000, 999_000);
    let mut session = with_rules(FaultRules { breaker_faults: 1, ..FaultRules::default() }, &policy, cluster());
    session.handle(SessionInput::Objects(vec![object(pod("huge", 100, 0))])).unwrap_err();
    let counters = session.counters();
    assert_eq!((counters.second_tries, counters.failed, counters.breaker.state), (0, 0, BreakerState::Closed));
    attempt(&mut session, "a").unwrap();
}

#[test]
fn a_question_that_makes_no_sense_is_asked_once() {
    let policy = failing(0);
    let mut session = with_rules(FaultRules::default(), &policy, cluster());
    attempt(&mut session, "x").unwrap_err();
    let counters = session.counters();
    assert_eq!((counters.second_tries, counters.failed, restarts(&policy)), (0, 0, 0));
}

/// Opens a session whose breaker opens after two failures, for 10 ns.
fn strict(policy: &Scripted) -> Session {
    let rules = FaultRules { second_try: false, breaker_faults: 2, breaker_wait: 10 };
    with_rules(rules, policy, cluster())
}

#[test]
fn after_faults_in_a_row_nothing_is_decided_and_what_the_cluster_says_is_kept() {
    let policy = failing(2);
    let mut session = strict(&policy);
    attempt(&mut session, "b").unwrap_err();
    attempt(&mut session, "b").unwrap_err();
    let asked = policy.log().len();
    let refused = attempt(&mut session, "a").unwrap_err();
    assert!(matches!(refused.cause, FailureCause::BreakerOpen { faults: 2, until: 10, .. }), "{refused}");
    let said = "attempt for default/a: the policy is not asked before 1970-01-01T00:00:00.00000001Z: it failed 2 times in a row; \
                the last time: attempt for default/b: the policy cannot answer `reserve`: WrongState(\"scripted\")";
    assert_eq!(refused.to_string(), said);
    for decision in [SessionInput::Cycle, SessionInput::Attempt("default/b".to_owned())] {
        session.handle(decision).unwrap_err();
    }
    assert!(session.queue().is_err() && session.accounts().is_err());
    // Objects, outcomes and the time are observations, which are kept.
    tell(&mut session, pod("c", 1, 0));
    let step = session.handle(SessionInput::Removed("Pod/default/a".to_owned())).unwrap();
    assert_eq!(step.wake_at, Some(10));
    answer(&mut session, 7, CommandOutcome::Done);
    session.handle(SessionInput::Clock(9)).unwrap();
    assert_eq!(policy.log().len(), asked, "the policy is not asked");
    assert_eq!(session.mirror().pods().count(), 2);
    let counters = session.counters();
    assert_eq!((counters.failed, counters.breaker.refused, counters.breaker.opened), (2, 5, 1));
    // The trial.
    session.handle(SessionInput::Clock(10)).unwrap();
    assert_eq!(session.counters().breaker.state, BreakerState::HalfOpen);
    assert_eq!(short(&attempt(&mut session, "c").unwrap()), ["1 bind c n1"]);
    let counters = session.counters();
    assert_eq!((counters.breaker.state, counters.breaker.closed), (BreakerState::Closed, 1));
    assert_eq!(session.queue().unwrap(), ["default/b"]);
}

#[test]
fn a_trial_that_fails_is_the_only_one_for_a_while() {
    let policy = failing(3);
    let mut session = strict(&policy);
    session.set_fault_rules(FaultRules { second_try: true, breaker_faults: 1, breaker_wait: 10 });
    attempt(&mut session, "b").unwrap_err();
    session.handle(SessionInput::Clock(10)).unwrap();
    let before = restarts(&policy);
    attempt(&mut session, "b").unwrap_err();
    assert_eq!(restarts(&policy), before, "the instance of the trial was fresh, and it is not tried again");
    let refused = attempt(&mut session, "a").unwrap_err();
    assert!(matches!(refused.cause, FailureCause::BreakerOpen { until: 20, .. }), "{refused}");
    session.handle(SessionInput::Clock(20)).unwrap();
    attempt(&mut session, "b").unwrap();
    assert_eq!(session.counters().breaker.opened, 2);
}

#[test]
fn a_pod_that_is_held_stays_held_while_the_breaker_is_open_and_is_released_after() {
    let policy = failing(2).reply("permit default/a", ScriptedReply::Wait(5, ScriptedEffects::default()));
    let mut session = strict(&policy);
    attempt(&mut session, "a").unwrap();
    attempt(&mut session, "b").unwrap_err();
    let step = {
        attempt(&mut session, "b").unwrap_err();
        session.handle(SessionInput::Clock(7)).unwrap()
    };
    // The deadline has passed, but the policy must be called. Nothing is due before that.
    assert_eq!((step.wake_at, session.waiting().len()), (Some(10), 1));
    let step = session.handle(SessionInput::Clock(10)).unwrap();
    assert_eq!((step.happened.released.len(), session.waiting().len()), (1, 0));
}
