//! Volcano's laws, each where it bites and where it spares.

use serde_json::json;

use super::*;
use crate::laws::gate::*;
use crate::laws::guard::*;
use crate::laws::limit::*;
use crate::testing::{PodBuilder, object, pod};

/// Creates a node of 64 cores, and three queues: `q` deserves 4 cores and is guaranteed 2, `r` deserves none, `s` may use 3.
fn world() -> PolicyHarness {
    let mut world = PolicyHarness::of("volcano", "");
    world.node("n", "cpu=64 gpu=8");
    let guarantee = json!({"resource": {"cpu": "2"}});
    for (name, spec) in [
        ("q", json!({"deserved": {"cpu": "4"}, "guarantee": guarantee})),
        ("r", json!({})),
        ("s", json!({"capability": {"cpu": "3"}, "reclaimable": false})),
    ] {
        world.object(object("Queue", &format!("/{name}"), [&[], &[]], json!({ "spec": spec })));
    }
    world
}

fn group(world: &mut PolicyHarness, name: &str, queue: &str, minimum: u32, elastic: bool) {
    let annotations = [("volcano.sh/elastic-train", if elastic { "true" } else { "false" })];
    let spec = json!({"spec": {"queue": queue, "minMember": minimum}});
    world.object(object("PodGroup", &format!("default/{name}"), [&[], &annotations], spec));
}

fn member(name: &str, group: &str, cores: u32) -> PodBuilder {
    pod(name).requests(&format!("cpu={cores}")).annotation("scheduling.k8s.io/group-name", group)
}

/// Creates a group `g` of queue `r` with the waiting pod `a`, and a group `v` of this queue with running pods `v0`, `v1`, ... of these sizes.
fn running(queue: &str, minimum: u32, cores: &[u32]) -> PolicyHarness {
    let mut world = world();
    group(&mut world, "g", "r", 1, false);
    group(&mut world, "v", queue, minimum, false);
    world.pod(member("a", "g", 1));
    for (at, cores) in cores.iter().enumerate() {
        world.pod(member(&format!("v{at}"), "v", *cores).on("n"));
    }
    world
}

#[test]
fn a_queue_gives_only_what_is_above_its_due() {
    let law = normal_victim_queue_is_above_deserved::LAW.function;
    assert!(verdict(&mut running("q", 0, &[4]), law, "a", "v0").is_err(), "4 of 4 are its due");
    assert_eq!(verdict(&mut running("q", 0, &[4, 1]), law, "a", "v1"), Ok(()), "5 of 4");
    assert_eq!(verdict(&mut running("r", 0, &[1]), law, "a", "v0"), Ok(()), "it deserves nothing of what it holds");
}

#[test]
fn a_guarantee_is_left() {
    let law = normal_victim_leaves_guarantee::LAW.function;
    assert!(verdict(&mut running("q", 0, &[6]), law, "a", "v0").is_err(), "0 would be left of 2");
    assert_eq!(verdict(&mut running("q", 0, &[6, 2]), law, "a", "v0"), Ok(()), "2 would be left of 2");
    assert!(verdict(&mut running("q", 0, &[6, 1]), law, "a", "v0").is_err(), "1 would be left of 2");
}

#[test]
fn a_gang_spares_what_is_above_its_minimum_and_what_is_left_of_a_broken_one() {
    let law = victim_is_above_gang_minimum::LAW.function;
    for (minimum, pods, spares) in [(2, 3, true), (3, 3, false), (4, 3, true), (0, 1, true), (1, 1, false)] {
        let said = verdict(&mut running("q", minimum, &vec![1; pods]), law, "a", "v0");
        assert_eq!(said.is_ok(), spares, "{pods} of {minimum}");
    }
}

#[test]
fn a_queue_that_is_not_reclaimable_gives_nothing_to_others() {
    assert!(verdict(&mut running("s", 0, &[1]), victim_queue_is_reclaimable::LAW.function, "a", "v0").is_err());
    assert_eq!(verdict(&mut running("q", 0, &[1]), victim_queue_is_reclaimable::LAW.function, "a", "v0"), Ok(()));
}

#[test]
fn normal_pods_are_taken_from_other_queues_and_preempted_within_one() {
    for (queue, across, within) in [("q", true, false), ("r", false, true)] {
        let mut world = running(queue, 0, &[1]);
        let said = verdict(&mut world, normal_victim_is_of_another_queue::LAW.function, "a", "v0");
        assert_eq!(said.is_ok(), across, "{queue}");
        let said = verdict(&mut world, victim_is_of_the_same_queue::LAW.function, "a", "v0");
        assert_eq!(said.is_ok(), within, "{queue}");
    }
}

#[test]
fn who_holds_nothing_of_what_is_asked_for_stays() {
    let mut world = running("q", 0, &[1]);
    world.pod(member("w", "v", 1).requests("gpu=1").on("n"));
    assert_eq!(verdict(&mut world, victim_frees_what_is_asked::LAW.function, "a", "v0"), Ok(()));
    assert!(verdict(&mut world, victim_frees_what_is_asked::LAW.function, "a", "w").is_err());
}

