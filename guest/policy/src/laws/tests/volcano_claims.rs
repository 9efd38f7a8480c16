//! Volcano's laws about what a queue may reclaim, and about what is kept free for others.

use serde_json::json;

use super::*;
use crate::laws::guard::*;
use crate::laws::limit::*;
use crate::testing::{PodBuilder, object, pod};

/// Creates a node of 10 cores, 10 of memory and 4 GPUs. `q` deserves 4 cores and 2 GPUs, `r` 4 cores and 1 GPU.
fn world() -> PolicyHarness {
    let mut world = PolicyHarness::of("volcano", "");
    world.node("n", "cpu=10 memory=10 gpu=4");
    for (name, cores, gpus) in [("q", "4", "2"), ("r", "4", "1")] {
        let spec = json!({"spec": {"deserved": {"cpu": cores, "gpu": gpus}}});
        world.object(object("Queue", &format!("/{name}"), [&[], &[]], spec));
    }
    for (name, queue) in [("g", "q"), ("h", "q"), ("v", "r"), ("w", "r")] {
        let spec = json!({"spec": {"queue": queue, "minMember": 1}});
        world.object(object("PodGroup", &format!("default/{name}"), [&[], &[]], spec));
    }
    world
}

fn member(name: &str, group: &str, asks: &str) -> PodBuilder {
    pod(name).requests(asks).annotation("scheduling.k8s.io/group-name", group)
}

/// Checks a guard where these resources are short.
fn short(world: &mut PolicyHarness, guard: Guard, names: &[&str], candidate: &str) -> Result<(), Denial> {
    let (asking, ix) = (world.id("a"), PodIx(world.id(candidate)));
    let cluster = world.engine.cluster();
    let short: Vec<ResourceIx> = names.iter().filter_map(|name| cluster.resource_named(name)).collect();
    world.engine.while_waiting(asking, |case| {
        let case = LawContext { short_resources: Some(&short), ..*case };
        guard(&case, ix, case.cluster.pod(ix).unwrap())
    })
}

#[test]
fn what_a_gang_takes_beyond_its_deserved_amounts_is_plentiful() {
    let law = reclaimer_stays_within_deserved::LAW.function;
    // `q` uses 4 of 4 cores, `a` requests one more and a GPU. 10 - 4 - `used` are free, and `r` waits with `waiting` cores.
    for (used, waiting, holds) in
        [(3, 0, true), (3, 1, true), (3, 3, true), (5, 0, true), (6, 0, false), (2, 4, true), (4, 1, true)]
    {
        let mut world = world();
        world.pod(member("b", "h", "cpu=4").on("n"));
        world.pod(member("v", "v", &format!("cpu={used}")).on("n"));
        world.pod(member("w", "w", &format!("cpu={waiting}")));
        world.pod(member("a", "g", "cpu=1 gpu=1"));
        assert_eq!(admission(&mut world, "a", law).is_ok(), holds, "{used} used, {waiting} waiting");
    }
    // `r` uses nothing and has pods for its 4 cores: 1 + 4 is more than the 4 that are free.
    let mut world = world();
    world.pod(member("b", "h", "cpu=6").on("n"));
    world.pod(member("w", "w", "cpu=4"));
    world.pod(member("a", "g", "cpu=1 gpu=1"));
    assert!(admission(&mut world, "a", law).is_err());
    world.pod(member("w", "w", "cpu=3"));
    assert_eq!(admission(&mut world, "a", law), Ok(()));
}

#[test]
fn a_resource_without_a_deserved_amount_is_neither_owed_nor_beyond() {
    let law = reclaimer_stays_within_deserved::LAW.function;
    for (asks, holds) in [("gpu=1 memory=10", true), ("memory=1", false), ("gpu=3 memory=1", false)] {
        let mut world = world();
        world.pod(member("a", "g", asks));
        assert_eq!(admission(&mut world, "a", law).is_ok(), holds, "{asks}");
    }
}

