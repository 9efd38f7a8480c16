//! A queue configuration with a mistake: the finding, and the configuration in force.

use super::{Scene, config_map, of, yaml};
use crate::contract::{Event, Object, Severity};
use crate::testing::{PolicyHarness, key};

/// With this configuration, a pod of `prod` preempts a pod of `test` after 5 seconds.
const GOOD: &str = "
- {name: prod, resources: {guaranteed: {vcore: 2}}, properties: {preemption.delay: 5s}}
- {name: test}";

/// Each of these removes the guarantee of `prod`. The first line is line 7.
const BAD: [(&str, &str); 6] = [
    ("- {name: prod}\n- {name: test, weight: 1}", "line 8: `root.test`: unknown key `weight`"),
    (
        "- {name: prod}\n- name: test\n  resources:\n    max: {memory: 1Gi}\n    guaranteed: {memory: 2Gi}",
        "line 11: `root.test resources.guaranteed.memory`: 2Gi is more than the maximum 1Gi",
    ),
    (
        "- {name: prod}\n- name: test\n  resources:\n    guaranteed: {vcore: 3}\n  queues:\n  - name: a\n    resources: {guaranteed: {vcore: 2}}\n  \
         - name: b\n    resources: {guaranteed: {vcore: 2}}",
        "line 10: `root.test resources.guaranteed.vcore`: the guarantees of its children sum up to 4, more than its guarantee 3",
    ),
    (
        "- {name: prod}\n- name: test\n  properties:\n    preemption.delay: [30s]",
        "line 10: `root.test properties.preemption.delay`: this is not a single value",
    ),
    (
        "- {name: prod}\n- name: test\n  resources:\n    max:\n      vcore: 1.5",
        "line 11: `root.test resources.max.vcore`: `1.5` is not an amount of vcore",
    ),
    (
        "- {name: prod}\n- {name: test}\n- {name: Prod}",
        "line 9: `root.prod name`: line 7 already has a queue of this name",
    ),
];

/// Invalid delays, each of which means 30s.
const DELAYS: [&str; 4] = ["soon", "0s", "-5s", "30"];

fn with_delay(delay: &str) -> String {
    format!(
        "- name: prod\n  resources: {{guaranteed: {{vcore: 2}}}}\n  properties:\n    preemption.delay: {delay}\n- name: test"
    )
}

/// Creates a node full with two pods of `test`, one of which may be evicted; no configuration yet.
fn unconfigured() -> Scene {
    let scene = Scene(PolicyHarness::of("yunikorn", "")).nodes(&[("n", 4)]);
    scene.pods([of("a", "root.test", 2).on("n"), of("b", "root.test", 2).on("n"), of("p", "root.prod", 2)])
}

fn update(scene: &mut Scene, queues: &str) -> Vec<(Severity, String, String)> {
    scene.0.findings.clear();
    scene.0.object(config_map(&yaml(queues)));
    let findings = scene.0.findings.drain(..);
    findings.map(|found| (found.severity, format!("{} {}", found.object, found.path), found.message)).collect()
}

/// Checks that the only finding is an error with this beginning, and that the queues stay unchanged.
fn assert_refused(found: &[(Severity, String, String)], expected: &str) {
    let [(severity, place, message)] = found else { panic!("one finding, not {found:?}") };
    assert_eq!((*severity, place.as_str()), (Severity::Error, "ConfigMap/yunikorn/yunikorn-configs /data/queues.yaml"));
    assert!(message.starts_with(expected), "{message}\n{expected}");
    assert!(message.ends_with(": the queues stay unchanged"), "{message}");
}

#[test]
fn a_bad_update_is_refused_and_the_last_valid_configuration_stays_in_force() {
    for (bad, expected) in BAD {
        let mut scene = unconfigured();
        assert_eq!(update(&mut scene, GOOD), []);
        assert_refused(&update(&mut scene, bad), expected);
        let mut scene = scene.after(4);
        assert_eq!(scene.victims("p"), Err("yunikorn/delay".to_owned()), "{bad}");
        let mut scene = scene.after(5);
        assert_eq!(scene.victims("p").unwrap().len(), 1, "{bad}");
        assert_eq!(update(&mut scene, "- {name: prod}\n- {name: test}"), [], "a valid update is accepted again");
        let mut scene = scene.after(30);
        assert_eq!(scene.victims("p"), Err("yunikorn/4".to_owned()));
    }
}

#[test]
fn a_bad_first_configuration_leaves_the_built_in_one_in_force() {
    for (bad, expected) in BAD {
        let mut scene = unconfigured();
        assert_refused(&update(&mut scene, bad), expected);
        let mut scene = scene.after(60);
        let queues: Vec<String> = scene.0.engine.queues().unwrap().into_iter().map(|queue| queue.name).collect();
        assert_eq!(queues, ["root", "root.default"], "upstream's built-in configuration: one queue for each namespace");
        assert_eq!(scene.victims("p"), Err("yunikorn/4".to_owned()));
    }
}

