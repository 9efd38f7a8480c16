//! The ledger: which plans are being carried out.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Cluster, PodIdentity, PodIx, PodsByName};

/// A plan that was made, with the pods that it concerns.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct PlanRecord<P> {
    plan: u64,
    /// Whether the host carries the plan out. Before that, the plan is only proposed.
    accepted: bool,
    preemptors: Vec<P>,
    victims: Vec<P>,
}

/// The plans in flight. In a checkpoint, pods are identified by name.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlansInFlight<P = PodIx> {
    last: u64,
    entries: Vec<PlanRecord<P>>,
}

impl<P> Default for PlansInFlight<P> {
    fn default() -> Self {
        PlansInFlight { last: 0, entries: Vec::new() }
    }
}

impl<P> PlansInFlight<P> {
    /// Returns the ledger with other identifiers for its pods. A pod without one is left out.
    fn renamed<Q>(&self, rename: impl Fn(&P) -> Option<Q>) -> PlansInFlight<Q> {
        let all = |pods: &[P]| pods.iter().filter_map(&rename).collect();
        let entries = self.entries.iter().map(|entry| PlanRecord {
            plan: entry.plan,
            accepted: entry.accepted,
            preemptors: all(&entry.preemptors),
            victims: all(&entry.victims),
        });
        PlansInFlight { last: self.last, entries: entries.collect() }
    }
}

impl PlansInFlight<PodIdentity> {
    /// Restores the ledger of a checkpoint in a cluster with these pods. A pod that is gone is left out.
    pub fn restored(&self, pods: &PodsByName<'_>) -> PlansInFlight {
        self.renamed(|pod| pods.find(pod))
    }
}

impl PlansInFlight {
    /// Returns the ledger for a checkpoint.
    pub fn saved(&self, cluster: &Cluster) -> PlansInFlight<PodIdentity> {
        self.renamed(|pod| PodIdentity::of(cluster, *pod))
    }

    /// Removes the proposals that the host never answered; they are void.
    pub fn drop_proposed(&mut self) {
        self.entries.retain(|entry| entry.accepted);
    }

    /// Enters a plan that is proposed to the host and gives it its number.
    pub fn add_proposed(&mut self, preemptors: Vec<PodIx>, victims: Vec<PodIx>) -> u64 {
        self.last = self.last.saturating_add(1);
        self.entries.push(PlanRecord { plan: self.last, accepted: false, preemptors, victims });
        self.last
    }

    /// Records that the host carries a plan out. The plan replaces an earlier accepted plan without victims for the same pods.
    pub fn mark_accepted(&mut self, plan: u64) {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.plan == plan) else { return };
        entry.accepted = true;
        let preemptors = entry.preemptors.clone();
        self.entries.retain(|entry| {
            let is_older = entry.plan != plan && entry.accepted && entry.victims.is_empty();
            !(is_older && entry.preemptors.iter().any(|pod| preemptors.contains(pod)))
        });
    }

    /// Removes a plan that the host does not carry out.
    pub fn remove(&mut self, plan: u64) {
        self.entries.retain(|entry| entry.plan != plan);
    }

    /// Removes a pod that is gone from all plans, as its number may be given to another pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        for entry in &mut self.entries {
            entry.preemptors.retain(|other| *other != pod);
            entry.victims.retain(|other| *other != pod);
        }
    }

    /// Forgets accepted plans whose victims have left. A plan without waiting preemptors is kept until then: its victims are leaving all the same,
    /// and the next preemptor uses their capacity before any other pod is evicted. A plan without victims is kept while one of its pods waits,
    /// because it is in flight until the leaving pods have left.
    ///
    /// A victim that has left its node is no victim any more, even while others of its plan leave: one that was held at Permit stays in the cluster,
    /// and may get another node.
    pub fn drop_finished(&mut self, cluster: &Cluster) {
        let waits = |pod: &PodIx| cluster.pod(*pod).is_some_and(|pod| pod.is_pending());
        let is_in_flight = |entry: &PlanRecord<PodIx>| entry.victims.is_empty() && entry.preemptors.iter().any(waits);
        self.entries.retain(|entry| !entry.accepted || entry.victims_left(cluster) > 0 || is_in_flight(entry));
        for entry in self.entries.iter_mut().filter(|entry| entry.accepted) {
            entry.victims.retain(|pod| has_node(cluster, *pod));
        }
    }

    /// Returns whether a plan without victims is in flight for a pod.
    pub fn is_in_flight_for(&self, pod: PodIx) -> bool {
        let mut entries = self.entries.iter().filter(|entry| entry.accepted && entry.victims.is_empty());
        entries.any(|entry| entry.preemptors.contains(&pod))
    }

    /// Returns the accepted plan for one of these pods, and how many of its victims still use a node. `None`: no such plan has victims left, or no
    /// pod of it waits.
    pub fn victims_left_for(&self, cluster: &Cluster, preemptors: &[PodIx]) -> Option<(u64, usize)> {
        let waits = |pod: &PodIx| cluster.pod(*pod).is_some_and(|pod| pod.is_pending());
        let mine = |entry: &&PlanRecord<PodIx>| {
            entry.accepted
                && entry.preemptors.iter().any(|pod| preemptors.contains(pod))
                && entry.preemptors.iter().any(waits)
        };
        self.entries
            .iter()
            .filter(mine)
            .map(|entry| (entry.plan, entry.victims_left(cluster)))
            .find(|(_, left)| *left > 0)
    }

    /// Returns the victims of a plan. Empty for an unknown plan.
    pub fn victims_of(&self, plan: u64) -> &[PodIx] {
        self.entries.iter().find(|entry| entry.plan == plan).map(|entry| entry.victims.as_slice()).unwrap_or_default()
    }

    /// Returns the victims of the accepted plans.
    pub fn victims(&self) -> impl Iterator<Item = PodIx> + '_ {
        self.entries.iter().filter(|entry| entry.accepted).flat_map(|entry| entry.victims.iter().copied())
    }

    /// Returns the pods that leave without a new plan: those that are being deleted or marked and use a node, and the victims of the accepted plans.
    pub fn leaving(&self, cluster: &Cluster) -> BTreeSet<PodIx> {
        cluster.leaving().chain(self.victims()).collect()
    }

    /// Checks whether a pod is a victim of an accepted plan.
    pub fn is_victim(&self, pod: PodIx) -> bool {
        self.entries.iter().any(|entry| entry.accepted && entry.victims.contains(&pod))
    }
}

impl PlanRecord<PodIx> {
    /// Returns the number of victims that still use a node.
    fn victims_left(&self, cluster: &Cluster) -> usize {
        self.victims.iter().filter(|pod| has_node(cluster, **pod)).count()
    }
}

/// Returns whether a pod uses a node, or is held for one.
fn has_node(cluster: &Cluster, pod: PodIx) -> bool {
    cluster.pod(pod).is_some_and(|pod| pod.node().is_some())
}