#[test]
fn a_preemptor_that_requests_nothing_evicts_only_its_like() {
    let law = best_effort_preempts_best_effort::LAW.function;
    for (asks, victim, allowed) in [("", "", true), ("", "cpu=1", false), ("cpu=1", "", true), ("cpu=1", "cpu=1", true)]
    {
        let mut world = running("q", 0, &[]);
        world.pod(member("a", "g", 1).requests(asks));
        world.pod(member("v", "v", 1).requests(victim).on("n"));
        assert_eq!(verdict(&mut world, law, "a", "v").is_ok(), allowed, "{asks:?} for {victim:?}");
    }
}

/// Creates a tree of queues. `p` deserves 4 cores, and its leaves `a` and `b` nothing. `o` and its leaf `c` deserve nothing. `level` is the number of
/// watched ancestors.
fn tree(level: u32) -> PolicyHarness {
    let mut world =
        PolicyHarness::of("volcano", &json!({"enableHierarchy": true, "ancestorReclaimLevel": level}).to_string());
    world.node("n", "cpu=64");
    for (name, parent, deserved) in [
        ("root", "", json!({})),
        ("p", "root", json!({"cpu": "4"})),
        ("a", "p", json!({})),
        ("b", "p", json!({})),
        ("o", "root", json!({})),
        ("c", "o", json!({})),
    ] {
        let spec = json!({"spec": {"parent": parent, "deserved": deserved}});
        world.object(object("Queue", &format!("/{name}"), [&[], &[]], spec));
    }
    for (name, queue) in [("g", "a"), ("h", "b"), ("i", "c")] {
        group(&mut world, name, queue, 0, false);
    }
    world
}

#[test]
fn a_leaf_claims_what_its_watched_ancestor_deserves() {
    let law = reclaimer_stays_within_deserved::LAW.function;
    for (level, used, holds) in [(0, 1, false), (1, 3, true), (1, 4, false), (2, 3, true)] {
        let mut world = tree(level);
        world.pod(member("u", "h", used).on("n"));
        world.pod(member("x", "g", 1));
        assert_eq!(admission(&mut world, "x", law).is_ok(), holds, "level {level}, {used} of 4 in use");
    }
}

#[test]
fn a_claim_of_an_ancestor_takes_nothing_from_below_it() {
    let law = normal_victim_is_outside_the_claim::LAW.function;
    let mut world = tree(1);
    world.pod(member("inside", "h", 1).on("n"));
    world.pod(member("outside", "i", 1).on("n"));
    world.pod(member("x", "g", 1));
    assert!(verdict(&mut world, law, "x", "inside").is_err());
    assert_eq!(verdict(&mut world, law, "x", "outside"), Ok(()));
}

#[test]
fn a_pod_is_free_at_exactly_the_end_of_its_cooldown() {
    for (now, free) in [(9_999_999_999, false), (10_000_000_000, true)] {
        let mut world = running("q", 0, &[]);
        let protected = member("v", "v", 1).on("n").annotation("volcano.sh/cooldown-time", "10s");
        world.pod(protected.with(|pod| pod.scheduled = Some(0)));
        world.apply(vec![crate::contract::Event::Clock(now)]);
        assert_eq!(verdict(&mut world, victim_is_past_its_cooldown::LAW.function, "a", "v").is_ok(), free, "{now}");
    }
}

#[test]
fn system_pods_and_those_that_opted_out_stay() {
    let mut world = running("q", 0, &[]);
    world.pod(
        member("v", "v", 1).on("n").with(|pod| pod.template_mut().priority_class = "system-node-critical".to_owned()),
    );
    world.pod(pod("kube-system/k").requests("cpu=1").on("n"));
    world.pod(member("o", "v", 1).on("n").label("volcano.sh/preemptable", "false"));
    for (name, system, opted_out) in [("v", true, false), ("kube-system/k", true, false), ("o", false, true)] {
        assert_eq!(verdict(&mut world, victim_is_no_system_pod::LAW.function, "a", name).is_err(), system, "{name}");
        assert_eq!(verdict(&mut world, victim_did_not_opt_out::LAW.function, "a", name).is_err(), opted_out, "{name}");
    }
}

#[test]
fn capability_and_deserved_hold_to_the_last_core() {
    for (queue, cores, law, holds) in [
        ("s", 3, queue_fits_capability::LAW.function as Law, true),
        ("s", 4, queue_fits_capability::LAW.function, false),
        ("q", 4, normal_pods_fit_deserved::LAW.function, true),
        ("q", 5, normal_pods_fit_deserved::LAW.function, false),
        ("r", 60, normal_pods_fit_deserved::LAW.function, true),
        ("q", 4, reclaimer_stays_within_deserved::LAW.function, true),
        ("q", 5, reclaimer_stays_within_deserved::LAW.function, false),
        ("r", 1, reclaimer_stays_within_deserved::LAW.function, false),
    ] {
        let mut world = world();
        group(&mut world, "g", queue, 1, false);
        world.pod(member("a", "g", cores));
        assert_eq!(admission(&mut world, "a", law).is_ok(), holds, "{cores} cores in {queue}");
    }
}

