//! Lets a simulation come to rest, and looks at what is left.

use std::collections::{BTreeMap, BTreeSet};

use super::play::{FaultProbabilities, SECOND, SessionSimulation};
use crate::cluster::Mirror;
use crate::session::SessionInput;

impl SessionSimulation {
    /// Completes everything that is in flight, without any further failure.
    ///
    /// # Panics
    /// The simulation does not come to rest.
    pub fn settle(&mut self) {
        self.faults.chances = FaultProbabilities { fails: 0, lost: 0, twice: 0, breaks: 0 };
        self.faults.fuse.set(-1);
        let mut quiet = 0;
        for _ in 0..200 {
            let before = self.record.requests.values().sum::<usize>();
            while self.is_busy() {
                self.apply_one();
                self.deliver_one();
                self.deliver_outcome();
            }
            self.remove_one();
            self.now += 40 * SECOND;
            self.serve(SessionInput::Clock(self.now));
            self.tried.clear();
            self.serve(SessionInput::Cycle);
            let gone = self.cluster.pods.values().all(|pod| !pod.deleted && !pod.evicted);
            quiet = if gone && !self.is_busy() && before == self.record.requests.values().sum::<usize>() {
                quiet + 1
            } else {
                0
            };
            if quiet == 3 {
                return;
            }
        }
        panic!("it does not settle: {:?}", self.record.requests);
    }

    /// Checks a simulation that came to rest: the session's picture matches the cluster, and no pod is forgotten.
    ///
    /// # Panics
    /// A check fails.
    pub fn check(&self, mut fresh: Mirror, pod_by_pod: bool) {
        assert_eq!(self.session.commands_in_flight(), 0);
        self.nominations.check(self.session.mirror());
        for object in self.cluster.objects() {
            fresh.upsert(object);
        }
        assert_eq!(pod_states(self.session.mirror()), pod_states(&fresh));
        let waiting = self.session.waiting();
        let pending: BTreeSet<String> =
            self.session.pending().filter_map(|pod| self.session.mirror().pod_name(pod)).map(str::to_owned).collect();
        for (name, _) in self.cluster.pods.iter().filter(|(_, pod)| pod.node.is_none()) {
            let name = format!("default/{name}");
            assert!(pending.contains(&name) || waiting.contains_key(&name), "`{name}` is forgotten");
            assert!(!pod_by_pod || self.tried.contains(&name) || waiting.contains_key(&name), "`{name}` is not tried");
        }
    }
}

/// Returns what is known of the pods, by name: uid, node, nomination, and whether they are being deleted.
fn pod_states(mirror: &Mirror) -> BTreeMap<String, (String, Option<String>, Option<String>, bool)> {
    let node = |id: Option<u32>| id.and_then(|id| mirror.node(id)).map(|node| node.name.clone());
    let pods = mirror.pods().filter_map(|pod| {
        let name = mirror.pod_name(pod.id)?.to_owned();
        Some((name, (pod.uid.clone(), node(pod.node), node(pod.nominated), pod.terminating)))
    });
    pods.collect()
}
