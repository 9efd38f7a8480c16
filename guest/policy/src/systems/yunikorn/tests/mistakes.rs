//! A description of the queues with a mistake in it: what its author is told, and what is in force.

use super::{Scene, config_map, of, yaml};
use crate::contract::{Event, Object, Severity};
use crate::testing::{World, key};

/// What is in force: a pod of `prod` makes a pod of `test` leave after 5 seconds.
const GOOD: &str = "
- {name: prod, resources: {guaranteed: {vcore: 2}}, properties: {preemption.delay: 5s}}
- {name: test}";

/// Every one of these takes the guarantee from `prod`. Its first line is line 7.
const BAD: [(&str, &str); 6] = [
    ("- {name: prod}\n- {name: test, weight: 1}", "line 8: `root.test`: there is no key `weight` here"),
    (
        "- {name: prod}\n- name: test\n  resources:\n    max: {memory: 1Gi}\n    guaranteed: {memory: 2Gi}",
        "line 11: `root.test resources.guaranteed.memory`: 2Gi is more than the maximum 1Gi",
    ),
    (
        "- {name: prod}\n- name: test\n  resources:\n    guaranteed: {vcore: 3}\n  queues:\n  - name: a\n    resources: {guaranteed: {vcore: 2}}\n  \
         - name: b\n    resources: {guaranteed: {vcore: 2}}",
        "line 10: `root.test resources.guaranteed.vcore`: its children are guaranteed 4 in sum, it is guaranteed 3",
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
        "line 9: `root.prod name`: there is a queue of this name already, on line 7",
    ),
];

/// These are read as 30s where there is nothing better.
const DELAYS: [&str; 4] = ["soon", "0s", "-5s", "30"];

fn with_delay(delay: &str) -> String {
    format!(
        "- name: prod\n  resources: {{guaranteed: {{vcore: 2}}}}\n  properties:\n    preemption.delay: {delay}\n- name: test"
    )
}

/// A node full with two pods of `test`, of which one would make way; told of nothing else yet.
fn untold() -> Scene {
    let scene = Scene(World::of("yunikorn", "")).nodes(&[("n", 4)]);
    scene.pods([of("a", "root.test", 2).on("n"), of("b", "root.test", 2).on("n"), of("p", "root.prod", 2)])
}

fn tell(scene: &mut Scene, queues: &str) -> Vec<(Severity, String, String)> {
    scene.0.findings.clear();
    scene.0.object(config_map(&yaml(queues)));
    let findings = scene.0.findings.drain(..);
    findings.map(|found| (found.severity, format!("{} {}", found.object, found.path), found.message)).collect()
}

/// The one finding is an error that begins so and says what becomes of the queues.
fn is_refused(found: &[(Severity, String, String)], expected: &str) {
    let [(severity, place, message)] = found else { panic!("one finding, not {found:?}") };
    assert_eq!((*severity, place.as_str()), (Severity::Error, "ConfigMap/yunikorn/yunikorn-configs /data/queues.yaml"));
    assert!(message.starts_with(expected), "{message}\n{expected}");
    assert!(message.ends_with(": the queues stay as they are"), "{message}");
}

#[test]
fn a_bad_update_is_refused_and_the_last_good_configuration_stays_in_force() {
    for (bad, expected) in BAD {
        let mut scene = untold();
        assert_eq!(tell(&mut scene, GOOD), []);
        is_refused(&tell(&mut scene, bad), expected);
        let mut scene = scene.after(4);
        assert_eq!(scene.victims("p"), Err("yunikorn/delay".to_owned()), "{bad}");
        let mut scene = scene.after(5);
        assert_eq!(scene.victims("p").unwrap().len(), 1, "{bad}");
        assert_eq!(tell(&mut scene, "- {name: prod}\n- {name: test}"), [], "a good one is taken again");
        let mut scene = scene.after(30);
        assert_eq!(scene.victims("p"), Err("yunikorn/4".to_owned()));
    }
}

#[test]
fn a_bad_first_configuration_is_none() {
    for (bad, expected) in BAD {
        let mut scene = untold();
        is_refused(&tell(&mut scene, bad), expected);
        let mut scene = scene.after(60);
        let queues: Vec<String> = scene.0.engine.queues().unwrap().into_iter().map(|queue| queue.name).collect();
        assert_eq!(queues, ["root", "root.default"], "what upstream has built in: a queue for each namespace");
        assert_eq!(scene.victims("p"), Err("yunikorn/4".to_owned()));
    }
}

