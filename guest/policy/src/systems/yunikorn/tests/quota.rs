//! What queues give back when their maximum is lowered (reference A9, Q1 to Q5).

use super::{Scene, config_map, daemon, of, of_app, yaml};
use crate::contract::{Enforced, Event};
use crate::testing::PolicyHarness;

/// Returns the queues in a partition with quota preemption.
fn on(queues: &str) -> String {
    yaml(queues).replace("    placementrules", "    preemption: {quotapreemptionenabled: true}\n    placementrules")
}

/// Returns queue `root.a` with this maximum, and a delay of a minute.
fn bounded(max: u32) -> String {
    on(&format!("- {{name: a, resources: {{max: {{vcore: {max}}}}}, properties: {{quota.preemption.delay: 1m}}}}"))
}

/// Creates pods of 1 core in `root.a`; the first is the originator of their application.
fn running(config: &str, pods: &[&str]) -> Scene {
    let mut scene = Scene(PolicyHarness::of("yunikorn", "")).nodes(&[("n", 20)]);
    scene.0.object(config_map(config));
    assert_eq!(scene.0.findings, []);
    scene.pods(pods.iter().map(|name| of(name, "root.a", 1).on("n")))
}

/// Returns the victims of each queue, and the second at which to repeat the request.
fn given(scene: &mut Scene) -> (Vec<(String, Vec<String>)>, Option<i64>) {
    let Enforced { enforcements, retry } = scene.0.engine.enforce().unwrap();
    let name = |pod| scene.0.pod_name(pod).trim_start_matches("default/").to_owned();
    let of =
        |it: crate::contract::Enforcement| (it.queue, it.victims.into_iter().map(|victim| name(victim.pod)).collect());
    (enforcements.into_iter().map(of).collect(), retry.at.map(|at| at / 1_000_000_000))
}

fn from(queue: &str, victims: &[&str]) -> Vec<(String, Vec<String>)> {
    vec![(queue.to_owned(), victims.iter().map(|name| (*name).to_owned()).collect())]
}

fn lower(scene: &mut Scene, config: &str) {
    scene.0.object(config_map(config));
}

#[test]
fn a_queue_within_its_maximum_gives_nothing_and_asks_for_nothing() {
    let mut scene = running(&bounded(2), &["x", "y"]).after(600);
    assert_eq!(given(&mut scene), (Vec::new(), None));
}

#[test]
fn the_answer_says_when_the_delay_ends_and_gives_from_then_on() {
    let mut scene = running(&bounded(4), &["w", "x", "y", "z"]).after(10);
    lower(&mut scene, &bounded(2));
    assert_eq!(given(&mut scene), (Vec::new(), Some(70)));
    let mut scene = scene.after(69);
    assert_eq!(given(&mut scene), (Vec::new(), Some(70)));
    let mut scene = scene.after(70);
    assert_eq!(given(&mut scene).0, from("root.a", &["x", "y"]));
}

#[test]
fn what_is_leaving_already_counts_as_gone() {
    let mut scene = running(&bounded(4), &["w", "x", "y", "z"]);
    lower(&mut scene, &bounded(2));
    let leaving = of("x", "root.a", 1).on("n").with(|pod| pod.terminating = true);
    let mut scene = scene.pods([leaving]).after(60);
    assert_eq!(given(&mut scene).0, from("root.a", &["y"]));
}

#[test]
fn a_pod_that_is_too_large_is_passed_over() {
    // 7 used - 4 max = 3: the pod of 4 is too large, those of 2 and 1 fit.
    let pods = [("l", 4), ("m", 2), ("s", 1)].map(|(name, cpu)| of_app(name, name, "root.a", cpu).on("n"));
    let mut scene = running(&bounded(7), &[]).pods(pods);
    lower(&mut scene, &bounded(4));
    let mut scene = scene.after(60);
    // The smaller one is evicted first.
    assert_eq!(given(&mut scene).0, from("root.a", &["s", "m"]));
}

#[test]
fn pods_of_daemon_sets_and_of_other_schedulers_stay() {
    let foreign = of("f", "root.a", 1).on("n").with(|pod| pod.template_mut().foreign = true);
    let log = daemon("d", "root.a", 1, ("n", 0)).on("n");
    let mut scene = running(&bounded(3), &["w", "x"]).pods([foreign, log]);
    lower(&mut scene, &bounded(1));
    let mut scene = scene.after(60);
    // 3 used - 1 max = 2: the pod of the other scheduler uses nothing of the queue. `d` is the originator, the first by name.
    assert_eq!(given(&mut scene).0, from("root.a", &["w", "x"]));
}

