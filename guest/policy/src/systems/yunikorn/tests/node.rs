//! Nodes: free capacity, eviction sets, nominations, and the required node of a DaemonSet's pod.

use super::{Scene, daemon, of, of_app};
use crate::contract::{Event, Phase};

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
    let why = crate::testing::shown(&scene.0.post_filter("p").reason);
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
    scene.0.gone("e2");
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

#[test]
fn the_node_of_a_daemon_set_pod_is_reserved_and_other_nominations_are_withdrawn() {
    let pods = [
        of("b", "root.test", 3).on("n"),
        of("p", "root.prod", 1).nominated("n"),
        of("s", "root.test", 1),
        daemon("a", "root.agents", 2, ("n", 0)),
    ];
    let mut scene = Scene::new(PROD).nodes(&[("n", 4)]).pods(pods);
    let answer = scene.0.post_filter("a");
    assert_eq!(answer.effects.withdrawn, [scene.0.id("p")]);
    scene.0.tell(vec![Event::PlanAccepted(answer.plan.unwrap().id)]);
    let leaving = of("b", "root.test", 3).on("n").with(|pod| pod.terminating = true);
    let mut scene =
        scene.pods([leaving, of("p", "root.prod", 1), daemon("a", "root.agents", 2, ("n", 0)).nominated("n")]);
    assert!(!scene.takes("n", "s"));
    scene.0.gone("b");
    assert!(!scene.takes("n", "s") && !scene.takes("n", "p"));
    assert!(scene.takes("n", "a"));
    let mut scene =
        scene.pods([daemon("a", "root.agents", 2, ("n", 0)).on("n").with(|pod| pod.phase = Phase::Running)]);
    assert!(scene.takes("n", "s"));
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
    scene.0.gone("high");
    assert!(scene.takes("n", "a") && !scene.takes("n", "s"));
    scene.0.gone("a");
    assert!(scene.takes("n", "s"));
}
