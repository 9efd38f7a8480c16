//! What the API server refuses, and what breaks.

use lictor_host::session::Command;

use super::*;

#[test]
fn a_budget_that_refuses_is_said_at_once_and_the_victim_is_marked_once() {
    let server = Server::of(pod()).then("evict", &[Fault::Budget, Fault::Budget, Fault::Refused(429)]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (_keep, cancelled) = watch::channel(false);
    let said = std::sync::Mutex::new(Vec::new());
    let blocked = |why: &str| said.lock().unwrap().push(why.to_owned());
    let done = runtime.block_on(carry_out(&server, &evict(true), TaskContext::default(), BACKOFF, cancelled, blocked));
    assert_eq!(done.outcome, CommandOutcome::Accepted);
    assert_eq!(*said.lock().unwrap(), ["PodDisruptionBudget `low` allows 0 disruptions"]);
    // The object may have changed in each pause.
    assert_eq!(server.log(), ["patch", "evict", "get", "evict", "get", "evict", "get", "evict"]);
}

#[test]
fn a_victim_whose_eviction_is_given_up_is_not_marked_any_more() {
    let marks = vec![lictor_contract::Mark {
        place: lictor_contract::MarkPlace::Label,
        key: "soft".to_owned(),
        value: "true".to_owned(),
    }];
    let evict = command(CommandAction::Evict { delete: true, marks, plan: 3 });
    let server = Server::of(pod()).then("evict", &[Fault::Refused(403)]);
    let done = done(&server, &evict, None);
    let refused = CommandOutcome::Refused { reason: "refused with 403".to_owned(), until: 0, budget: false };
    assert_eq!(done.outcome, refused);
    let pod = server.pod();
    assert_eq!((pod["metadata"]["annotations"].get(EVICTED_FOR), pod["metadata"]["labels"].get("soft")), (None, None));
    assert_eq!(done.object, Some(pod), "the session sees it without the marks");
}

/// Checks an eviction by a process that deletes its victims, while another one, which has lost the lead without notice and only marks them, has marked
/// the same victim.
#[test]
fn the_mark_of_another_process_goes_with_that_of_the_eviction_that_is_given_up() {
    let mark = |value: &str| lictor_contract::Mark {
        place: lictor_contract::MarkPlace::Label,
        key: "soft".to_owned(),
        value: value.to_owned(),
    };
    let mut victim = pod();
    victim["metadata"]["labels"] = json!({"soft": "true"});
    let server = Server::of(victim).then("evict", &[Fault::Refused(403)]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (_keep, cancelled) = watch::channel(false);
    let context = TaskContext { leaving_marks: vec![mark("")], ..TaskContext::default() };
    runtime.block_on(carry_out(&server, &evict(true), context, BACKOFF, cancelled, |_| {}));
    let pod = server.pod();
    assert_eq!((pod["metadata"]["annotations"].get(EVICTED_FOR), pod["metadata"]["labels"].get("soft")), (None, None));
}

#[test]
fn a_path_that_is_not_served_is_no_eviction() {
    let server = Server::of(pod()).then("evict", &[Fault::Unserved, Fault::Unserved]);
    assert_eq!(done(&server, &evict(true), None).outcome, CommandOutcome::Accepted);
    assert_eq!(server.evictions(), 1);
}

#[test]
fn a_task_that_panics_frees_its_object_for_the_next() {
    let server = Server::of(pod()).then("evict", &[Fault::Panic]);
    let second =
        ExecutorTask::Command(Command { id: 2, object: object("1"), action: CommandAction::Nominate { node: None } });
    let finished = executed(&server, &[evict(true), second], 2, |_| {});
    assert!(failed(&finished[0].done).contains("broke"));
    assert_eq!((finished[1].task.command(), &finished[1].done.outcome), (Some(2), &CommandOutcome::Done));
}

#[test]
fn what_may_be_done_is_not_done_again_before_the_object_was_looked_at() {
    let server = Server::of(pod()).then("evict", &[Fault::Lost]).then("get", &[Fault::Refused(500); 2]);
    assert_eq!(done(&server, &evict(true), None).outcome, CommandOutcome::Done);
    assert_eq!((server.log(), server.evictions()), (vec!["patch", "evict", "get", "get", "get"], 1));
}

#[test]
fn an_object_that_is_gone_is_said_to_be_gone_and_another_of_its_name_is_shown() {
    let server = Server::of(pod()).then("patch", &[Fault::Refused(404)]);
    let gone = done(&server, &bind(), Some(pod()));
    assert_eq!((failed(&gone), gone.is_deleted), ("it is gone", true));
    let mut open = pod();
    open["spec"]["schedulingGates"] = json!([]);
    let taken = done(&Server::of(open.clone()), &bind(), Some(open.clone()));
    assert_eq!((taken.is_deleted, taken.object), (false, Some(open)), "the session is to know why it cannot be done");
}

#[test]
fn the_eviction_of_a_marked_victim_that_a_budget_forbids_ends_when_the_mark_is_taken_off() {
    let server = Server::of(pod()).then("evict", &[Fault::Budget; 10_000]);
    let tasks = [ExecutorTask::Evict(object("1")), ExecutorTask::Unmark(object("1"), Vec::new())];
    let finished = executed(&server, &tasks, 2, |_| {});
    assert_eq!(finished.iter().map(|it| it.task.word()).collect::<Vec<_>>(), ["evict", "unmark"]);
    assert_eq!((server.evictions(), server.log().last()), (0, Some(&"patch")));
}
