//! On random trees and workloads: no plan breaks a law, no pod is evicted without need, and a legal set is found where one exists.
//!
//! The laws are restated here over names and plain numbers, and every eviction set on every node is tried.

mod case;
mod host;
mod rest;
mod restated;

use crate::contract::NotedPods;
use proptest::prelude::*;

use case::{NODES, Pod, a_case};
use restated::subsets;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_evicts_a_smallest_legal_set_and_is_found_where_one_exists(case in a_case()) {
        let mut scene = case.scene();
        scene.0.pre_filter("q-preemptor");
        let plan = scene.0.plan("q-preemptor");
        let legal = case.legal();
        let Ok(plan) = plan else {
            let fits_after_terminations = (0..NODES).any(|node| case.is_large_enough(node) && case.has_room(node, &[]) && case.fits_max(&[]));
            prop_assert!(fits_after_terminations || legal.is_empty(), "{legal:?} are legal, but there is no plan: {plan:?}");
            return Ok(());
        };
        let node: usize = plan.nominations.values().next().unwrap().trim_start_matches('n').parse().unwrap();
        let victims: Vec<&Pod> = case.pods.iter().filter(|pod| plan.victims.contains(&format!("default/{}", pod.name))).collect();
        prop_assert_eq!(victims.len(), plan.victims.len());
        prop_assert!(victims.iter().all(|pod| pod.node == node), "{victims:?} are not all on n{node}");
        prop_assert!(case.is_legal(node, &victims), "{victims:?}");
        if victims.is_empty() {
            prop_assert!(case.preemptor.daemon, "a plan without victims, and the preemptor is not of a DaemonSet");
            return Ok(());
        }
        for fewer in subsets(&victims).into_iter().filter(|fewer| fewer.len() < victims.len()).chain([Vec::new()]) {
            prop_assert!(!case.is_legal(node, &fewer), "{fewer:?} suffices instead of {victims:?}");
        }
        let least = legal.iter().map(|(_, victims)| case.cost(victims)).min();
        // While explanations are recorded, every node is priced: bounds on the cost of the others change no plan.
        scene.0.engine.record_notes(&NotedPods::All);
        prop_assert_eq!(scene.0.plan("q-preemptor").map(|explained| explained.victims), Ok(plan.victims));
        prop_assert!(Some(case.cost(&victims)) <= least, "{victims:?} costs {:?}, although {least:?} of {legal:?}", case.cost(&victims));
    }
}
