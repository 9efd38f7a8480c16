//! A session behind the decider, with a policy that follows a script.

mod earlier;
mod lives;
mod marked;

use lictor_host::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedPlan, ScriptedReply};
use lictor_host::session::{FaultRules, ObjectRef};
use lictor_host::verify::testing::{node, object, on, pod, with};
use serde_json::{Value, json};

use super::*;
use crate::report::SECOND;

const ALL_AT_ONCE: u32 = 1_000;

fn named(pod: Value) -> Value {
    let uid = format!("uid of {}", pod["metadata"]["name"].as_str().unwrap());
    with(pod, "/metadata", "uid", json!(uid))
}

/// Returns a cluster in which `p` waits, and `v` holds the node.
fn cluster() -> Vec<KubernetesObject> {
    [node("n1", 4), named(on("n1", pod("v", 4, 0))), named(pod("p", 3, 9))].map(object).into()
}

/// Begins at 1 s to decide by a policy, and to carry that out, with what an earlier process has stored.
fn enforcing(
    policy: Scripted,
    cluster: Vec<KubernetesObject>,
    saved: Option<DeciderCheckpoint>,
) -> (Decider, DeciderOutput) {
    let session = RecordableSession::new(Session::open(Box::new(policy), "test", "").unwrap(), None);
    Decider::begin(session, RunMode::Enforce, &[], SECOND, cluster, saved)
}

/// Returns a policy that evicts `v` for `p`.
fn evicting() -> Scripted {
    let plan = ScriptedPlan { id: 5, nominations: &[("default/p", "n1")], victims: &["default/v"], soft: false };
    Scripted::deciding(ALL)
        .reply("filter default/p", ScriptedReply::Fits(&[]))
        .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()))
}

fn begun(policy: &Scripted, mode: RunMode, saved: Option<DeciderCheckpoint>) -> (Decider, DeciderOutput) {
    let mut session = Session::open(Box::new(policy.clone()), "test", "").unwrap();
    session.set_fault_rules(FaultRules::ONCE);
    Decider::begin(RecordableSession::new(session, None), mode, &[], SECOND, cluster(), saved)
}

/// Returns the words of the tasks.
fn words(tasks: &[ExecutorTask]) -> Vec<String> {
    let word = |task: &ExecutorTask| {
        let name = &task.object().name;
        match task {
            ExecutorTask::Command(Command { action: CommandAction::Nominate { .. }, .. }) => format!("nominate {name}"),
            ExecutorTask::Command(Command { action: CommandAction::Evict { .. }, .. }) => format!("evict {name}"),
            ExecutorTask::Command(Command { action: CommandAction::Bind { node, .. }, .. }) => {
                format!("bind {name} {node}")
            }
            ExecutorTask::Command(_) => format!("? {name}"),
            ExecutorTask::Confirm(_, _, of) => format!("confirm {name} {}", of.is_some()),
            other => format!("{} {name}", other.word()),
        }
    };
    tasks.iter().map(word).collect()
}

fn outcome(task: &ExecutorTask, outcome: CommandOutcome) -> SessionFact {
    SessionFact::Outcome(task.command().unwrap(), outcome)
}

#[test]
fn a_victim_is_evicted_when_its_preemptor_is_nominated_and_the_preemptor_bound_when_it_has_left() {
    let (mut decider, _) = begun(&evicting(), RunMode::Enforce, None);
    assert!(decider.is_due());
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    assert_eq!(words(&nominate), ["nominate p"]);
    let evict = decider.apply_facts(SECOND, vec![outcome(&nominate[0], CommandOutcome::Done)]).tasks;
    assert_eq!(words(&evict), ["evict v"]);
    decider.apply_facts(SECOND, vec![outcome(&evict[0], CommandOutcome::Accepted)]);
    decider.apply_facts(2 * SECOND, vec![SessionFact::Deleted("Pod/default/v".to_owned())]);
    assert!(decider.is_due());
    assert_eq!(words(&decider.decide(ALL_AT_ONCE).tasks), ["bind p n1"]);
}

#[test]
fn nobody_is_evicted_for_a_pod_whose_nomination_fails() {
    let (mut decider, _) = begun(&evicting(), RunMode::Enforce, None);
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    let failed = CommandOutcome::Failed("it is gone".to_owned());
    let turn = decider.apply_facts(SECOND, vec![outcome(&nominate[0], failed)]);
    assert!(turn.tasks.is_empty());
    assert_eq!(decider.session().commands_in_flight(), 0);
    assert!(decider.is_due(), "what could not be done is decided about again");
}

