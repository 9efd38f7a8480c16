//! Nominations that wait for another task of their pod while a later one comes.

use lictor_host::session::CommandId;

use super::*;

fn nominate(id: CommandId, node: Option<&str>) -> ExecutorTask {
    ExecutorTask::Command(Command {
        id,
        object: object("1"),
        action: CommandAction::Nominate { node: node.map(str::to_owned) },
    })
}

/// Returns a server whose first request is refused for now, so that later tasks of the pod wait.
fn busy() -> Server {
    Server::of(pod()).then("patch status", &[Fault::Refused(429), Fault::Refused(429)])
}

fn ids(finished: &[FinishedTask]) -> Vec<Option<CommandId>> {
    finished.iter().map(|it| it.task.command()).collect()
}

#[test]
fn of_the_nominations_that_wait_only_the_last_is_written_and_the_others_end_with_it() {
    let server = busy();
    let tasks = [
        nominate(1, Some("n1")),
        nominate(2, Some("n2")),
        nominate(3, None),
        ExecutorTask::Withdraw(object("1")),
        nominate(4, Some("n3")),
    ];
    let finished = executed(&server, &tasks, 5, |_| {});
    assert_eq!(ids(&finished), [Some(1), Some(4), Some(2), Some(3), None]);
    assert!(finished.iter().all(|it| it.done.outcome == CommandOutcome::Done), "{finished:?}");
    // The log: two refusals, the first nomination, and the last.
    assert_eq!(server.log(), ["patch status"; 4]);
    assert_eq!(server.pod()["status"]["nominatedNodeName"], "n3");
}

#[test]
fn a_nomination_that_is_taken_back_before_it_is_written_has_failed() {
    for withdraw in [nominate(3, None), ExecutorTask::Withdraw(object("1"))] {
        let server = busy();
        let tasks = [nominate(1, Some("n1")), nominate(2, Some("n2")), withdraw];
        let finished = executed(&server, &tasks, 3, |_| {});
        assert_eq!(finished[1].done.outcome, CommandOutcome::Done);
        assert_eq!(finished[2].task.command(), Some(2));
        assert_eq!(failed(&finished[2].done), "the nomination was taken back before it was written");
        assert_eq!(server.log(), ["patch status"; 4]);
    }
}

#[test]
fn a_nomination_that_is_superseded_fails_where_the_last_one_is_refused() {
    let server = Server::of(pod()).then("evict", &[Fault::Refused(429)]).then("patch status", &[Fault::Refused(403)]);
    let tasks = [evict(true), nominate(2, Some("n2")), nominate(3, None), nominate(4, Some("n3"))];
    let finished = executed(&server, &tasks, 4, |_| {});
    assert_eq!(ids(&finished), [1, 4, 2, 3].map(Some));
    for it in &finished[2..] {
        // The refusal of the last one counts once.
        assert_eq!(it.done.outcome, CommandOutcome::Failed("refused with 403".to_owned()));
    }
}

#[test]
fn a_nomination_that_is_superseded_is_given_up_alone_and_with_the_last_one() {
    let server = Server::of(pod()).then("evict", &[Fault::Refused(429); 10_000]);
    let tasks = [evict(true), nominate(2, Some("n2")), nominate(3, None), nominate(4, Some("n3"))];
    let finished = executed(&server, &tasks, 4, |executor| {
        executor
            .submit(TaskRequest { task: ExecutorTask::Confirm(3, object("1"), None), context: TaskContext::default() });
        [4, 1].into_iter().for_each(|id| executor.cancel(id));
    });
    assert_eq!(ids(&finished), [3, 2, 4, 1].map(Some));
    for it in &finished[..3] {
        assert_eq!(failed(&it.done), "it was given up before it was begun");
    }
}

#[test]
fn no_nomination_is_superseded_past_an_eviction_or_a_binding_of_its_pod() {
    let evict = CommandAction::Evict { delete: false, marks: Vec::new(), plan: 3 };
    let bind = CommandAction::Bind { node: "n2".to_owned(), marks: Vec::new() };
    for between in [evict, bind] {
        let between = ExecutorTask::Command(Command { id: 3, object: object("1"), action: between });
        let tasks = [nominate(1, Some("n1")), nominate(2, Some("n2")), between, nominate(4, None)];
        let finished = executed(&busy(), &tasks, 4, |_| {});
        assert_eq!(ids(&finished), [1, 2, 3, 4].map(Some));
        assert!(finished.iter().all(|it| it.done.outcome == CommandOutcome::Done), "{finished:?}");
    }
}