#[test]
fn only_what_is_short_and_owed_is_freed() {
    let law = victim_frees_what_is_owed::LAW.function;
    // `q` has an entitlement to the GPU; its cores are beyond what it deserves; it has no amount of memory.
    for (names, allowed) in [
        (&["gpu"] as &[&str], true),
        (&["cpu"], false),
        (&["cpu", "gpu"], false),
        (&["memory"], false),
        (&["gpu", "memory"], true),
        (&[], false),
    ] {
        let mut world = world();
        world.pod(member("b", "h", "cpu=4").on("n"));
        world.pod(member("v", "v", "cpu=1 gpu=2").on("n"));
        world.pod(member("a", "g", "cpu=1 gpu=1 memory=1"));
        assert_eq!(short(&mut world, law, names, "v").is_ok(), allowed, "{names:?}");
        assert_eq!(short(&mut world, law, names, "b"), Ok(()), "the own queue gives its elastic pods");
    }
}

#[test]
fn an_excess_counts_only_of_what_is_short() {
    let law = normal_victim_queue_is_above_deserved::LAW.function;
    // `r` uses 5 of 4 cores and 1 of 1 GPU.
    for (names, gives) in
        [(&["cpu"] as &[&str], true), (&["gpu"], false), (&["cpu", "gpu"], true), (&["memory"], false)]
    {
        let mut world = world();
        world.pod(member("v", "v", "cpu=5 gpu=1").on("n"));
        world.pod(member("a", "g", "cpu=1 gpu=1 memory=1"));
        assert_eq!(short(&mut world, law, names, "v").is_ok(), gives, "{names:?}");
    }
}

#[test]
fn all_queues_together_leave_a_guarantee_free() {
    let law = guarantees_are_left_free::LAW.function;
    // 10 cores, 3 of them guaranteed to `s`, which uses `own`. `r` uses `other`.
    for (other, own, asks, holds) in
        [(6, 0, 1, true), (6, 0, 2, false), (7, 0, 1, false), (4, 4, 2, true), (4, 4, 3, false), (0, 3, 7, true)]
    {
        let mut world = world();
        let spec = json!({"spec": {"guarantee": {"resource": {"cpu": "3"}}}});
        world.object(object("Queue", "/s", [&[], &[]], spec));
        let spec = json!({"spec": {"queue": "s", "minMember": 1}});
        world.object(object("PodGroup", "default/s", [&[], &[]], spec));
        world.pod(member("v", "v", &format!("cpu={other}")).on("n"));
        world.pod(member("s", "s", &format!("cpu={own}")).on("n"));
        world.pod(member("a", "g", &format!("cpu={asks}")));
        assert_eq!(admission(&mut world, "a", law).is_ok(), holds, "{other}, {own}, {asks}");
        world.pod(member("t", "s", "cpu=3"));
        assert_eq!(admission(&mut world, "t", law), Ok(()), "no other queue is guaranteed any");
    }
}

#[test]
fn a_pod_has_the_cooldown_time_of_its_job_unless_it_has_its_own() {
    for (own, now, free) in [(None, 9, false), (None, 10, true), (Some("5s"), 5, true), (Some("20s"), 10, false)] {
        let mut world = world();
        let annotations = [("volcano.sh/cooldown-time", "10s")];
        let spec = json!({"spec": {"queue": "r", "minMember": 1}});
        world.object(object("PodGroup", "default/v", [&[], &annotations], spec));
        let mut victim = member("v", "v", "cpu=1").on("n");
        if let Some(own) = own {
            victim = victim.annotation("volcano.sh/cooldown-time", own);
        }
        world.pod(victim.with(|pod| pod.scheduled = Some(0)));
        world.pod(member("a", "g", "cpu=1"));
        world.apply(vec![crate::contract::Event::Clock(now * 1_000_000_000)]);
        let said = verdict(&mut world, victim_is_past_its_cooldown::LAW.function, "a", "v");
        assert_eq!(said.is_ok(), free, "{own:?} at {now}s");
    }
}