#[test]
fn an_eviction_that_nobody_needs_any_more_is_given_up_once() {
    let (mut decider, _) = begun(&evicting(), RunMode::Enforce, None);
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    let evict = decider.apply_facts(SECOND, vec![outcome(&nominate[0], CommandOutcome::Done)]).tasks;
    let gone = || vec![SessionFact::Deleted("Pod/default/p".to_owned())];
    assert_eq!(decider.apply_facts(SECOND, gone()).cancelled, [evict[0].command().unwrap()]);
    assert!(decider.apply_facts(SECOND, gone()).cancelled.is_empty());
}

#[test]
fn nothing_is_carried_out_where_it_is_only_said() {
    for mode in [RunMode::DryRun, RunMode::Observe] {
        let (mut decider, begun) = begun(&evicting(), mode, None);
        let turn = decider.decide(ALL_AT_ONCE);
        assert!(begun.tasks.is_empty() && turn.tasks.is_empty());
        assert_eq!(turn.steps[0].happened.plans.len(), 1, "the plan is told");
        assert!(turn.steps.iter().all(|step| step.happened.failed.is_empty()), "and no failure");
        assert_eq!(decider.session().commands_in_flight(), 0);
        let p = decider.session().mirror().pod_id("default/p").unwrap();
        assert_eq!(decider.session().mirror().pod(p).unwrap().nominated, None, "the picture is the cluster's");
    }
}

#[test]
fn nothing_is_decided_while_nothing_has_changed() {
    let policy = Scripted::deciding(ALL).reply("filter default/p", ScriptedReply::Fits(&[]));
    let (mut decider, _) = begun(&policy, RunMode::Enforce, None);
    decider.decide(ALL_AT_ONCE);
    assert!(!decider.is_due());
    decider.apply_facts(2 * SECOND, Vec::new());
    assert!(!decider.is_due(), "the time alone changes nothing");
    decider.apply_facts(2 * SECOND, vec![SessionFact::Upserted(Box::new(object(node("n2", 4))))]);
    assert!(decider.is_due());
    decider.apply_facts(2 * SECOND, vec![SessionFact::Deleted("Pod/default/p".to_owned())]);
    assert!(!decider.is_due(), "there is nobody to decide about");
}

#[test]
fn another_process_asks_what_became_of_what_was_under_way() {
    let (mut decider, _) = begun(&evicting(), RunMode::Enforce, None);
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    let saved = decider.checkpoint().unwrap();
    let stored: DeciderCheckpoint = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
    let (mut after, turn) = begun(&Scripted::deciding(ALL), RunMode::Enforce, Some(stored));
    assert!(turn.errors.is_empty());
    // The eviction was held back until the nomination is written: it was never begun.
    assert_eq!(words(&turn.tasks), ["confirm p true", "confirm v true"]);
    let never = || CommandOutcome::Failed("it was not carried out".to_owned());
    let outcomes = turn.tasks.iter().map(|task| outcome(task, never())).collect();
    after.apply_facts(2 * SECOND, outcomes);
    assert_eq!(after.session().commands_in_flight(), 0);
    assert!(turn.tasks.iter().any(|task| task.command() == nominate[0].command()), "numbers go on");
}

#[test]
fn an_input_that_fails_is_told_and_the_next_one_is_served() {
    let policy = Scripted::deciding(ALL).reply("pre-filter default/p", ScriptedReply::CallError);
    let (mut decider, _) = begun(&policy, RunMode::Enforce, None);
    let turn = decider.decide(ALL_AT_ONCE);
    assert_eq!((turn.errors.len(), turn.failed_attempts, turn.tasks.len()), (1, 1, 0));
    assert!(decider.is_due(), "it is tried again though nothing changes");
    let turn = decider.apply_facts(2 * SECOND, vec![SessionFact::Deleted("Pod/default/v".to_owned())]);
    assert!(turn.errors.is_empty());
    assert_eq!(words(&decider.decide(ALL_AT_ONCE).tasks), ["bind p n1"]);
}

