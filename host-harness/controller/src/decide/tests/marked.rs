//! Victims that an earlier process only marked.

use lictor::Native;
use lictor_contract::{Mark, MarkPlace};

use super::super::leftovers::Leftover;
use super::*;
use crate::names::EVICTED_FOR;

const DELETES: &str = r#"{"podShouldBeDeletedWhenPreempted": true}"#;
const MARK: &str = "scheduling.koordinator.sh/soft-eviction";

/// Returns a reference to a pod as the cluster has it.
fn meant(name: &str) -> ObjectRef {
    let [kind, namespace] = ["Pod", "default"].map(str::to_owned);
    ObjectRef { kind, namespace, name: name.to_owned(), uid: format!("uid of {name}") }
}

/// Returns the victim, which holds the node; `marked` as Koordinator marks it.
fn victim(marked: bool) -> Value {
    let victim = named(on("n1", pod("v", 4, 0)));
    if !marked {
        return victim;
    }
    let victim = with(victim, "/metadata", "labels", json!({MARK: "true"}));
    with(victim, "/metadata", "annotations", json!({MARK: "{}", EVICTED_FOR: "plan 1 since 2026-03-12T09:00:00Z"}))
}

/// Begins with Koordinator in a cluster with a marked victim, which holds the node, and `p` of the same priority, which may not preempt it.
fn begin(nominated: Option<&str>) -> (Decider, DeciderOutput) {
    let session = Session::open(Box::new(Native::default()), "koordinator", DELETES).unwrap();
    let p = with(named(pod("p", 4, 0)), "/status", "nominatedNodeName", json!(nominated));
    let cluster = [node("n1", 4), victim(true), p].map(object).into();
    let (mut decider, mut turn) =
        Decider::begin(RecordableSession::new(session, None), RunMode::Enforce, &[], SECOND, cluster, None);
    decider.recover([meant("v")].into_iter(), true, &mut turn);
    (decider, turn)
}

fn mark() -> Leftover {
    Leftover { pod: meant("v"), node: String::new(), is_marked: true }
}

/// Returns what takes all marks of Koordinator off the victim.
fn unmark() -> ExecutorTask {
    let mark = |place| Mark { place, key: MARK.to_owned(), value: String::new() };
    ExecutorTask::Unmark(meant("v"), [MarkPlace::Label, MarkPlace::Annotation].map(mark).into())
}

/// Decides that `p` takes the room of the victim, whose own plan has ended.
fn counted_on() -> Decider {
    let (mut decider, turn) = begin(None);
    assert!(turn.tasks.is_empty(), "no pod waits for its room");
    let nominate = decider.decide(ALL_AT_ONCE).tasks;
    assert_eq!(words(&nominate), ["nominate p"], "the victim counts as leaving");
    decider.apply_facts(2 * SECOND, vec![outcome(&nominate[0], CommandOutcome::Done)]);
    decider
}

#[test]
fn a_mark_whose_plan_has_ended_is_taken_off_though_another_plan_counts_on_its_victim() {
    let decider = counted_on();
    assert_eq!(decider.allowed_leftover_age(&mark(), true), Some(0));
    assert_eq!(decider.remove_leftovers(vec![mark()]).tasks, [unmark()]);
}

#[test]
fn a_mark_whose_plan_has_ended_leaves_another_controller_five_minutes() {
    assert_eq!(counted_on().allowed_leftover_age(&mark(), false), Some(300 * SECOND));
}

#[test]
fn a_plan_that_counts_on_a_victim_without_a_mark_ends_and_is_not_made_again() {
    let mut decider = counted_on();
    decider.apply_facts(20 * SECOND, vec![SessionFact::Upserted(Box::new(object(victim(false))))]);
    let (mut tasks, mut made) = (Vec::new(), 0);
    for seconds in [21, 400, 401, 900, 901] {
        decider.apply_facts(seconds * SECOND, Vec::new());
        decider.request_cycle();
        let turn = decider.decide(ALL_AT_ONCE);
        made += turn.steps.iter().map(|step| step.happened.plans.len()).sum::<usize>();
        let done = turn.tasks.iter().filter(|task| task.command().is_some());
        decider.apply_facts(seconds * SECOND, done.map(|task| outcome(task, CommandOutcome::Done)).collect());
        tasks.extend(turn.tasks);
    }
    let [ExecutorTask::Command(Command { object, action, .. })] = tasks.as_slice() else {
        panic!("{:?}", words(&tasks))
    };
    assert_eq!((object, action, made), (&meant("p"), &CommandAction::Nominate { node: None }, 0));
}

#[test]
fn other_arguments_evict_no_victim_whose_plan_has_ended() {
    let (mut decider, mut turn) = (counted_on(), DeciderOutput::default());
    decider.evict_marked([meant("v")].into_iter(), &mut turn);
    assert!(turn.tasks.is_empty());
}

#[test]
fn a_marked_victim_is_evicted_for_its_nominated_preemptor_and_loses_its_mark_where_that_is_in_vain() {
    let (mut decider, turn) = begin(Some("n1"));
    assert_eq!(words(&turn.tasks), ["evict v"]);
    assert_eq!(decider.allowed_leftover_age(&mark(), true), None);
    let turn = decider.apply_facts(400 * SECOND, Vec::new());
    assert_eq!(turn.tasks, [ExecutorTask::Withdraw(meant("p")), unmark()]);
    assert_eq!(turn.given_up.len(), 1);
}
