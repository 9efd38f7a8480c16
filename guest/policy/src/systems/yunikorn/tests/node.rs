//! Nodes: free capacity, eviction sets, nominations, and the required node of a DaemonSet's pod.

use super::{Scene, daemon, of, of_app};
use crate::contract::{Event, Phase};
use crate::testing::PodBuilder;

const PROD: &str = "
- {name: prod, resources: {guaranteed: {vcore: 4}}}
- {name: test}";

#[test]
fn free_capacity_counts_and_no_pod_is_evicted_without_need() {
    let pods = ["a", "b", "c"].map(|name| of(name, "root.test", 1).on("n"));
    let mut scene = Scene::new(PROD).nodes(&[("n", 5)]).pods(pods).pods([of("p", "root.prod", 4)]).after(30);
    // 2 are free, 4 are requested: two pods of 1.
    assert_eq!(scene.victims("p").unwrap().len(), 2);
}

#[test]
fn where_the_greedy_eviction_set_breaks_a_guarantee_another_one_is_found() {
    // Law 2 allows evicting 3 from queue `a` and 2 from `b`. The greedy order takes the least important pod a1 (2) first and then lacks 1.
    let queues = "
- {name: prod, resources: {guaranteed: {vcore: 9}}}
- {name: a, resources: {guaranteed: {vcore: 2}}}
- {name: b, resources: {guaranteed: {vcore: 1}}}";
    let pods = [
        of("a1", "root.a", 2).on("n").priority(-3),
        of("a2", "root.a", 3).on("n").priority(-1),
        of("b1", "root.b", 3).on("n").priority(-2),
        of("p", "root.prod", 3),
    ];
    // `a` uses 5 and may lose 3: a1 or a2, not both. `b` uses 3 and may lose 2: no pod, as b1 has 3.
    let mut scene = Scene::new(queues).nodes(&[("n", 8)]).pods(pods).after(30);
    assert_eq!(scene.victims("p"), Ok(vec!["a2".to_owned()]));
}

#[test]
fn room_of_terminating_pods_needs_no_eviction() {
    let leaving = of("a", "root.test", 2).on("n").with(|pod| pod.terminating = true);
    let pods = [leaving, of("b", "root.test", 2).on("n"), of("p", "root.prod", 2)];
    let mut scene = Scene::new(PROD).nodes(&[("n", 4)]).pods(pods).after(30);
    assert_eq!(scene.victims("p"), Err("engine/room-is-coming".to_owned()));
    let why = crate::testing::render_reason(&scene.0.post_filter("p").reason);
    assert_eq!(why, "node #0");
}

#[test]
fn originators_are_not_evicted_where_other_pods_suffice() {
    // The `d` pods are the originators; the nodes do not differ otherwise.
    let pods = [
        of_app("d1", "one", "root.test", 2).on("n"),
        of_app("d2", "two", "root.test", 2).on("m"),
        of_app("e2", "two", "root.test", 2).on("m").with(|pod| pod.created = 5),
        of("p", "root.prod", 2),
    ];
    let mut scene = Scene::new(PROD).nodes(&[("n", 2), ("m", 4)]).pods(pods).after(30);
    assert_eq!(scene.victims("p"), Ok(vec!["e2".to_owned()]));
    scene.0.remove_pod("e2");
    let mut scene = scene.pods([of("f", "root.prod", 2).on("m")]);
    assert_eq!(scene.victims("p").unwrap().len(), 1, "originators may be evicted if no other pod suffices");
}

#[test]
fn nominated_room_is_reserved_against_pods_of_any_priority() {
    let pods =
        [of("p", "root.prod", 2).nominated("n"), of("t", "root.test", 1).priority(1000), of("u", "root.test", 2)];
    let mut scene = Scene::new(PROD).nodes(&[("n", 3)]).pods(pods);
    assert!(scene.takes("n", "t"));
    assert!(!scene.takes("n", "u"));
    assert!(scene.takes("n", "p"));
    let mut scene = scene.pods([of("t", "root.test", 2).priority(1000)]);
    assert!(!scene.takes("n", "t"));
}

#[test]
fn a_pod_of_another_scheduler_is_ignored() {
    let foreign = |name: &str| of(name, "root.test", 2).with(|pod| pod.template_mut().foreign = true);
    let pods = [foreign("f").on("n"), foreign("g"), of("p", "root.prod", 2)];
    let mut scene = Scene::new(PROD).nodes(&[("n", 2)]).pods(pods).after(30);
    assert_eq!(scene.refused("g"), Some(("yunikorn/queue-is-known".to_owned(), true)));
    assert_eq!(scene.denied_by("p", "f"), Some("yunikorn/victim-has-a-queue".to_owned()));
    assert!(scene.0.account("root.prod").pending.iter().any(|amount| amount.value == 2000));
    assert!(scene.0.engine.queues().unwrap().iter().all(|queue| queue.name != "root.test" || queue.used.is_empty()));
}