#[test]
fn an_input_that_fails_and_tries_no_pod_is_no_attempt() {
    let policy = Scripted::deciding(ALL)
        .reply("permit default/p", ScriptedReply::Wait(10, ScriptedEffects::default()))
        .reply("unreserve default/p", ScriptedReply::CallError);
    let mut session = Session::open(Box::new(policy), "test", "").unwrap();
    session.set_fault_rules(FaultRules::ONCE);
    let cluster = [node("n1", 4), named(pod("p", 3, 9))].map(object).into();
    let (mut decider, _) =
        Decider::begin(RecordableSession::new(session, None), RunMode::Enforce, &[], SECOND, cluster, None);
    assert_eq!(decider.decide(ALL_AT_ONCE).steps[0].happened.attempts.len(), 1, "the pod is held");
    let turn = decider.apply_facts(2 * SECOND, Vec::new());
    assert_eq!((turn.errors.len(), turn.failed_attempts), (1, 0), "its time runs out");
}

#[test]
fn an_attempt_that_is_not_begun_has_not_failed() {
    let policy = Scripted::deciding(ALL).reply("pre-filter default/p", ScriptedReply::CallError);
    let mut session = Session::open(Box::new(policy), "test", "").unwrap();
    session.set_fault_rules(FaultRules { second_try: false, breaker_faults: 1, breaker_wait: 30 * SECOND });
    let (mut decider, _) =
        Decider::begin(RecordableSession::new(session, None), RunMode::Enforce, &[], SECOND, cluster(), None);
    assert_eq!(decider.decide(ALL_AT_ONCE).failed_attempts, 1);
    let turn = decider.decide(ALL_AT_ONCE);
    assert_eq!((turn.errors.len(), turn.failed_attempts), (1, 0), "nothing is decided for a while");
}

#[test]
fn another_pod_of_the_name_of_a_preemptor_gets_nothing_of_its_plan() {
    let (mut decider, _) = begun(&evicting(), RunMode::Enforce, None);
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    let evict = decider.apply_facts(SECOND, vec![outcome(&nominate[0], CommandOutcome::Done)]).tasks;
    let successor = with(pod("p", 3, 9), "/metadata", "uid", json!("another"));
    let turn = decider.apply_facts(SECOND, vec![SessionFact::Upserted(Box::new(object(successor)))]);
    assert_eq!(turn.cancelled, [evict[0].command().unwrap()]);
    let meant: ObjectRef = nominate[0].object().clone();
    assert_eq!(meant.uid, "uid of p");
    let p = decider.session().mirror().pod_id("default/p").unwrap();
    assert_eq!(decider.session().mirror().pod(p).unwrap().nominated, None);
}

#[test]
fn who_is_decided_about_first_is_let_go_before_the_others_are_decided_about() {
    let mut session = Session::open(Box::new(Scripted::deciding(ALL)), "test", "").unwrap();
    session.set_fault_rules(FaultRules::ONCE);
    let cluster = [node("n1", 4), named(pod("a", 1, 9)), named(pod("b", 1, 0))].map(object).into();
    let (mut decider, _) =
        Decider::begin(RecordableSession::new(session, None), RunMode::Enforce, &[], SECOND, cluster, None);
    assert_eq!(words(&decider.decide(1).tasks), ["bind a n1"]);
    assert!(decider.is_due() && decider.is_in_cycle());
    // A pod that arrives in between reaches the session, and is decided about when all others have had a turn.
    decider.apply_facts(SECOND, vec![SessionFact::Upserted(Box::new(object(named(pod("c", 1, 99)))))]);
    assert_eq!(words(&decider.decide(1).tasks), ["bind b n1"]);
    assert!(decider.is_due() && !decider.is_in_cycle());
    assert_eq!(words(&decider.decide(1).tasks), ["bind c n1"]);
    assert!(!decider.is_due());
}

/// Returns a decider that has nominated `p`, and its task that evicts `v`.
fn under_way(policy: &Scripted) -> (Decider, ExecutorTask) {
    let (mut decider, _) = begun(policy, RunMode::Enforce, None);
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    let mut evict = decider.apply_facts(SECOND, vec![outcome(&nominate[0], CommandOutcome::Done)]).tasks;
    (decider, evict.remove(0))
}

#[test]
fn an_eviction_that_had_to_wait_for_its_nomination_is_known_to_the_next_process() {
    let (mut decider, _evict) = under_way(&evicting());
    let saved = decider.checkpoint().unwrap();
    let (_, turn) = begun(&evicting(), RunMode::Enforce, Some(saved));
    assert!(words(&turn.tasks).contains(&"confirm v true".to_owned()), "{:?}", words(&turn.tasks));
}
