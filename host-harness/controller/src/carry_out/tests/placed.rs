//! Objects that are placed like pods, against an API server in memory.

use lictor_contract::{Mark, MarkPlace, Phase, PlacedKind, PlacedPhase};
use lictor_host::session::Command;

use super::*;
use crate::names::NOMINATED_NODE;

/// Returns the kind of Koordinator that reserves room on a node, the Reservation.
fn kind() -> PlacedKind {
    let text = str::to_owned;
    let phase = |word, phase| PlacedPhase { word: text(word), phase };
    PlacedKind {
        group: text("scheduling.koordinator.sh"),
        kind: text("Reservation"),
        namespaced: false,
        template: text("/spec/template"),
        node: text("/status/nodeName"),
        nominated: text("/status/nominatedNodeName"),
        phase: text("/status/phase"),
        phases: vec![phase("Pending", Phase::Pending), phase("Available", Phase::Running)],
        amounts: Some(text("/status/allocatable")),
        conditions: text("/status/conditions"),
        scheduled: text("Scheduled"),
        room_use: None,
    }
}

fn reservation() -> Value {
    json!({
        "metadata": {"name": "a", "uid": "1", "resourceVersion": "7"},
        "status": {"conditions": [{"type": "Other", "status": "True"}, {"type": "Scheduled", "status": "False"}]},
    })
}

fn task(action: CommandAction) -> ExecutorTask {
    let meant = ObjectRef { kind: "Reservation".to_owned(), namespace: String::new(), ..object("1") };
    ExecutorTask::Command(Command { id: 1, object: meant, action })
}

fn bind(node: &str) -> ExecutorTask {
    task(CommandAction::Bind { node: node.to_owned(), marks: Vec::new() })
}

fn done(server: &Server, task: &ExecutorTask) -> TaskOutcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (_keep, cancelled) = watch::channel(false);
    let requests = json!({"cpu": "2", "memory": "1Gi"}).as_object().unwrap().clone();
    let placed = PlaceableObject { kind: kind(), requests };
    runtime.block_on(carry_out(
        server,
        task,
        TaskContext { placed: Some(Arc::new(placed)), ..TaskContext::default() },
        BACKOFF,
        cancelled,
        |_| {},
    ))
}

#[test]
fn a_reservation_is_placed_by_its_status_as_upstream_writes_it() {
    let server = Server::of(reservation());
    assert_eq!(done(&server, &bind("n1")).outcome, CommandOutcome::Done);
    assert_eq!(server.log(), ["get", "patch status"]);
    let status = &server.pod()["status"];
    assert_eq!((&status["phase"], &status["nodeName"]), (&json!("Available"), &json!("n1")));
    assert_eq!(status["allocatable"], json!({"cpu": "2", "memory": "1Gi"}));
    let conditions: Vec<[&str; 3]> = status["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| ["/type", "/status", "/reason"].map(|field| crate::view::text(it, field)))
        .collect();
    let expected = [["Other", "True", ""], ["Scheduled", "True", "Scheduled"], ["Ready", "True", "Available"]];
    assert_eq!(conditions, expected);
    // A second time, the object stays as it is.
    assert_eq!(done(&server, &bind("n1")).outcome, CommandOutcome::Done);
    assert_eq!(failed(&done(&server, &bind("n2"))), "it is bound to n1");
    assert_eq!(server.log(), ["get", "patch status", "get", "get"]);
}

#[test]
fn a_kind_without_a_status_apart_is_written_whole_and_a_lost_answer_is_looked_for() {
    let server = Server::of(reservation()).then("patch status", &[Fault::Refused(404)]);
    assert_eq!(done(&server, &bind("n1")).outcome, CommandOutcome::Done);
    assert_eq!(server.log(), ["get", "patch status", "patch"]);
    let server = Server::of(reservation()).then("patch status", &[Fault::Lost]);
    assert_eq!(done(&server, &bind("n1")).outcome, CommandOutcome::Done);
    assert_eq!(server.log(), ["get", "patch status", "get"]);
}

#[test]
fn another_reservation_of_the_name_is_left_alone() {
    let mut other = reservation();
    other["metadata"]["uid"] = json!("2");
    let server = Server::of(other.clone());
    assert_eq!(failed(&done(&server, &bind("n1"))), "it is gone");
    assert_eq!(server.pod(), other);
}

#[test]
fn a_nomination_is_an_annotation_and_ends_with_the_binding() {
    let server = Server::of(reservation());
    let nominate = |node: Option<&str>| task(CommandAction::Nominate { node: node.map(str::to_owned) });
    assert_eq!(done(&server, &nominate(Some("n1"))).outcome, CommandOutcome::Done);
    assert_eq!(server.pod()["metadata"]["annotations"][NOMINATED_NODE], "n1");
    assert_eq!(done(&server, &bind("n1")).outcome, CommandOutcome::Done);
    assert_eq!(server.pod()["metadata"]["annotations"].get(NOMINATED_NODE), None);
    assert_eq!(server.log(), ["patch", "get", "patch", "patch status"]);
    // The annotation shows the outcome of a request whose answer was lost.
    let server = Server::of(reservation()).then("patch", &[Fault::Lost]);
    assert_eq!(done(&server, &nominate(Some("n1"))).outcome, CommandOutcome::Done);
    assert_eq!(server.log(), ["patch", "get"]);
}

#[test]
fn a_reservation_is_deleted_where_a_pod_is_evicted_and_only_marked_where_others_delete_it() {
    let evict = |delete| {
        let mark = Mark { place: MarkPlace::Label, key: "leaves".to_owned(), value: "true".to_owned() };
        task(CommandAction::Evict { delete, marks: vec![mark], plan: 3 })
    };
    let server = Server::of(reservation());
    assert_eq!(done(&server, &evict(false)).outcome, CommandOutcome::Done);
    assert_eq!(server.pod()["metadata"]["labels"]["leaves"], "true");
    assert_eq!(done(&server, &evict(true)).outcome, CommandOutcome::Accepted);
    assert_eq!((server.log(), server.evictions()), (vec!["patch", "patch", "delete"], 0));
}
