//! What is noted in a cycle of the laws' own.

use crate::contract::NotedPods;
use serde_json::json;

use crate::testing::{PodBuilder, PolicyHarness, assert_trace, object, pod};

/// Creates a node `n` of 4 cores, a queue `mine` that deserves 4, and a queue `theirs` that deserves 1.
fn world() -> PolicyHarness {
    let mut world = PolicyHarness::of("volcano", "");
    world.node("n", "cpu=4");
    for (queue, cores) in [("mine", "4"), ("theirs", "1")] {
        let spec = json!({"spec": {"deserved": {"cpu": cores}, "capability": {"cpu": "4"}}});
        world.object(object("Queue", &format!("/{queue}"), [&[], &[]], spec));
    }
    world
}

fn gang(world: &mut PolicyHarness, name: &str, queue: &str, minimum: u32) {
    let spec = json!({"spec": {"queue": queue, "minMember": minimum}});
    world.object(object("PodGroup", &format!("default/{name}"), [&[], &[]], spec));
}

fn member(name: &str, gang: &str) -> PodBuilder {
    pod(name).annotation("scheduling.k8s.io/group-name", gang).requests("cpu=2")
}

/// Runs a whole cycle and returns the notes on a pod.
fn acted(world: &mut PolicyHarness, preemptor: &str) -> Vec<String> {
    world.engine.record_notes(&NotedPods::All);
    while world.engine.act().unwrap().more {}
    world.trace_lines(preemptor)
}

#[test]
fn a_gang_is_told_what_the_nodes_lack_and_whom_it_takes_the_room_from() {
    let mut world = world();
    gang(&mut world, "old", "theirs", 1);
    gang(&mut world, "new", "mine", 2);
    world.pod(member("old-0", "old").on("n"));
    world.pod(member("old-1", "old").on("n"));
    world.pod(member("new-0", "new"));
    world.pod(member("new-1", "new"));
    let said = acted(&mut world, "new-1");
    // Nothing is idle. Both pods of `old` must be evicted for the two of `new`, and as a gang: one pod is its minimum.
    assert_trace(
        &said,
        &["n Barred has-room: requested cpu 2, free cpu 0", "n Chosen node-chosen: victims 2, priority 0, pods 2"],
    );
    for victim in ["old-0", "old-1"] {
        let line = format!("{victim} Needed needed: requested cpu 4, free cpu 2");
        assert_trace(&said, &[&line]);
    }
    assert_eq!(said, world.trace_lines("new-0"), "what is noted is about the job");
}

#[test]
fn a_gang_that_finds_no_way_is_told_who_was_spared_and_would_have_been_enough() {
    let mut world = world();
    gang(&mut world, "old", "theirs", 1);
    gang(&mut world, "new", "mine", 1);
    world.pod(member("old-0", "old").annotation("volcano.sh/preemptable", "false").on("n"));
    world.pod(member("old-1", "old").annotation("volcano.sh/preemptable", "false").on("n"));
    world.pod(member("new-0", "new"));
    let said = acted(&mut world, "new-0");
    let barred = "n Barred node-lacks-room: requested cpu 2, free cpu 0, candidates 0";
    assert_trace(&said, &[barred]);
    let spared =
        |name: &str| said.iter().any(|said| said.starts_with(&format!("{name} Spared victim-did-not-opt-out: ")));
    assert!(spared("old-0") && spared("old-1"), "{said:#?}");
    let enough = said.iter().filter(|said| said.contains(" Enough victim-did-not-opt-out: ")).count();
    assert_eq!(enough, 1, "one of the two would have been enough: {said:#?}");
}

#[test]
fn a_queue_at_its_capability_is_named_with_both_sides() {
    let mut world = world();
    gang(&mut world, "old", "mine", 1);
    gang(&mut world, "new", "mine", 1);
    world.node("m", "cpu=4");
    world.pod(member("old-0", "old").on("n"));
    world.pod(member("old-1", "old").on("n"));
    world.pod(member("new-0", "new"));
    let said = acted(&mut world, "new-0");
    let line = said.iter().find(|line| line.starts_with("queue mine Barred queue-fits-capability: ")).unwrap();
    for number in ["4", "2"] {
        assert!(line.contains(number), "{line}");
    }
}

#[test]
fn a_new_cycle_begins_anew() {
    let mut world = world();
    gang(&mut world, "new", "mine", 1);
    world.pod(pod("new-0").annotation("scheduling.k8s.io/group-name", "new").requests("cpu=9"));
    let first = acted(&mut world, "new-0");
    assert!(!first.is_empty());
    while world.engine.act().unwrap().more {}
    assert_eq!(world.trace_lines("new-0"), first);
}
