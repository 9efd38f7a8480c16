//! Whatever is tried, nothing of it is left.

use proptest::prelude::*;

use super::inter_pods::{Told, judged_right};
use super::random::{self, Happening, known};
use super::{audit, audit::snapshot};
use crate::model::{Cluster, NodeIx, PodIx, PodLocation, Trial};
use crate::testing::PolicyHarness;

/// One step of a trial.
#[derive(Debug, Clone)]
enum Step {
    Evict(usize),
    EvictParty(usize),
    Place(usize, u32),
    PutBack(usize),
    Mark,
    Rewind,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..8usize).prop_map(Step::Evict),
        (0..8usize).prop_map(Step::EvictParty),
        (0..8usize, 0..4u32).prop_map(|(pod, node)| Step::Place(pod, node)),
        (0..8usize).prop_map(Step::PutBack),
        Just(Step::Mark),
        Just(Step::Rewind),
    ];
    proptest::collection::vec(step, 0..30)
}

fn books_add_up(cluster: &Cluster) {
    audit::nodes_add_up(cluster);
    audit::queues_add_up(cluster);
}

/// Returns the last announced topologies and constraints between pods.
fn told(happenings: &[Happening]) -> Told {
    let mut told = Told::default();
    for happening in happenings {
        match happening {
            Happening::Topology(topology) => drop(told.topologies.insert(topology.id, topology.clone())),
            Happening::InterPod(inter_pod) => drop(told.inter_pods.insert(inter_pod.id, inter_pod.clone())),
            _ => {}
        }
    }
    told
}

proptest! {
    #[test]
    fn a_trial_leaves_nothing_behind(happenings in random::happenings(), steps in steps()) {
        let mut world = PolicyHarness::new();
        happenings.iter().for_each(|happening| random::apply_event(&mut world, happening));
        let pods: Vec<Option<PodIx>> = (0..8).map(|slot| known(&world, slot).map(PodIx)).collect();
        let cluster = world.engine.cluster_mut();
        let places: Vec<Option<PodLocation>> = pods.iter().map(|pod| cluster.pod((*pod)?).map(|pod| pod.state.location)).collect();
        // Nothing is tried with a pod that has ended.
        let ended = |slot: usize| places.get(slot) == Some(&Some(PodLocation::Finished));
        let at = |slot: usize| pods.get(slot).copied().flatten().filter(|_| !ended(slot)).unwrap_or(PodIx(99));
        let (before, told) = (snapshot(cluster), told(&happenings));
        judged_right(cluster, cluster, &told);
        audit::scans_read_the_nodes(cluster, &audit::RESOURCES);
        let untouched = cluster.clone();
        let mut trial = Trial::new(cluster);
        let mut marks = Vec::new();
        for step in &steps {
            match step {
                Step::Evict(slot) => trial.evict(at(*slot)),
                Step::EvictParty(slot) => trial.evict_set(at(*slot)),
                Step::Place(slot, node) => trial.place(at(*slot), NodeIx(*node)),
                Step::PutBack(slot) => {
                    if let Some(place) = places.get(*slot).copied().flatten() {
                        trial.set_location(at(*slot), place);
                    }
                }
                Step::Mark => marks.push((trial.savepoint(), snapshot(trial.cluster()))),
                Step::Rewind => {
                    if let Some((mark, then)) = marks.pop() {
                        trial.rewind(mark);
                        prop_assert_eq!(snapshot(trial.cluster()), then);
                    }
                }
            }
            books_add_up(trial.cluster());
            judged_right(trial.cluster(), &untouched, &told);
        }
        drop(trial);
        audit::scans_read_the_nodes(cluster, &audit::RESOURCES);
        judged_right(cluster, &untouched, &told);
        prop_assert_eq!(snapshot(cluster), before);
    }
}
