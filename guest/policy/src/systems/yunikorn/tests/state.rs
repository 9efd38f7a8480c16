//! A restored policy decides like the policy that saw every event.

use super::{Scene, config_map, daemon, keys, of, of_app, yaml};
use crate::contract::{Event, NotedPods};
use crate::testing::{PolicyHarness, without_numbers};

const QUEUES: &str = "
- {name: prod, resources: {guaranteed: {vcore: 4}}}
- {name: test}";

/// Restores a checkpoint in a policy that loads the current cluster with other pod numbers. Returns that scene and a new one.
fn restored(original: &Scene, load: impl FnOnce(Scene) -> Scene) -> (Scene, Scene) {
    let begin = || {
        let mut world = PolicyHarness::of("yunikorn", "");
        world.numbers = original.0.numbers.clone();
        world.numbers.pods.values_mut().for_each(|number| *number = 90_u32.saturating_sub(*number));
        Scene(world)
    };
    let checkpoint = original.0.engine.save();
    let loaded = load(begin());
    let mut restored =
        Scene(PolicyHarness { engine: loaded.0.engine, numbers: loaded.0.numbers, findings: Vec::new() });
    restored.0.engine.record_notes(&NotedPods::All);
    restored.0.engine.restore(&checkpoint).unwrap();
    let again = without_numbers(&restored.0.engine.save());
    assert_eq!(again, without_numbers(&checkpoint), "saving again gives the same");
    (restored, begin())
}

fn loaded(scene: Scene, queues: &str, nodes: &[(&str, u32)]) -> Scene {
    let mut scene = scene.nodes(nodes);
    scene.0.object(config_map(&yaml(queues)));
    scene
}

#[test]
fn a_node_stays_reserved_for_its_pending_daemon_set_pod() {
    let nodes = [("n", 4)];
    let pods = || {
        [
            of("high", "root.test", 3).on("n").priority(9),
            of("s", "root.test", 1),
            daemon("a", "root.agents", 2, ("n", 0)),
        ]
    };
    let mut original = loaded(Scene(PolicyHarness::of("yunikorn", "")), QUEUES, &nodes).pods(pods());
    assert!(original.victims("a").is_err());
    let (mut again, fresh) = restored(&original, |scene| loaded(scene, QUEUES, &nodes).pods(pods()));
    assert!(loaded(fresh, QUEUES, &nodes).pods(pods()).takes("n", "s"));
    assert!(!again.takes("n", "s") && !original.takes("n", "s"));
    again.0.remove_pod("a");
    assert!(again.takes("n", "s"));
}

#[test]
fn an_application_keeps_the_queue_of_its_first_pod_and_its_originator() {
    let nodes = [("n", 6)];
    // The first pod of the application named `root.test` and is gone. The remaining pods name another queue.
    let left = || {
        [
            of_app("b", "app", "root.other", 2).on("n").with(|pod| pod.created = 1),
            of_app("c", "app", "root.other", 2).on("n").with(|pod| pod.created = 2),
            of("p", "root.prod", 2),
        ]
    };
    let first = of_app("a", "app", "root.test", 2).on("n");
    let mut original =
        loaded(Scene(PolicyHarness::of("yunikorn", "")), QUEUES, &nodes).pods([first]).pods(left()).nodes(&[("n", 4)]);
    original.0.remove_pod("a");
    let mut original = original.after(30);
    let (mut again, fresh) = restored(&original, |scene| loaded(scene, QUEUES, &[("n", 4)]).pods(left()).after(30));
    let queues = |scene: &Scene| -> Vec<String> {
        scene
            .0
            .engine
            .queues()
            .unwrap()
            .into_iter()
            .filter(|queue| !queue.used.is_empty())
            .map(|queue| queue.name)
            .collect()
    };
    assert_eq!(queues(&loaded(fresh, QUEUES, &[("n", 4)]).pods(left())), ["root", "root.other"]);
    assert_eq!(queues(&again), ["root", "root.test"]);
    assert_eq!(queues(&original), queues(&again));
    // `b` is not the originator. Of equal pods the youngest is evicted; after `c` is gone, that is `b`.
    assert_eq!(again.victims("p"), Ok(vec!["c".to_owned()]));
    assert_eq!(again.victims("p"), original.victims("p"));
    for scene in [&mut again, &mut original] {
        let app = super::label(of("x", "root.test", 2), keys::APPLICATION, "x").on("n");
        scene.0.remove_pod("c");
        scene.0.pod(app.with(|pod| pod.created = -1));
        assert_eq!(scene.victims("p"), Ok(vec!["b".to_owned()]), "`x` is an originator, `b` is not");
    }
}

#[test]
fn the_last_valid_queues_stay_in_force() {
    let nodes = [("n", 4)];
    let pods = || [of("a", "root.test", 2).on("n"), of("b", "root.test", 2).on("n"), of("p", "root.prod", 2)];
    for bad in ["- {name: prod, weight: 3}", "- {name: test, properties: {preemption.delay: [30s]}}"] {
        let mut original = loaded(Scene(PolicyHarness::of("yunikorn", "")), QUEUES, &nodes).pods(pods());
        original.0.object(config_map(&yaml(bad)));
        let mut original = original.after(30);
        let (mut again, fresh) = restored(&original, |scene| loaded(scene, bad, &nodes).pods(pods()).after(30));
        assert_eq!(loaded(fresh, bad, &nodes).pods(pods()).after(30).victims("p"), Err("yunikorn/4".to_owned()));
        assert_eq!(again.victims("p").unwrap().len(), 1);
        assert_eq!(again.victims("p"), original.victims("p"));
        // A valid update and the removal are both applied.
        again.0.object(config_map(&yaml("- {name: test}")));
        assert_eq!(again.victims("p"), Err("yunikorn/4".to_owned()));
        again.0.apply(vec![Event::ObjectRemoved(crate::testing::key(&config_map("")))]);
        assert_eq!(again.victims("p"), Err("yunikorn/4".to_owned()));
    }
}
