//! Whatever happens, usage is the sum over the pods.

use proptest::prelude::*;

use super::{audit, random};
use crate::testing::PolicyHarness;

#[test]
fn ranks_stay_in_order_when_all_are_given_anew() {
    let mut world = PolicyHarness::new();
    // Every name falls between the first one and the one before: the gap halves each time until it is used up.
    for at in ["a".to_owned()].into_iter().chain((10..60).rev().map(|at| format!("b{at}"))) {
        world.node(&at, "cpu=1");
        world.pod(crate::testing::pod(&at));
    }
    audit::lists_are_right(world.engine.cluster());
    audit::nodes_are_in_order(world.engine.cluster_mut());
}

proptest! {
    #[test]
    fn the_books_are_those_of_the_pods(happenings in random::happenings()) {
        let mut world = PolicyHarness::new();
        for (at, happening) in happenings.iter().enumerate() {
            random::apply_event(&mut world, happening);
            audit::scans_read_the_nodes(world.engine.cluster_mut(), audit::RESOURCES.get(..=at % 3).unwrap());
            audit::nodes_are_in_order(world.engine.cluster_mut());
            audit::nodes_add_up(world.engine.cluster());
            audit::queues_add_up(world.engine.cluster());
            audit::lists_are_right(world.engine.cluster());
            audit::jobs_count_their_pods(world.engine.cluster());
        }
    }

    /// Checks that every pod belongs to the quota that its label names, or to the default quota if there is no such quota.
    #[test]
    fn every_pod_is_where_its_label_says(happenings in random::happenings()) {
        let mut world = PolicyHarness::new();
        happenings.iter().for_each(|happening| random::apply_event(&mut world, happening));
        let cluster = world.engine.cluster();
        for (_, pod) in cluster.pods().filter(|(_, pod)| pod.name.kind == crate::model::PodKind::Pod) {
            let named = pod.attributes.queue_name.and_then(|name| cluster.queue_named(name));
            let default = cluster.name_id(crate::testing::DEFAULT).and_then(|name| cluster.queue_named(name));
            prop_assert_eq!(pod.queue, named.or(default));
        }
    }
}