#[test]
fn the_first_configuration_has_the_default_in_the_place_of_a_bad_delay() {
    for delay in DELAYS {
        let mut scene = untold();
        let found = tell(&mut scene, &with_delay(delay));
        let message = format!(
            "line 10: `root.prod properties.preemption.delay`: `{delay}` is no duration of more than 0s: 30s counts"
        );
        let place = "ConfigMap/yunikorn/yunikorn-configs /data/queues.yaml".to_owned();
        assert_eq!(found, [(Severity::Warning, place, message)]);
        let mut scene = scene.after(29);
        assert_eq!(scene.victims("p"), Err("yunikorn/delay".to_owned()), "{delay}");
        let mut scene = scene.after(30);
        assert_eq!(scene.victims("p").unwrap().len(), 1, "{delay}");
    }
}

#[test]
fn an_update_with_a_bad_delay_is_refused_while_there_is_a_good_configuration() {
    for delay in DELAYS {
        let mut scene = untold();
        tell(&mut scene, GOOD);
        let expected =
            format!("line 10: `root.prod properties.preemption.delay`: `{delay}` is no duration of more than 0s");
        is_refused(&tell(&mut scene, &with_delay(delay)), &expected);
        let mut scene = scene.after(5);
        assert_eq!(scene.victims("p").unwrap().len(), 1, "{delay}");
        // When the good one is gone, there is nothing better.
        let good = config_map(&yaml(GOOD));
        scene.0.tell(vec![Event::ObjectRemoved(key(&good))]);
        assert_eq!(tell(&mut scene, &with_delay(delay)).len(), 1);
        assert_eq!(scene.victims("p"), Err("yunikorn/delay".to_owned()), "{delay}");
    }
}

#[test]
fn one_bad_delay_may_follow_another() {
    let mut scene = untold();
    tell(&mut scene, &with_delay("soon"));
    let found = tell(&mut scene, &(with_delay("0s") + "\n- name: more"));
    assert_eq!(found.iter().map(|(severity, ..)| *severity).collect::<Vec<_>>(), [Severity::Warning]);
    assert!(scene.0.engine.queues().unwrap().iter().any(|queue| queue.name == "root.more"));
}

#[test]
fn of_a_delay_without_effect_nothing_is_said() {
    let mut scene = untold();
    let queues = "- name: prod\n  parent: true\n  properties: {preemption.delay: soon}\n- name: test\n  properties: {preemption.delay: 1s}\n  queues: [{name: a}]";
    assert_eq!(tell(&mut scene, queues), []);
    assert_eq!(tell(&mut scene, &queues.replace("soon", "sooner")), []);
}

#[test]
fn of_several_descriptions_that_of_namespace_yunikorn_counts_in_whatever_order_they_come() {
    let of = |namespace: &str, queues: &str| Object { namespace: namespace.to_owned(), ..config_map(&yaml(queues)) };
    let queues = |scene: &Scene| -> Vec<String> {
        scene.0.engine.queues().unwrap().into_iter().map(|queue| queue.name).skip(1).collect()
    };
    let (own, a, b) = (of("yunikorn", "- name: own"), of("a", "- name: a"), of("b", "- name: b"));
    let bad = of("yunikorn", "- {name: own, weight: 3}");
    for [x, y, z] in [[&own, &a, &b], [&b, &a, &own], [&a, &own, &b]] {
        let mut scene = Scene(World::of("yunikorn", ""));
        for object in [x, y, z] {
            scene.0.object(object.clone());
        }
        assert_eq!(queues(&scene), ["root.own"]);
        scene.0.tell(vec![Event::ObjectRemoved(key(&own))]);
        assert_eq!(queues(&scene), ["root.a"]);
        scene.0.tell(vec![Event::ObjectRemoved(key(&b))]);
        assert_eq!(queues(&scene), ["root.a"]);
        scene.0.tell(vec![Event::ObjectRemoved(key(&a))]);
        assert_eq!(queues(&scene), Vec::<String>::new());
    }
    for order in [[&bad, &a], [&a, &bad]] {
        let mut scene = Scene(World::of("yunikorn", ""));
        order.into_iter().for_each(|object| scene.0.object(object.clone()));
        assert_eq!(queues(&scene), Vec::<String>::new(), "what counts cannot be used, and nothing else does");
    }
    let mut scene = Scene(World::of("yunikorn", ""));
    scene.0.object(own);
    scene.0.object(b);
    let found = scene.0.findings.pop().unwrap();
    assert_eq!((found.object.as_str(), found.severity), ("ConfigMap/b/yunikorn-configs", Severity::Warning));
    assert_eq!(found.message, "that of namespace `yunikorn` counts, this one has no effect");
}
