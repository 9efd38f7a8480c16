//! The victims of accepted plans that have not left yet.

use std::collections::{BTreeMap, BTreeSet};

use lictor_policy::contract::{Phase, PodId};

use super::Occupancy;
use crate::cluster::Mirror;

/// Why a pod is leaving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// The plan.
    pub plan: u64,
    /// The pods that it makes room for.
    pub beneficiaries: BTreeSet<PodId>,
    /// The moment at which the plan is void.
    pub expires: Option<i64>,
}

/// Every victim of an accepted plan that is still in the cluster.
#[derive(Debug, Default)]
pub struct Departures(BTreeMap<PodId, Departure>);

impl Departures {
    /// A victim is planned to leave.
    pub fn plan(&mut self, victim: PodId, departure: Departure) {
        self.0.insert(victim, departure);
    }

    /// All victims, whether or not their plan is still under way.
    pub fn victims(&self) -> impl Iterator<Item = PodId> + '_ {
        self.0.keys().copied()
    }

    /// The pod is gone.
    pub fn forget(&mut self, pod: PodId) {
        self.0.remove(&pod);
        for departure in self.0.values_mut() {
            departure.beneficiaries.remove(&pod);
        }
    }

    /// The plan by which a pod is leaving: it is being deleted, or its plan is neither void nor pointless.
    ///
    /// A victim that was only marked stays in the cluster for as long as somebody else likes. When nobody waits for its room
    /// any more, or the plan has expired, another plan may name it again.
    pub fn leaving(&self, mirror: &Mirror, occupancy: &Occupancy, pod: PodId) -> Option<u64> {
        let departure = self.0.get(&pod)?;
        let deleted = mirror.pod(pod).is_some_and(|pod| pod.terminating);
        let void = departure.expires.is_some_and(|end| end <= mirror.now());
        let awaited = |pod: &PodId| {
            let pending = mirror
                .pod(*pod)
                .is_some_and(|pod| pod.phase == Phase::Pending && pod.node.is_none());
            pending && !occupancy.is_held(*pod)
        };
        (deleted || (!void && departure.beneficiaries.iter().any(awaited))).then_some(departure.plan)
    }
}
