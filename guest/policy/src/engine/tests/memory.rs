//! What the engine keeps for names and classes of pods does not grow with those that are gone.

use std::collections::BTreeSet;

use serde_json::json;

use crate::model::PodIx;
use crate::testing::{PodBuilder, PolicyHarness, pod};

/// The rounds in which pods with new names are added and removed.
const ROUNDS: usize = 200;
/// The pods of a round, each of a class, a queue and a namespace of its own.
const PODS: usize = 10;
/// The maximum number of classes and names that are kept. Up to this number, unused ones are not collected.
const MOST: usize = 1024 + 10 * PODS;

/// Creates a pod that no other is like, with all the names that a system reads.
fn unlike(system: &str, round: usize, at: usize) -> PodBuilder {
    let unique = format!("r{round}-{at}");
    let draft = pod(&format!("{unique}/p")).requests(&format!("cpu=1{round:03}{at:02}"));
    match system {
        "koordinator" => draft
            .label("quota.scheduling.koordinator.sh/name", &unique)
            .annotation("scheduling.koordinator.sh/reservation-allocated", &json!({"name": unique}).to_string()),
        "volcano" => {
            draft.annotation("scheduling.volcano.sh/queue-name", &unique).annotation("volcano.sh/task-spec", &unique)
        }
        "yunikorn" => draft.label("applicationId", &unique).label("queue", &format!("root.{unique}")),
        _ => draft,
    }
}

#[test]
fn names_and_classes_of_pods_that_are_gone_are_forgotten() {
    for system in ["coscheduling", "koordinator", "kubernetes", "volcano", "yunikorn"] {
        let mut world = PolicyHarness::of(system, "");
        world.node("n", "cpu=100000");
        world.pod(unlike(system, ROUNDS, 0));
        let stays = |world: &PolicyHarness| {
            let cluster = world.engine.cluster();
            let pod = cluster.pod(PodIx(world.id(&format!("r{ROUNDS}-0/p")))).unwrap();
            (pod.requirements.class, pod.namespace, cluster.name_id(&format!("r{ROUNDS}-0")))
        };
        let before = stays(&world);
        for round in 0..ROUNDS {
            let names: Vec<String> = (0..PODS).map(|at| format!("r{round}-{at}/p")).collect();
            (0..PODS).for_each(|at| world.pod(unlike(system, round, at)));
            let cluster = world.engine.cluster();
            let classes: BTreeSet<_> = cluster.pods().map(|(_, pod)| pod.requirements.class).collect();
            assert_eq!(classes.len(), PODS + 1, "{system}: pods that are unlike are of several classes");
            names.iter().for_each(|name| world.remove_pod(name));
            let kept = world.engine.cluster().counts();
            assert!(kept.into_iter().all(|kept| kept <= MOST), "{system}, round {round}: {kept:?} classes and names");
        }
        assert_eq!(stays(&world), before, "{system}: what is there keeps its numbers");
    }
}
