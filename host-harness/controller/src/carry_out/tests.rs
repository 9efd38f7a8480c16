//! Commands against an API server in memory.

mod placed;
mod raced;
mod refused;
mod server;
mod superseded;

use std::sync::Arc;
use std::time::Duration;

use lictor_host::session::{Command, CommandAction, CommandOutcome, ObjectRef};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use server::{Fault, Server};

use super::*;
use crate::names::{ASSIGNED_NODE, EVICTED_FOR, SCHEDULING_GATE};
use crate::view::{has_gate, pinned_to};

fn pod() -> Value {
    json!({
        "metadata": {"name": "a", "namespace": "default", "uid": "1", "resourceVersion": "7"},
        "spec": {"schedulingGates": [{"name": "example.com/other"}, {"name": SCHEDULING_GATE}],
                 "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                     {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]}}}},
        "status": {"phase": "Pending"},
    })
}

fn object(uid: &str) -> ObjectRef {
    let [kind, namespace, name, uid] = ["Pod", "default", "a", uid].map(str::to_owned);
    ObjectRef { kind, namespace, name, uid }
}

fn command(action: CommandAction) -> ExecutorTask {
    ExecutorTask::Command(Command { id: 1, object: object("1"), action })
}

fn bind() -> ExecutorTask {
    command(CommandAction::Bind { node: "n1".to_owned(), marks: Vec::new() })
}

fn evict(delete: bool) -> ExecutorTask {
    command(CommandAction::Evict { delete, marks: Vec::new(), plan: 3 })
}

const BACKOFF: Backoff = Backoff { first: Duration::from_millis(1), last: Duration::from_millis(2) };

/// Carries a task out with this copy of the pod, and returns its end.
fn done(server: &Server, task: &ExecutorTask, raw: Option<Value>) -> TaskOutcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (_keep, cancelled) = watch::channel(false);
    runtime.block_on(carry_out(
        server,
        task,
        TaskContext { raw: raw.map(Arc::new), ..TaskContext::default() },
        BACKOFF,
        cancelled,
        |_| {},
    ))
}

fn failed(done: &TaskOutcome) -> &str {
    match &done.outcome {
        CommandOutcome::Failed(why) | CommandOutcome::Refused { reason: why, .. } => why,
        outcome => panic!("{outcome:?}"),
    }
}

#[test]
fn a_pod_is_nominated_and_then_let_go_for_its_node_in_one_patch() {
    let server = Server::of(pod());
    assert_eq!(done(&server, &bind(), Some(pod())).outcome, CommandOutcome::Done);
    let pod = server.pod();
    assert_eq!(server.log(), ["patch status", "patch"]);
    assert_eq!(pod["status"]["nominatedNodeName"], "n1");
    assert!(!has_gate(&pod));
    assert_eq!(pod["spec"]["schedulingGates"], json!([{"name": "example.com/other"}]));
    assert_eq!((pinned_to(&pod), &pod["metadata"]["annotations"][ASSIGNED_NODE]), (Some("n1"), &json!("n1")));
    let term = &pod.pointer(crate::view::pin::TERMS).unwrap()[0];
    assert_eq!(term["matchExpressions"][0]["key"], "zone", "what it demanded before it still demands");
    assert!(term.get("matchFields").is_none(), "it may run elsewhere when its room is taken");
    // The thing that the marks name is on the node of the pod.
    let mark = lictor_contract::Mark {
        place: lictor_contract::MarkPlace::Annotation,
        key: "reservation".to_owned(),
        value: "r".to_owned(),
    };
    let server = Server::of(self::pod());
    let bind = command(CommandAction::Bind { node: "n1".to_owned(), marks: vec![mark] });
    assert_eq!(done(&server, &bind, None).outcome, CommandOutcome::Done);
    let pod = server.pod();
    let term = &pod.pointer(crate::view::pin::TERMS).unwrap()[0];
    assert_eq!(term["matchFields"][0]["values"], json!(["n1"]));
}

#[test]
fn a_stale_copy_is_read_again() {
    let mut stale = pod();
    (stale["metadata"]["resourceVersion"], stale["status"]["nominatedNodeName"]) = (json!("6"), json!("n1"));
    let server = Server::of(pod());
    assert_eq!(done(&server, &bind(), Some(stale)).outcome, CommandOutcome::Done);
    assert_eq!(server.log(), ["patch", "get", "patch status", "patch"]);
}

