//! A policy that was restored decides as the one that lived through it.

use super::{Scene, config_map, daemon, keys, of, of_app, yaml};
use crate::contract::Event;
use crate::testing::World;

const QUEUES: &str = "
- {name: prod, resources: {guaranteed: {vcore: 4}}}
- {name: test}";

/// A policy that is told what there is now, under the numbers of the one that lived, and restored.
fn restored(lived: &Scene, tell: impl FnOnce(Scene) -> Scene) -> (Scene, Scene) {
    let begin = || {
        let mut world = World::of("yunikorn", "");
        world.numbers = lived.0.numbers.clone();
        Scene(world)
    };
    let checkpoint = lived.0.engine.save();
    let told = tell(begin());
    let mut restored = Scene(World { engine: told.0.engine, numbers: told.0.numbers, findings: Vec::new() });
    restored.0.engine.record_notes(true);
    restored.0.engine.restore(&checkpoint).unwrap();
    assert_eq!(restored.0.engine.save().bytes, checkpoint.bytes, "what was restored is what is saved");
    (restored, begin())
}

fn told(scene: Scene, queues: &str, nodes: &[(&str, u32)]) -> Scene {
    let mut scene = scene.nodes(nodes);
    scene.0.object(config_map(&yaml(queues)));
    scene
}

#[test]
fn a_node_is_kept_for_the_daemon_that_waits_in_vain() {
    let nodes = [("n", 4)];
    let pods = || {
        [
            of("high", "root.test", 3).on("n").priority(9),
            of("s", "root.test", 1),
            daemon("a", "root.agents", 2, ("n", 0)),
        ]
    };
    let mut lived = told(Scene(World::of("yunikorn", "")), QUEUES, &nodes).pods(pods());
    assert!(lived.victims("a").is_err());
    let (mut again, fresh) = restored(&lived, |scene| told(scene, QUEUES, &nodes).pods(pods()));
    assert!(told(fresh, QUEUES, &nodes).pods(pods()).takes("n", "s"));
    assert!(!again.takes("n", "s") && !lived.takes("n", "s"));
    again.0.gone("a");
    assert!(again.takes("n", "s"));
}

#[test]
fn an_application_stays_where_its_first_pod_put_it_and_has_no_other_originator() {
    let nodes = [("n", 6)];
    // The first pod of the application named `root.test`, and is gone; what is left names another queue.
    let left = || {
        [
            of_app("b", "app", "root.other", 2).on("n").with(|pod| pod.created = 1),
            of_app("c", "app", "root.other", 2).on("n").with(|pod| pod.created = 2),
            of("p", "root.prod", 2),
        ]
    };
    let first = of_app("a", "app", "root.test", 2).on("n");
    let mut lived =
        told(Scene(World::of("yunikorn", "")), QUEUES, &nodes).pods([first]).pods(left()).nodes(&[("n", 4)]);
    lived.0.gone("a");
    let mut lived = lived.after(30);
    let (mut again, fresh) = restored(&lived, |scene| told(scene, QUEUES, &[("n", 4)]).pods(left()).after(30));
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
    assert_eq!(queues(&told(fresh, QUEUES, &[("n", 4)]).pods(left())), ["root", "root.other"]);
    assert_eq!(queues(&again), ["root", "root.test"]);
    assert_eq!(queues(&lived), queues(&again));
    // `b` is not what the others depend on: of equal ones the youngest goes, and with `c` gone `b`.
    assert_eq!(again.victims("p"), Ok(vec!["c".to_owned()]));
    assert_eq!(again.victims("p"), lived.victims("p"));
    for scene in [&mut again, &mut lived] {
        let app = super::label(of("x", "root.test", 2), keys::APPLICATION, "x").on("n");
        scene.0.gone("c");
        scene.0.pod(app.with(|pod| pod.created = -1));
        assert_eq!(scene.victims("p"), Ok(vec!["b".to_owned()]), "`x` is an originator, `b` is none");
    }
}

#[test]
fn the_last_good_queues_stay_in_force() {
    let nodes = [("n", 4)];
    let pods = || [of("a", "root.test", 2).on("n"), of("b", "root.test", 2).on("n"), of("p", "root.prod", 2)];
    for bad in ["- {name: prod, weight: 3}", "- {name: test, properties: {preemption.delay: soon}}"] {
        let mut lived = told(Scene(World::of("yunikorn", "")), QUEUES, &nodes).pods(pods());
        lived.0.object(config_map(&yaml(bad)));
        let mut lived = lived.after(30);
        let (mut again, fresh) = restored(&lived, |scene| told(scene, bad, &nodes).pods(pods()).after(30));
        assert_eq!(told(fresh, bad, &nodes).pods(pods()).after(30).victims("p"), Err("yunikorn/4".to_owned()));
        assert_eq!(again.victims("p").unwrap().len(), 1);
        assert_eq!(again.victims("p"), lived.victims("p"));
        // A good update is taken, the removal too.
        again.0.object(config_map(&yaml("- {name: test}")));
        assert_eq!(again.victims("p"), Err("yunikorn/4".to_owned()));
        again.0.tell(vec![Event::ObjectRemoved(crate::testing::key(&config_map("")))]);
        assert_eq!(again.victims("p"), Err("yunikorn/4".to_owned()));
    }
}
