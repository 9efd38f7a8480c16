//! A process that begins while a victim of an earlier one has its grace.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::checkpoint::MemoryCheckpointStore;
use super::play::in_time;
use super::process::{Process, ProcessSettings};
use super::server::{ApiServerHandle, ApiServerState, pods};
use super::{system, world};
use crate::decide::RunMode;
use crate::run::inbox::LoopEvent;
use crate::view::text;

/// The grace of the victim, in seconds: longer than the time after which a plan in which nothing moves is given up.
const GRACE: u64 = 600;
/// How long nothing may move in a plan after the graces of what it waits for, in seconds.
const NO_PROGRESS: u64 = 300;
const HOW: ProcessSettings = ProcessSettings {
    system: "kubernetes",
    arguments: "",
    skew: 0,
    refused: 60,
    checkpoint: None,
    mode: RunMode::Enforce,
};

/// Creates a node, the pod `v` that fills it, and the pod `p` of higher priority that requests as much.
fn create(state: &mut ApiServerState) {
    world::begin(state, &system::named(HOW.system), 1);
    create_pods(state);
}

fn create_pods(state: &mut ApiServerState) {
    let system = system::named(HOW.system);
    for (name, important) in [("v", false), ("p", true)] {
        world::pod(state, &system, name, None, (8, important, false));
    }
    let started = state.time(state.now());
    state.change(&pods(), "default/v", |pod| {
        pod["spec"]["terminationGracePeriodSeconds"] = GRACE.into();
        pod["spec"]["nodeName"] = json!("n0");
        pod["spec"].as_object_mut().unwrap().remove("schedulingGates");
        pod["status"] = json!({"phase": "Running", "startTime": started});
    });
}

/// Lets this number of seconds pass. The watches of the process are late by at most one.
async fn pass(process: &mut Process, server: &ApiServerHandle, seconds: u64) {
    for _ in 0..seconds {
        let came = server.state().deliver_all(process.number);
        process.receive(came.into_iter().map(|(kind, seen)| LoopEvent::Watch(kind, seen)).collect());
        assert!(process.run_until(Instant::now() + Duration::from_secs(1)).await, "the loop spins");
    }
}

/// Returns the node that `p` is nominated to, whether `v` is being deleted, and the number of requests that have evicted a pod.
fn observed_state(server: &ApiServerHandle) -> (String, bool, u64) {
    let state = server.state();
    let pod = |name: &str| state.objects.get(&(pods(), format!("default/{name}"))).unwrap();
    let nominated = text(pod("p"), "/status/nominatedNodeName").to_owned();
    let leaves = !text(pod("v"), "/metadata/deletionTimestamp").is_empty();
    (nominated, leaves, state.observer.verbs.get("evict").copied().unwrap_or_default())
}

#[test]
fn a_process_that_begins_while_a_victim_has_its_grace_keeps_the_nomination_until_the_grace_has_ended_and_as_long_again()
{
    in_time(async {
        let server = ApiServerHandle::new(0);
        create(&mut server.state());
        let mut first = Process::start(&server, 1, &HOW);
        pass(&mut first, &server, 10).await;
        let waits = ("n0".to_owned(), true, 1);
        assert_eq!(observed_state(&server), waits, "p is nominated, and v is evicted for it");
        first.kill();
        let writes = server.state().observer.writes;
        let mut second = Process::start(&server, 2, &HOW);
        pass(&mut second, &server, GRACE + NO_PROGRESS - 1).await;
        assert_eq!((observed_state(&server), server.state().observer.writes), (waits, writes), "nothing is taken back");
        pass(&mut second, &server, 2).await;
        assert!(server.state().observer.writes > writes, "v has not left: the plan is given up");
    });
}

#[test]
fn a_process_that_does_not_know_that_another_one_leads_leaves_the_nominations_of_the_other_one_alone() {
    in_time(async {
        let (server, kept) = (ApiServerHandle::new(0), MemoryCheckpointStore::default());
        let how = ProcessSettings { checkpoint: Some(kept.clone()), ..HOW };
        world::begin(&mut server.state(), &system::named(HOW.system), 1);
        let mut first = Process::start(&server, 1, &how);
        pass(&mut first, &server, 2).await;
        server.state().depose(1);
        let mut second = Process::start(&server, 2, &how);
        pass(&mut second, &server, 2).await;
        // The watches of the first one are so late that `p` is nominated already when it comes.
        create_pods(&mut server.state());
        pass(&mut second, &server, 5).await;
        let waits = ("n0".to_owned(), true, 1);
        assert_eq!(observed_state(&server), waits, "p is nominated, and v is evicted for it");
        let writes = server.state().observer.writes;
        for _ in 0..30 {
            pass(&mut first, &server, 1).await;
            pass(&mut second, &server, 1).await;
        }
        assert_eq!((observed_state(&server), server.state().observer.writes), (waits, writes), "nothing is taken back");
    });
}

#[test]
fn a_process_that_only_says_what_it_would_do_neither_takes_a_checkpoint_over_nor_stores_one() {
    for mode in [RunMode::DryRun, RunMode::Observe, RunMode::Enforce] {
        in_time(async {
            let (server, kept) = (ApiServerHandle::new(0), MemoryCheckpointStore::default());
            create(&mut server.state());
            let how = ProcessSettings { checkpoint: Some(kept.clone()), mode, ..HOW };
            let mut process = Process::start(&server, 1, &how);
            pass(&mut process, &server, 5).await;
            process.end().await;
            assert_eq!(kept.writes() > 0, mode == RunMode::Enforce, "{mode:?}");
        });
    }
}

#[test]
fn a_checkpoint_that_is_stored_after_it_could_not_be_read_is_reported_and_so_is_its_next_failure() {
    in_time(async {
        let (server, kept) = (ApiServerHandle::new(0), MemoryCheckpointStore::default());
        create(&mut server.state());
        server.state().observer.story = Some(Vec::new());
        kept.fail_to_read();
        let how = ProcessSettings { checkpoint: Some(kept.clone()), mode: RunMode::Enforce, ..HOW };
        let mut process = Process::start(&server, 1, &how);
        pass(&mut process, &server, 5).await;
        kept.set_full(true);
        process.end().await;
        let story = server.state().observer.story.take().unwrap();
        let lines = story.iter().filter_map(|line| line.strip_prefix("process 1 checkpoint: "));
        assert_eq!(lines.collect::<Vec<_>>(), ["the disk is slow", "", "the disk is full"]);
    });
}