#[test]
fn an_answer_that_was_lost_is_looked_for_and_nothing_is_done_twice() {
    let server = Server::of(pod()).then("patch", &[Fault::Lost]);
    assert_eq!(done(&server, &bind(), Some(pod())).outcome, CommandOutcome::Done);
    assert_eq!(server.log(), ["patch status", "patch", "get"]);
    let server = Server::of(pod()).then("evict", &[Fault::Lost]);
    assert_eq!(done(&server, &evict(true), None).outcome, CommandOutcome::Done);
    assert_eq!((server.log(), server.evictions()), (vec!["patch", "evict", "get"], 1));
}

#[test]
fn a_server_that_fails_is_asked_again() {
    let faults = [Fault::Refused(500), Fault::Refused(503), Fault::Refused(429)];
    let server = Server::of(pod()).then("patch", &faults).then("get", &[Fault::Refused(500)]);
    assert_eq!(done(&server, &bind(), Some(pod())).outcome, CommandOutcome::Done);
    assert!(!has_gate(&server.pod()));
}

#[test]
fn what_is_forbidden_fails_at_once() {
    let server = Server::of(pod()).then("patch", &[Fault::Refused(403)]);
    assert_eq!(failed(&done(&server, &bind(), Some(pod()))), "refused with 403");
    assert_eq!(server.log(), ["patch status", "patch", "patch status"]);
    assert_eq!(server.pod()["status"].get("nominatedNodeName"), None, "no room is promised to it");
    let server = Server::of(pod()).then("patch status", &[Fault::Refused(403)]);
    assert_eq!(failed(&done(&server, &bind(), Some(pod()))), "refused with 403");
    assert_eq!(server.log(), ["patch status"]);
}

#[test]
fn another_pod_of_the_name_is_left_alone() {
    let mut other = pod();
    other["metadata"]["uid"] = json!("2");
    let server = Server::of(other.clone());
    assert_eq!(failed(&done(&server, &bind(), Some(pod()))), "it is gone");
    assert_eq!(done(&server, &evict(true), None).outcome, CommandOutcome::Done, "who was meant has left");
    assert_eq!((server.pod(), server.evictions()), (other, 0));
}

#[test]
fn a_gate_that_somebody_else_took_away_is_no_success() {
    let mut open = pod();
    open["spec"]["schedulingGates"] = json!([]);
    open["metadata"]["resourceVersion"] = json!("8");
    let server = Server::of(open.clone());
    assert!(failed(&done(&server, &bind(), Some(pod()))).contains("took its gate"), "after the copy proved stale");
    assert!(failed(&done(&server, &bind(), Some(open))).contains("took its gate"));
}

#[test]
fn a_victim_is_named_before_it_is_evicted_and_a_soft_one_stays() {
    let server = Server::of(pod());
    assert_eq!(done(&server, &evict(true), None).outcome, CommandOutcome::Accepted);
    assert_eq!(server.log(), ["patch", "evict"]);
    let named = server.pod()["metadata"]["annotations"][EVICTED_FOR].as_str().unwrap().to_owned();
    let since = named.strip_prefix("plan 3 since ").unwrap().parse::<jiff::Timestamp>().unwrap();
    assert!(jiff::Timestamp::now().duration_since(since).as_secs().abs() < 60, "{named}");
    let server = Server::of(pod());
    assert_eq!(done(&server, &evict(false), None).outcome, CommandOutcome::Done);
    assert_eq!(server.log(), ["patch"]);
}

#[test]
fn who_is_leaving_already_is_not_evicted_once_more() {
    let mut leaving = pod();
    leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let server = Server::of(leaving);
    assert_eq!(done(&server, &evict(true), None).outcome, CommandOutcome::Done);
    assert_eq!(server.evictions(), 0);
}

#[test]
fn what_no_policy_says_how_to_place_is_refused_aloud() {
    let server = Server::of(pod());
    let slot = ObjectRef { kind: "Slot".to_owned(), ..object("1") };
    let action = CommandAction::Bind { node: "n1".to_owned(), marks: Vec::new() };
    let bound = done(&server, &ExecutorTask::Command(Command { id: 1, object: slot, action }), None);
    assert!(failed(&bound).contains("Slot"));
    assert!(server.log().is_empty());
}