/// Checks that the only finding is the warning about a delay, and that pods wait for 30s.
fn assert_default_is_used(mut scene: Scene, delay: &str) {
    let found = update(&mut scene, &with_delay(delay));
    let message =
        format!("line 10: `root.prod properties.preemption.delay`: `{delay}` is not a duration above 0s: 30s is used");
    let place = "ConfigMap/yunikorn/yunikorn-configs /data/queues.yaml".to_owned();
    assert_eq!(found, [(Severity::Warning, place, message)]);
    let mut scene = scene.after(29);
    assert_eq!(scene.victims("p"), Err("yunikorn/delay".to_owned()), "{delay}");
    let mut scene = scene.after(30);
    assert_eq!(scene.victims("p").unwrap().len(), 1, "{delay}");
}

#[test]
fn in_the_first_configuration_the_default_replaces_a_bad_delay() {
    DELAYS.into_iter().for_each(|delay| assert_default_is_used(unconfigured(), delay));
}

#[test]
fn in_an_update_the_default_replaces_a_bad_delay_and_the_rest_is_in_force() {
    // `prod` has its guarantee by the update only.
    for before in [GOOD, "- {name: prod, properties: {preemption.delay: 5s}}\n- {name: test}"] {
        for delay in DELAYS {
            let mut scene = unconfigured();
            assert_eq!(update(&mut scene, before), []);
            assert_default_is_used(scene, delay);
        }
    }
}

#[test]
fn one_bad_delay_may_follow_another() {
    let mut scene = unconfigured();
    update(&mut scene, &with_delay("soon"));
    let found = update(&mut scene, &(with_delay("0s") + "\n- name: more"));
    assert_eq!(found.iter().map(|(severity, ..)| *severity).collect::<Vec<_>>(), [Severity::Warning]);
    assert!(scene.0.engine.queues().unwrap().iter().any(|queue| queue.name == "root.more"));
}

#[test]
fn a_delay_without_effect_is_not_reported() {
    let mut scene = unconfigured();
    let queues = "- name: prod\n  parent: true\n  properties: {preemption.delay: soon}\n- name: test\n  properties: {preemption.delay: 1s}\n  queues: [{name: a}]";
    assert_eq!(update(&mut scene, queues), []);
    assert_eq!(update(&mut scene, &queues.replace("soon", "sooner")), []);
}

#[test]
fn of_several_config_maps_that_of_namespace_yunikorn_is_used_in_any_order_of_reports() {
    let of = |namespace: &str, queues: &str| Object { namespace: namespace.to_owned(), ..config_map(&yaml(queues)) };
    let queues = |scene: &Scene| -> Vec<String> {
        scene.0.engine.queues().unwrap().into_iter().map(|queue| queue.name).skip(1).collect()
    };
    let (own, a, b) = (of("yunikorn", "- name: own"), of("a", "- name: a"), of("b", "- name: b"));
    let bad = of("yunikorn", "- {name: own, weight: 3}");
    for [x, y, z] in [[&own, &a, &b], [&b, &a, &own], [&a, &own, &b]] {
        let mut scene = Scene(PolicyHarness::of("yunikorn", ""));
        for object in [x, y, z] {
            scene.0.object(object.clone());
        }
        assert_eq!(queues(&scene), ["root.own"]);
        scene.0.apply(vec![Event::ObjectRemoved(key(&own))]);
        assert_eq!(queues(&scene), ["root.a"]);
        scene.0.apply(vec![Event::ObjectRemoved(key(&b))]);
        assert_eq!(queues(&scene), ["root.a"]);
        scene.0.apply(vec![Event::ObjectRemoved(key(&a))]);
        assert_eq!(queues(&scene), Vec::<String>::new());
    }
    for order in [[&bad, &a], [&a, &bad]] {
        let mut scene = Scene(PolicyHarness::of("yunikorn", ""));
        order.into_iter().for_each(|object| scene.0.object(object.clone()));
        assert_eq!(
            queues(&scene),
            Vec::<String>::new(),
            "the ConfigMap that is used is invalid, and no other replaces it"
        );
    }
    let mut scene = Scene(PolicyHarness::of("yunikorn", ""));
    scene.0.object(own);
    scene.0.object(b);
    let found = scene.0.findings.pop().unwrap();
    assert_eq!((found.object.as_str(), found.severity), ("ConfigMap/b/yunikorn-configs", Severity::Warning));
    assert_eq!(found.message, "the one in namespace `yunikorn` is used, this one has no effect");
}