#[test]
fn elastic_pods_are_not_held_to_what_is_deserved() {
    let mut world = world();
    group(&mut world, "g", "q", 1, true);
    world.pod(member("a", "g", 5).label("volcano.sh/elastic-train", "true"));
    assert_eq!(admission(&mut world, "a", normal_pods_fit_deserved::LAW.function), Ok(()));
    assert!(verdict(&mut running("q", 0, &[1]), victim_is_elastic::LAW.function, "a", "v0").is_err());
}

#[test]
fn a_gang_is_short_until_its_minimum_runs() {
    for (bound, short) in [(0, true), (1, true), (2, false), (3, false)] {
        let mut world = world();
        group(&mut world, "g", "q", 2, false);
        for at in 0..bound {
            world.pod(member(&format!("b{at}"), "g", 1).on("n"));
        }
        world.pod(member("a", "g", 1));
        assert_eq!(admission(&mut world, "a", gang_is_short::LAW.function).is_ok(), short, "{bound} of 2");
        assert_eq!(admission(&mut world, "a", gang_runs::LAW.function).is_err(), short, "{bound} of 2");
    }
}

#[test]
fn a_queue_must_be_there_and_open() {
    let mut world = world();
    let closed = json!({"spec": {}, "status": {"state": "Closing"}});
    world.object(object("Queue", "/closed", [&[], &[]], closed));
    for (queue, takes) in [("q", true), ("closed", false), ("nowhere", false), ("", true)] {
        group(&mut world, "g", queue, 1, false);
        world.pod(member("a", "g", 1));
        assert_eq!(admission(&mut world, "a", queue_takes_pods::LAW.function).is_ok(), takes, "`{queue}`");
    }
}

#[test]
fn a_job_may_grow_at_exactly_the_end_of_its_interval() {
    let mut world = world();
    let annotations = [("volcano.sh/elastic-train", "true"), ("volcano.sh/elastic-cooldown-time", "10s")];
    let spec = json!({"spec": {"queue": "q", "minMember": 1}});
    world.object(object("PodGroup", "default/g", [&[], &annotations], spec));
    world.pod(member("b", "g", 1).on("n"));
    world.pod(member("a", "g", 1).label("volcano.sh/elastic-train", "true"));
    assert_eq!(
        admission(&mut world, "a", scaling_interval_is_over::LAW.function),
        Ok(()),
        "the first growth need not wait"
    );
    let steps = std::iter::from_fn(|| Some(world.engine.act().unwrap())).take(3);
    assert_eq!(steps.map(|step| step.bindings.len()).sum::<usize>(), 1);
    for (now, over) in [(9_999_999_999, false), (10_000_000_000, true)] {
        world.apply(vec![crate::contract::Event::Clock(now)]);
        assert_eq!(admission(&mut world, "a", scaling_interval_is_over::LAW.function).is_ok(), over, "{now}");
    }
}

#[test]
fn roles_hold_a_gang_back() {
    let mut world = world();
    let spec = json!({"spec": {"queue": "q", "minMember": 2, "minTaskMember": {"ps": 1, "worker": 1}}});
    world.object(object("PodGroup", "default/g", [&[], &[]], spec));
    world.pod(member("a", "g", 1).label("volcano.sh/task-spec", "worker"));
    world.pod(member("b", "g", 1).label("volcano.sh/task-spec", "worker"));
    assert!(admission(&mut world, "a", gang_has_its_roles::LAW.function).is_err(), "two workers are no ps");
    world.pod(member("c", "g", 1).label("volcano.sh/task-spec", "ps"));
    assert_eq!(admission(&mut world, "a", gang_has_its_roles::LAW.function), Ok(()));
}

#[test]
fn the_priority_of_the_job_counts_not_that_of_the_pod() {
    for (low, lower) in [(9, true), (10, false), (11, false)] {
        let mut world = running("r", 0, &[]);
        for (name, value) in [("low", low), ("high", 10)] {
            world.object(object("PriorityClass", &format!("/{name}"), [&[], &[]], json!({ "value": value })));
        }
        for (name, class) in [("g", "high"), ("v", "low")] {
            let spec = json!({"spec": {"queue": "r", "minMember": 1, "priorityClassName": class}});
            world.object(object("PodGroup", &format!("default/{name}"), [&[], &[]], spec));
        }
        world.pod(member("v0", "v", 1).priority(1000).on("n"));
        assert_eq!(verdict(&mut world, victim_job_ranks_lower::LAW.function, "a", "v0").is_ok(), lower, "{low}");
    }
}