#[test]
fn a_nomination_is_written_and_taken_back() {
    let server = Server::of(pod());
    let nominate = |node: Option<&str>| command(CommandAction::Nominate { node: node.map(str::to_owned) });
    assert_eq!(done(&server, &nominate(Some("n1")), None).outcome, CommandOutcome::Done);
    assert_eq!(server.pod()["status"]["nominatedNodeName"], "n1");
    assert_eq!(done(&server, &nominate(None), None).outcome, CommandOutcome::Done);
    assert_eq!(server.pod()["status"].get("nominatedNodeName"), None);
}

#[test]
fn a_command_that_is_asked_about_is_judged_by_the_object() {
    let asked = |action: Option<CommandAction>| ExecutorTask::Confirm(1, object("1"), action);
    let server = Server::of(pod());
    let bound = Some(CommandAction::Bind { node: "n1".to_owned(), marks: Vec::new() });
    assert_eq!(failed(&done(&server, &asked(bound.clone()), None)), "it was not carried out");
    assert_eq!(failed(&done(&server, &asked(None), None)), "it was not carried out");
    done(&server, &bind(), Some(pod()));
    let confirmed = done(&server, &asked(bound), None);
    assert_eq!((confirmed.outcome, confirmed.object), (CommandOutcome::Done, Some(server.pod())));
    assert_eq!(done(&server, &ExecutorTask::Delete(object("1")), None).outcome, CommandOutcome::Accepted);
}

/// Returns the first `count` ends that the executor reports, in order: it is given these tasks, and `then` runs while the first one is under way.
fn executed(server: &Server, tasks: &[ExecutorTask], count: usize, then: impl FnOnce(&Executor)) -> Vec<FinishedTask> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (send, mut told) = mpsc::unbounded_channel();
        let tell = move |report| {
            if let TaskReport::Finished(finished) = report {
                drop(send.send(*finished));
            }
        };
        let (executor, works) = Executor::start(server.clone(), 2, BACKOFF, tell);
        let works = tokio::spawn(works);
        tasks
            .iter()
            .for_each(|task| executor.submit(TaskRequest { task: task.clone(), context: TaskContext::default() }));
        // The first task is under way.
        while server.log().is_empty() {
            tokio::task::yield_now().await;
        }
        then(&executor);
        let mut finished = Vec::new();
        while finished.len() < count {
            finished.push(told.recv().await.unwrap());
        }
        drop(executor);
        works.await.unwrap();
        finished
    })
}

#[test]
fn the_tasks_of_an_object_are_carried_out_in_their_order() {
    let server = Server::of(pod()).then("patch status", &[Fault::Refused(429), Fault::Refused(429)]);
    let nominate = |id, node: &str| {
        let action = CommandAction::Nominate { node: Some(node.to_owned()) };
        ExecutorTask::Command(Command { id, object: object("1"), action })
    };
    let finished = executed(&server, &[nominate(1, "n1"), nominate(2, "n2")], 2, |_| {});
    assert_eq!(finished.iter().filter_map(|it| it.task.command()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(server.pod()["status"]["nominatedNodeName"], "n2");
}

#[test]
fn a_refused_eviction_is_tried_until_it_is_given_up_and_then_never_again() {
    let forever = [Fault::Refused(429); 10_000];
    let server = Server::of(pod()).then("evict", &forever);
    let finished = executed(&server, &[evict(true)], 1, |executor| executor.cancel(1));
    assert_eq!(failed(&finished[0].done), "refused with 429");
    assert_eq!(server.evictions(), 0);
    // The session asks for the outcome: the command is given up, and that is the outcome.
    let server = Server::of(pod()).then("evict", &forever);
    let asked = ExecutorTask::Confirm(1, object("1"), None);
    let finished = executed(&server, &[evict(true)], 1, |executor| {
        executor.submit(TaskRequest { task: asked, context: TaskContext::default() })
    });
    assert_eq!(failed(&finished[0].done), "refused with 429");
}

#[test]
fn a_command_that_waits_for_another_is_given_up_before_it_is_begun() {
    let server = Server::of(pod()).then("evict", &[Fault::Refused(429); 10_000]);
    let second =
        ExecutorTask::Command(Command { id: 2, object: object("1"), action: CommandAction::Nominate { node: None } });
    let finished = executed(&server, &[evict(true), second], 2, |executor| {
        executor.cancel(2);
        executor.cancel(1);
    });
    assert_eq!(finished[0].task.command(), Some(2));
    assert!(failed(&finished[0].done).contains("before it was begun"));
}