#[test]
fn what_a_child_must_give_counts_for_its_parent() {
    let queues = |parent: u32, child: u32| {
        on(&format!(
            "- name: p\n  resources: {{max: {{vcore: {parent}}}}}\n  properties: {{quota.preemption.delay: 1m}}\n  queues:\n  \
             - {{name: a, resources: {{max: {{vcore: {child}}}}}}}\n  - {{name: b}}"
        ))
    };
    let pods =
        |queue: &str| [1, 2, 3].map(|n| of_app(&format!("{queue}{n}"), queue, &format!("root.p.{queue}"), 1).on("n"));
    let mut scene = running(&queues(6, 6), &[]).pods(pods("a")).pods(pods("b"));
    // `a` holds 2 too many and the parent 3. With those of `a` gone, 1 is left: of `a` 1 of 4, of `b` 3 of 4, rounded down.
    lower(&mut scene, &queues(3, 1));
    let mut scene = scene.after(60);
    let mut expected = from("root.p.a", &["a2", "a3"]);
    expected.extend(from("root.p", &["b2"]));
    assert_eq!(given(&mut scene).0, expected);
}

#[test]
fn a_delay_that_is_turned_on_later_starts_then() {
    let off = bounded(1).replace("true", "false");
    let mut scene = running(&off, &["x", "y"]).after(600);
    assert_eq!(given(&mut scene), (Vec::new(), None));
    lower(&mut scene, &bounded(1));
    assert_eq!(given(&mut scene), (Vec::new(), Some(660)));
}

#[test]
fn a_first_load_over_the_maximum_starts_the_time() {
    let scene = Scene(PolicyHarness::of("yunikorn", "")).after(100);
    let mut world = scene.nodes(&[("n", 20)]);
    world.0.object(config_map(&bounded(1)));
    let mut scene = world.pods(["x", "y"].map(|name| of(name, "root.a", 1).on("n")));
    assert_eq!(given(&mut scene), (Vec::new(), Some(160)));
}

#[test]
fn a_checkpoint_keeps_since_when_a_queue_is_over_its_maximum() {
    let mut original = running(&bounded(3), &["x", "y", "z"]).after(10);
    lower(&mut original, &bounded(2));
    let checkpoint = original.0.engine.save();
    let again = |seconds: i64, max: u32| {
        let scene = Scene(PolicyHarness::of("yunikorn", "")).after(seconds).nodes(&[("n", 20)]);
        let mut scene = scene;
        scene.0.object(config_map(&bounded(max)));
        let mut scene = scene.pods(["x", "y", "z"].map(|name| of(name, "root.a", 1).on("n")));
        let fresh = given(&mut scene).1;
        scene.0.engine.restore(&checkpoint).unwrap();
        (fresh, given(&mut scene))
    };
    assert_eq!(again(30, 2), (Some(90), (Vec::new(), Some(70))));
    assert_eq!(again(70, 2), (Some(130), (from("root.a", &["y"]), None)));
    // The maximum was lowered again between two requests. Before the end of the delay the first time counts; later, the time begins anew.
    assert_eq!(again(30, 1), (Some(90), (Vec::new(), Some(70))));
    assert_eq!(again(80, 1), (Some(140), (Vec::new(), Some(140))));
    // With the maximum raised again, the overage is forgotten.
    assert_eq!(again(80, 3), (None, (Vec::new(), None)));
}

#[test]
fn a_plan_that_is_carried_out_is_not_made_again() {
    let mut scene = running(&bounded(3), &["x", "y", "z"]);
    lower(&mut scene, &bounded(2));
    let mut scene = scene.after(60);
    let first = scene.0.engine.enforce().unwrap().enforcements.remove(0);
    let victim = of("y", "root.a", 1).on("n").with(|pod| pod.terminating = true);
    scene.0.apply(vec![Event::PlanAccepted(first.id)]);
    assert_eq!(given(&mut scene), (Vec::new(), None), "its victim leaves, though its status does not say so yet");
    let mut scene = scene.pods([victim]);
    assert_eq!(given(&mut scene), (Vec::new(), None));
    // One that is refused is made again, under another number.
    let mut again = running(&bounded(3), &["x", "y", "z"]);
    lower(&mut again, &bounded(2));
    let mut again = again.after(60);
    let first = again.0.engine.enforce().unwrap().enforcements.remove(0);
    again.0.apply(vec![Event::PlanRefused(first.id)]);
    let second = again.0.engine.enforce().unwrap().enforcements.remove(0);
    assert!(second.id > first.id && second.victims == first.victims);
}