#[test]
fn a_daemon_set_pod_preempts_without_guarantee_or_delay_and_across_a_fence() {
    let queues = "
- {name: agents, properties: {preemption.policy: fence}}
- {name: test, resources: {guaranteed: {vcore: 4}}, properties: {preemption.policy: disabled}}";
    let pods = [
        of("b", "root.test", 2).on("n"),
        of("high", "root.test", 1).on("n").priority(9),
        of("d", "root.test", 1).on("n").with(|pod| {
            pod.template_mut().owner =
                Some(super::Owner { kind: "DaemonSet".to_owned(), name: "d".to_owned(), uid: "d".to_owned() })
        }),
        daemon("a", "root.agents", 2, ("n", 0)).priority(8),
        daemon("big", "root.agents", 3, ("n", 0)).priority(8),
    ];
    let mut scene = Scene::new(queues).nodes(&[("n", 4), ("m", 4)]).pods(pods);
    assert_eq!(scene.victims("a"), Ok(vec!["b".to_owned()]));
    assert!(scene.victims("big").is_err());
    assert_eq!(scene.denied_by("big", "high"), Some("yunikorn/6".to_owned()));
    assert_eq!(scene.denied_by("big", "d"), Some("yunikorn/victim-is-of-no-daemon-set".to_owned()));
}

#[test]
fn law_3_applies_to_daemon_set_pods_as_well() {
    let own = super::label(daemon("a", "root.test", 2, ("n", 0)), super::keys::APPLICATION, "shared");
    let pods = [super::label(of("b", "root.test", 2), super::keys::APPLICATION, "shared").on("n"), own];
    let mut scene = Scene::new(PROD).nodes(&[("n", 2)]).pods(pods);
    assert_eq!(scene.denied_by("a", "b"), Some("yunikorn/3".to_owned()));
}

#[test]
fn a_daemon_set_pod_preempts_opted_out_pods_before_originators() {
    let opted = super::annotation(of_app("o", "one", "root.test", 2), super::keys::ALLOW_PREEMPTION, "false");
    let pods = [
        of_app("first", "one", "root.test", 2).on("n"),
        opted.on("n").with(|pod| pod.created = 7),
        of_app("r", "one", "root.test", 2).on("n").with(|pod| pod.created = 8),
        daemon("a", "root.agents", 2, ("n", 0)),
        daemon("b", "root.agents", 4, ("n", 0)),
    ];
    let mut scene = Scene::new(PROD).nodes(&[("n", 6)]).pods(pods);
    assert_eq!(scene.victims("a"), Ok(vec!["r".to_owned()]));
    assert_eq!(scene.victims("b"), Ok(vec!["o".to_owned(), "r".to_owned()]));
}

/// Creates a cluster where `p` has evicted pods on `n` and is nominated there. The pod `a` of a DaemonSet, with these cores and this priority, waits
/// for the node.
fn beside_a_nominated_pod(agent: u32, priority: i32) -> Scene {
    let pods = [
        of("b", "root.test", 3).on("n"),
        of("p", "root.prod", 1).nominated("n").priority(-1),
        of("s", "root.test", 1),
        daemon("a", "root.agents", agent, ("n", 0)).priority(priority),
    ];
    Scene::new(PROD).nodes(&[("n", 4)]).pods(pods)
}

#[test]
fn the_node_of_a_daemon_set_pod_is_reserved_and_the_room_of_a_nominated_pod_is_kept() {
    let mut scene = beside_a_nominated_pod(2, 0);
    let answer = scene.0.post_filter("a");
    assert!(answer.effects.withdrawn.is_empty());
    scene.0.apply(vec![Event::PlanAccepted(answer.plan.unwrap().id)]);
    let leaving = of("b", "root.test", 3).on("n").with(|pod| pod.terminating = true);
    let mut scene = scene.pods([leaving, daemon("a", "root.agents", 2, ("n", 0)).nominated("n")]);
    assert!(!scene.takes("n", "s"));
    scene.0.remove_pod("b");
    assert!(!scene.takes("n", "s"));
    assert!(scene.takes("n", "a") && scene.takes("n", "p"));
    let running = daemon("a", "root.agents", 2, ("n", 0)).on("n").with(|pod| pod.phase = Phase::Running);
    let mut scene = scene.pods([running]);
    assert!(scene.takes("n", "s"));
}

