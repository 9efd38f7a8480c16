//! On random trees and workloads: no plan breaks a law, nobody goes in vain, and where a group exists one is found.
//!
//! The laws are restated here over names and plain numbers, and every group on every node is tried.

mod case;
mod host;
mod rest;
mod restated;

use proptest::prelude::*;

use case::{NODES, Pod, a_case};
use restated::subsets;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_is_a_smallest_legal_group_and_is_found_where_there_is_one(case in a_case()) {
        let mut scene = case.scene();
        scene.0.pre_filter("q-asker");
        let plan = scene.0.plan("q-asker");
        let legal = case.legal();
        let Ok(plan) = plan else {
            let coming = (0..NODES).any(|node| case.is_large_enough(node) && case.has_room(node, &[]) && case.fits_max(&[]));
            prop_assert!(coming || legal.is_empty(), "there is {legal:?}, but no plan: {plan:?}");
            return Ok(());
        };
        let node: usize = plan.nominations.values().next().unwrap().trim_start_matches('n').parse().unwrap();
        let group: Vec<&Pod> = case.pods.iter().filter(|pod| plan.victims.contains(&format!("default/{}", pod.name))).collect();
        prop_assert_eq!(group.len(), plan.victims.len());
        prop_assert!(group.iter().all(|pod| pod.node == node), "{group:?} are not all on n{node}");
        prop_assert!(case.is_legal(node, &group), "{group:?}");
        if group.is_empty() {
            prop_assert!(case.preemptor.daemon, "nobody makes way, and yet it is a plan");
            return Ok(());
        }
        for fewer in subsets(&group).into_iter().filter(|fewer| fewer.len() < group.len()).chain([Vec::new()]) {
            prop_assert!(!case.is_legal(node, &fewer), "{fewer:?} would do instead of {group:?}");
        }
        let least = legal.iter().map(|(_, group)| case.sorely(group)).min();
        prop_assert!(Some(case.sorely(&group)) <= least, "{group:?}, although {legal:?}");
    }
}
