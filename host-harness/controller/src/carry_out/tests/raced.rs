//! Victims that others evict or change between two requests of this process.

use tokio::time::Instant;

use super::*;

/// Carries out in the time of the test. Returns the end, and the seconds that were waited.
async fn carried_out(server: &Server, task: &ExecutorTask) -> (TaskOutcome, u64) {
    let (_keep, cancelled) = watch::channel(false);
    let (second, begun) = (Duration::from_secs(1), Instant::now());
    let backoff = Backoff { first: second, last: second };
    let done = carry_out(server, task, TaskContext::default(), backoff, cancelled, |_| {}).await;
    (done, begun.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn of_two_processes_that_have_marked_a_victim_one_evicts_it() {
    for (task, before) in [(evict(true), "patch"), (ExecutorTask::Evict(object("1")), "get")] {
        let server = Server::of(pod()).then("evict", &[Fault::Evicted]);
        assert_eq!(carried_out(&server, &task).await.0.outcome, CommandOutcome::Done);
        assert_eq!((server.log(), server.evictions()), (vec![before, "evict", "get"], 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_victim_that_has_changed_is_evicted_as_it_is_then_without_a_pause() {
    let server = Server::of(pod()).then("evict", &[Fault::Overtaken]);
    let (done, waited) = carried_out(&server, &evict(true)).await;
    assert_eq!((done.outcome, waited), (CommandOutcome::Accepted, 0));
    assert_eq!((server.log(), server.evictions()), (vec!["patch", "evict", "get", "evict"], 1));
}

#[tokio::test(start_paused = true)]
async fn a_victim_that_changes_all_the_time_is_asked_about_twice_between_two_pauses() {
    let server = Server::of(pod()).then("evict", &[Fault::Overtaken; 4]);
    let (done, waited) = carried_out(&server, &evict(true)).await;
    assert_eq!((done.outcome, waited), (CommandOutcome::Accepted, 2));
    let twice = ["evict", "get", "evict", "get"];
    // After a pause the pod is read anew.
    let all = [&["patch"], &twice[..], &["get"], &twice[..], &["get", "evict"]].concat();
    assert_eq!((server.log(), server.evictions()), (all, 1));
}

#[tokio::test(start_paused = true)]
async fn a_marked_victim_that_is_leaving_or_gone_is_not_evicted_once_more() {
    let server = Server::of(pod()).then("get", &[Fault::Evicted]);
    assert_eq!(carried_out(&server, &ExecutorTask::Evict(object("1"))).await.0.outcome, CommandOutcome::Done);
    assert_eq!((server.log(), server.evictions()), (vec!["get"], 1), "by the other one");
    let server = Server::of(pod());
    let (done, _) = carried_out(&server, &ExecutorTask::Evict(object("2"))).await;
    assert_eq!((done.outcome, done.is_deleted, server.evictions()), (CommandOutcome::Done, true, 0));
}