#[test]
fn a_daemon_set_pod_does_not_take_the_room_of_a_nominated_pod_whatever_the_priorities() {
    for priority in [-9, 0, 9] {
        // 4 are on the node: 1 is kept for `p`.
        let mut scene = beside_a_nominated_pod(4, priority);
        assert!(scene.victims("a").is_err(), "{priority}");
        assert!(scene.takes("n", "p") && !scene.takes("n", "a"), "{priority}");
    }
}

#[test]
fn no_pod_is_evicted_on_a_node_that_a_daemon_set_pod_will_hold() {
    // `high` stays, so `a` does not fit on `n` and holds the node. `small` fits together with `p`.
    let with = |agent: PodBuilder, high: i32| {
        let pods = [
            of("high", "root.test", 2).on("n").priority(high),
            of("low", "root.test", 2).on("n"),
            of("p", "root.prod", 2).priority(5),
            agent,
        ];
        Scene::new(PROD).nodes(&[("n", 4)]).pods(pods).after(30)
    };
    let agent = |cpu: u32| daemon("a", "root.agents", cpu, ("n", 0));
    assert_eq!(with(agent(4), 9).victims("p"), Err("engine/no-node".to_owned()));
    assert_eq!(with(agent(3), 0).victims("p"), Err("engine/no-node".to_owned()), "both have no room there");
    assert_eq!(with(agent(2), 0).victims("p").unwrap().len(), 1, "both have room there");
    // None of these will hold the node: too large for it, may not preempt, gated, no pod of a DaemonSet.
    let never = agent(4).with(|pod| pod.template_mut().never_preempts = true);
    let gated = agent(4).with(|pod| pod.gated = true);
    for (other, why) in [(agent(5), "large"), (never, "never"), (gated, "gated"), (of("a", "root.test", 4), "other")] {
        assert_eq!(with(other, 9).victims("p"), Ok(vec!["low".to_owned()]), "{why}");
    }
}

#[test]
fn a_node_is_not_kept_for_a_daemon_set_pod_that_can_no_longer_have_it() {
    let waiting = || {
        let pods = [
            of("high", "root.test", 3).on("n").priority(9),
            of("s", "root.test", 1),
            daemon("a", "root.agents", 2, ("n", 0)),
        ];
        let mut scene = Scene::new(PROD).nodes(&[("n", 4)]).pods(pods);
        assert!(scene.victims("a").is_err());
        assert!(!scene.takes("n", "s"), "the node is kept");
        scene
    };
    let gated = daemon("a", "root.agents", 2, ("n", 0)).with(|pod| pod.gated = true);
    assert!(waiting().pods([gated]).takes("n", "s"), "`a` is not tried any more");
    let large = daemon("a", "root.agents", 5, ("n", 0));
    assert!(waiting().pods([large]).takes("n", "s"), "`a` is larger than the node");
    let never = daemon("a", "root.agents", 2, ("n", 0)).with(|pod| pod.template_mut().never_preempts = true);
    let mut scene = waiting().pods([never]);
    assert!(scene.victims("a").is_err());
    assert!(scene.takes("n", "s"), "`a` may not preempt any more");
    // The pod of another DaemonSet stays as long as the node does.
    let other = daemon("d", "root.agents", 3, ("n", 0)).on("n");
    let mut scene = waiting();
    scene.0.remove_pod("high");
    assert!(scene.pods([other]).takes("n", "s"), "`d` leaves too little");
}

#[test]
fn room_that_becomes_free_on_the_node_of_a_pending_daemon_set_pod_is_reserved() {
    let pods = [
        of("high", "root.test", 3).on("n").priority(9),
        of("s", "root.test", 1),
        daemon("a", "root.agents", 2, ("n", 0)),
        daemon("huge", "root.agents", 5, ("m", 1)),
    ];
    let mut scene = Scene::new(PROD).nodes(&[("n", 4), ("m", 4)]).pods(pods);
    assert!(scene.takes("n", "s"), "the DaemonSet pod has not been tried yet");
    assert!(scene.victims("a").is_err());
    assert!(!scene.takes("n", "s"));
    assert!(scene.victims("huge").is_err());
    assert!(scene.takes("m", "s"), "`huge` never fits there");
    scene.0.remove_pod("high");
    assert!(scene.takes("n", "a") && !scene.takes("n", "s"));
    scene.0.remove_pod("a");
    assert!(scene.takes("n", "s"));
}
