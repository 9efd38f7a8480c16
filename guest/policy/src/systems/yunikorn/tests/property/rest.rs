//! From any fixed workload the cycles come to rest, though every victim comes back as a pod that waits again.
//!
//! Who holds a node can only be in so many ways: where they never come to rest, somebody was evicted and everybody is again where
//! they were before. That is what must not happen.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::case::{Case, Pod, a_case, a_pod};
use super::host::{Host, State};

/// A case and those who wait in it: of all kinds, or pods of one core that differ in nothing but their queue.
fn a_workload() -> impl Strategy<Value = (Case, Vec<Pod>)> {
    let pods = proptest::collection::vec(a_pod(), 1..8);
    (a_case(), pods, any::<bool>()).prop_map(|(mut case, mut waiting, plain)| {
        case.promised = None;
        for pod in case.pods.iter_mut().chain(&mut waiting) {
            pod.leaving = false;
            if plain {
                (pod.ask, pod.priority, pod.daemon) = ([1, 0, 0], 0, false);
            }
        }
        for queue in case.queues.iter_mut().filter(|_| plain) {
            (queue.fenced, queue.spared, queue.priority_fenced, queue.offset) = (false, false, false, 0);
        }
        (case, waiting)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn replica_sets_come_to_rest((case, waiting) in a_workload()) {
        let mut host = Host::new(&case, &waiting);
        let mut seen: BTreeMap<State, (usize, usize)> = BTreeMap::new();
        let mut quiet = 0;
        let mut story = Vec::new();
        for round in 0..400 {
            let before = (host.evicted, host.bound);
            host.cycle();
            host.complete();
            quiet = if before == (host.evicted, host.bound) { quiet + 1 } else { 0 };
            if quiet > 3 {
                return Ok(());
            }
            story.push((host.state(), host.used()));
            if let Some((then, evicted)) = seen.insert(host.state(), (round, host.evicted)) {
                let since: Vec<_> = story.iter().skip(then).map(|(_, used)| used).collect();
                prop_assert!(evicted == host.evicted, "{} evictions led from round {then} back to it: {since:#?}", host.evicted - evicted);
            }
        }
        prop_assert!(false, "after 400 rounds somebody is still being evicted or bound: {:#?}", story.last());
    }
}
