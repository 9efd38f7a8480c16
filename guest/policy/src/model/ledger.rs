//! The ledger: which plans are being carried out.

use serde::{Deserialize, Serialize};

use super::{Cluster, PodIx, PodsByName, SavedPod};

/// A plan that was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry<P> {
    plan: u64,
    /// The host carries it out. Until it says so the plan is only proposed.
    accepted: bool,
    preemptors: Vec<P>,
    victims: Vec<P>,
}

/// The plans under way; in a checkpoint, with its pods by name.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ledger<P = PodIx> {
    last: u64,
    entries: Vec<Entry<P>>,
}

impl<P> Default for Ledger<P> {
    fn default() -> Self {
        Ledger { last: 0, entries: Vec::new() }
    }
}

impl<P> Ledger<P> {
    /// The same with other names for its pods; a pod that has none is left out.
    fn renamed<Q>(&self, rename: impl Fn(&P) -> Option<Q>) -> Ledger<Q> {
        let all = |pods: &[P]| pods.iter().filter_map(&rename).collect();
        let entries = self.entries.iter().map(|entry| Entry {
            plan: entry.plan,
            accepted: entry.accepted,
            preemptors: all(&entry.preemptors),
            victims: all(&entry.victims),
        });
        Ledger { last: self.last, entries: entries.collect() }
    }
}

impl Ledger<SavedPod> {
    /// What a checkpoint says, in a cluster whose pods have these names. A pod that is gone is left out.
    pub fn restored(&self, pods: &PodsByName<'_>) -> Ledger {
        self.renamed(|pod| pods.find(pod))
    }
}

impl Ledger {
    /// The same for a checkpoint.
    pub fn saved(&self, cluster: &Cluster) -> Ledger<SavedPod> {
        self.renamed(|pod| SavedPod::of(cluster, *pod))
    }

    /// A proposal the host never answered is void.
    pub fn forget_unanswered(&mut self) {
        self.entries.retain(|entry| entry.accepted);
    }

    /// Enters a plan that is proposed to the host and gives it its number.
    pub fn propose(&mut self, preemptors: Vec<PodIx>, victims: Vec<PodIx>) -> u64 {
        self.last = self.last.saturating_add(1);
        self.entries.push(Entry { plan: self.last, accepted: false, preemptors, victims });
        self.last
    }

    /// The host carries a plan out. It takes the place of an earlier plan without victims for the same pods.
    pub fn accept(&mut self, plan: u64) {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.plan == plan) else { return };
        entry.accepted = true;
        let preemptors = entry.preemptors.clone();
        self.entries.retain(|entry| {
            let is_older = entry.plan != plan && entry.accepted && entry.victims.is_empty();
            !(is_older && entry.preemptors.iter().any(|pod| preemptors.contains(pod)))
        });
    }

    /// The host does not carry a plan out.
    pub fn refuse(&mut self, plan: u64) {
        self.entries.retain(|entry| entry.plan != plan);
    }

    /// A pod is gone; its number may come to name another.
    pub fn forget_pod(&mut self, pod: PodIx) {
        for entry in &mut self.entries {
            entry.preemptors.retain(|other| *other != pod);
            entry.victims.retain(|other| *other != pod);
        }
    }

    /// Forgets accepted plans whose victims have left. A plan that no preemptor waits for any more is kept until then: its victims are
    /// leaving all the same, and the next preemptor uses their room before any other pod is evicted. A plan without victims is kept while
    /// one of its pods waits: it is in flight until the pods that leave for others have left.
    pub fn prune(&mut self, cluster: &Cluster) {
        let waits = |pod: &PodIx| cluster.pod(*pod).is_some_and(|pod| pod.is_pending());
        let is_in_flight = |entry: &Entry<PodIx>| entry.victims.is_empty() && entry.preemptors.iter().any(waits);
        self.entries.retain(|entry| !entry.accepted || entry.left(cluster) > 0 || is_in_flight(entry));
    }

    /// Returns whether a plan without victims is in flight for a pod.
    pub fn awaits(&self, pod: PodIx) -> bool {
        let mut entries = self.entries.iter().filter(|entry| entry.accepted && entry.victims.is_empty());
        entries.any(|entry| entry.preemptors.contains(&pod))
    }

    /// The plan for one of these pods that is under way, and how many of its victims are left.
    pub fn underway(&self, cluster: &Cluster, preemptors: &[PodIx]) -> Option<(u64, usize)> {
        let waits = |pod: &PodIx| cluster.pod(*pod).is_some_and(|pod| pod.is_pending());
        let mine = |entry: &&Entry<PodIx>| {
            entry.accepted
                && entry.preemptors.iter().any(|pod| preemptors.contains(pod))
                && entry.preemptors.iter().any(waits)
        };
        self.entries.iter().filter(mine).map(|entry| (entry.plan, entry.left(cluster))).find(|(_, left)| *left > 0)
    }

    /// The victims of a plan.
    pub fn victims_of(&self, plan: u64) -> &[PodIx] {
        self.entries.iter().find(|entry| entry.plan == plan).map(|entry| entry.victims.as_slice()).unwrap_or_default()
    }

    /// The victims of the plans that are under way.
    pub fn victims(&self) -> impl Iterator<Item = PodIx> + '_ {
        self.entries.iter().filter(|entry| entry.accepted).flat_map(|entry| entry.victims.iter().copied())
    }

    /// Whether a pod is a victim of a plan that is under way.
    pub fn is_victim(&self, pod: PodIx) -> bool {
        self.entries.iter().any(|entry| entry.accepted && entry.victims.contains(&pod))
    }
}

impl Entry<PodIx> {
    /// Counts the victims that still hold a node.
    fn left(&self, cluster: &Cluster) -> usize {
        let holds = |pod: &&PodIx| cluster.pod(**pod).is_some_and(|pod| pod.place.node().is_some());
        self.victims.iter().filter(holds).count()
    }
}
