//! A victim that the host refused is not planned again, whatever the search.

use serde_json::json;

use crate::contract::{NotedPods, PodId, Refuted};
use crate::testing::{PodBuilder, PolicyHarness, object, pod};

/// Creates full nodes `x` and `y` with a pod on each, and the pod `p` that may evict either.
fn world(system: &str) -> PolicyHarness {
    let mut world = PolicyHarness::of(system, "");
    world.engine.record_notes(&NotedPods::All);
    world.node("x", "cpu=1");
    world.node("y", "cpu=1");
    for (queue, cores) in [("mine", "2"), ("theirs", "1")].into_iter().filter(|_| system == "volcano") {
        let spec = json!({"spec": {"deserved": {"cpu": cores}, "capability": {"cpu": "2"}}});
        world.object(object("Queue", &format!("/{queue}"), [&[], &[]], spec));
    }
    let member = |world: &mut PolicyHarness, name: &str, queue: &str| -> PodBuilder {
        let draft = pod(name).requests("cpu=1");
        if system != "volcano" {
            return draft;
        }
        let spec = json!({"spec": {"queue": queue, "minMember": 1}});
        world.object(object("PodGroup", &format!("default/{name}"), [&[], &[]], spec));
        draft.annotation("scheduling.k8s.io/group-name", name)
    };
    for (name, node) in [("v", "x"), ("w", "y")] {
        let draft = member(&mut world, name, "theirs");
        world.pod(draft.on(node));
    }
    let draft = member(&mut world, "p", "mine");
    world.pod(draft.priority(2));
    world
}

/// Returns the victims of a plan for `p` after the host refused these. `None`: there is no plan.
fn victims(world: &mut PolicyHarness, refused: &[PodId]) -> Option<Vec<PodId>> {
    let p = world.id("p");
    world.engine.pre_filter(p).unwrap();
    let refuted = Refuted { victims: refused.to_vec(), ..Refuted::default() };
    let plan = world.engine.post_filter(&[p], &refuted).unwrap().plan?;
    Some(plan.victims.into_iter().map(|victim| victim.pod).collect())
}

#[test]
fn another_victim_is_found_as_long_as_there_is_one() {
    for system in ["koordinator", "kubernetes", "coscheduling", "volcano"] {
        let mut world = world(system);
        let both = [world.id("v"), world.id("w")];
        let first = victims(&mut world, &[]).unwrap();
        assert!(first.len() == 1 && both.contains(&first[0]), "{system}: {first:?}");
        let other: Vec<PodId> = both.into_iter().filter(|pod| *pod != first[0]).collect();
        assert_eq!(victims(&mut world, &first), Some(other), "{system}");
        assert_eq!(victims(&mut world, &both), None, "{system}");
        assert_eq!(victims(&mut world, &[99]), Some(first), "{system}: that was another pod");
    }
}

#[test]
fn it_is_said_that_the_host_refused_the_victim() {
    for system in ["koordinator", "kubernetes", "coscheduling", "volcano"] {
        let mut world = world(system);
        let v = world.id("v");
        assert!(victims(&mut world, &[v]).is_some());
        crate::testing::assert_trace(&world.trace_lines("p"), &["v Spared refused-as-victim: "]);
    }
}
