//! The keys of the queue, as the policy gives them (`keys.go`).

use std::collections::BTreeMap;

/// The keys of pods by name.
#[derive(Debug, Default)]
pub(super) struct QueueKeyCache {
    epoch: u64,
    known: BTreeMap<String, String>,
    /// The versions of the pods at the last requests for their keys.
    versions: BTreeMap<String, String>,
    refreshes: bool,
}

impl QueueKeyCache {
    pub(super) fn forget(&mut self, pod: &str) {
        self.known.remove(pod);
        self.versions.remove(pod);
    }

    /// Returns whether to request the key of a pod: the key is not known, or the pod has changed since.
    pub(super) fn needs_key(&mut self, pod: &str, version: &str) -> bool {
        let before = self.versions.insert(pod.to_owned(), version.to_owned());
        !self.known.contains_key(pod) || before.as_deref() != Some(version)
    }

    /// Takes keys of an epoch. Those of another epoch are void; returns the pods that had them where no question for them is under way.
    pub(super) fn store(&mut self, epoch: u64, pairs: Vec<(String, String)>) -> Vec<String> {
        let mut void = Vec::new();
        if epoch != self.epoch {
            if !self.known.is_empty() && !self.refreshes {
                void = self.known.keys().cloned().collect();
                self.refreshes = true;
            }
            self.epoch = epoch;
            self.known.clear();
        }
        self.known.extend(pairs);
        void
    }

    /// Takes the answer to a request for all keys.
    pub(super) fn refreshed(&mut self, epoch: u64, pairs: Vec<(String, String)>) {
        (self.refreshes, self.epoch) = (false, epoch);
        self.known = pairs.into_iter().collect();
    }

    pub(super) fn of(&self, pod: &str) -> Option<&String> {
        self.known.get(pod)
    }
}
