//! The pods that leave by plans, and the pods that these leave for (`victims.go`).

use std::collections::BTreeMap;

/// The victims of plans, and the pods that their plans nominate.
#[derive(Debug, Default)]
pub(super) struct VictimBeneficiaries(BTreeMap<String, Vec<String>>);

impl VictimBeneficiaries {
    /// Takes note that a pod is evicted for these. Where there are none, the room is for all pods.
    pub(super) fn record_eviction(&mut self, victim: &str, preemptors: &[String]) {
        if !preemptors.is_empty() {
            self.0.insert(victim.to_owned(), preemptors.to_vec());
        }
    }

    /// Takes note that a pod is not evicted after all.
    pub(super) fn record_stay(&mut self, victim: &str) {
        self.0.remove(victim);
    }

    /// Returns whether the room of a pod that has left may be for this pod: it was promised to no other.
    pub(super) fn is_capacity_for(&self, left: &str, pod: &str) -> bool {
        self.0.get(left).is_none_or(|preemptors| preemptors.iter().any(|it| it == pod))
    }
}
