//! From any fixed workload the cycles come to rest, although every victim is created again as a pending pod.
//!
//! The number of states is finite. Cycles that never come to rest must evict a pod and later reach an earlier state again. The test
//! fails when that happens.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::case::{Case, Pod, a_case, a_pod};
use super::host::{Host, State};

/// Generates a case and its pending pods: of all kinds, or pods of one core that differ only in their queue.
fn a_workload() -> impl Strategy<Value = (Case, Vec<Pod>)> {
    let pods = proptest::collection::vec(a_pod(), 1..8);
    (a_case(), pods, any::<bool>()).prop_map(|(mut case, mut pending, plain)| {
        case.nominated = None;
        for pod in case.pods.iter_mut().chain(&mut pending) {
            pod.leaving = false;
            if plain {
                (pod.request, pod.priority, pod.daemon) = ([1, 0, 0], 0, false);
            }
        }
        for queue in case.queues.iter_mut().filter(|_| plain) {
            (queue.fenced, queue.disabled, queue.priority_fenced, queue.offset) = (false, false, false, 0);
        }
        (case, pending)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn replica_sets_come_to_rest((case, pending) in a_workload()) {
        let mut host = Host::new(&case, &pending);
        let mut seen: BTreeMap<State, (usize, usize)> = BTreeMap::new();
        let mut quiet = 0;
        let mut history = Vec::new();
        for round in 0..400 {
            let before = (host.evicted, host.bound);
            host.cycle();
            host.complete();
            quiet = if before == (host.evicted, host.bound) { quiet + 1 } else { 0 };
            if quiet > 3 {
                return Ok(());
            }
            history.push((host.state(), host.used()));
            if let Some((then, evicted)) = seen.insert(host.state(), (round, host.evicted)) {
                let since: Vec<_> = history.iter().skip(then).map(|(_, used)| used).collect();
                prop_assert!(evicted == host.evicted, "{} evictions led from round {then} back to it: {since:#?}", host.evicted - evicted);
            }
        }
        prop_assert!(false, "after 400 rounds pods are still being evicted or bound: {:#?}", history.last());
    }
}
