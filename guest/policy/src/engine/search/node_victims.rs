//! The victims on one node.
//!
//! The reprieve takes back as many candidates as it can in one order, so it may evict two small pods where a larger one alone costs less.
//! Where the order of nodes says so, the victims on a node are sought by its cost ([`branches`](super::branches)).

use std::collections::BTreeSet;

use super::branches::{Branch, Branching, cheapest};
use super::node_dry_run::{Ask, NodeDryRun};
use crate::laws::harm::{GangLoss, gang_loss};
use crate::laws::{LEAST, NodeChoice, NodeCost, NodeVictims};
use crate::model::{Cluster, PodIx};

/// Sets of victims that are tried on a node at most.
const TRIES: usize = 64;

impl NodeDryRun {
    /// Returns the victims for one more pod, those of the pods that are planned so far included; none where the pod does not fit even
    /// without any candidate.
    pub fn victims_for(&self, cluster: &Cluster, choice: &NodeChoice, ask: &Ask<'_>) -> Option<Vec<PodIx>> {
        let first = self.reprieved(cluster, ask, &Branch::default())?;
        // The candidate that costs least is reprieved last, but for pods of a gang that is too small already, which may cost nothing: where one
        // is enough, no other one costs less. Where all are needed, no other set is enough.
        let costs_nothing = |pod| gang_loss(cluster, pod, ask.earlier) == GangLoss::Nothing;
        let is_free = |ix: PodIx| choice.by.short_gangs_are_free && cluster.pod(ix).is_some_and(costs_nothing);
        let is_settled = match first.as_slice() {
            [] => true,
            all if all.len() == self.candidates.len() => true,
            [one] => is_free(*one) || !self.candidates.iter().any(|candidate| is_free(candidate.pod)),
            _ => false,
        };
        if is_settled || !(choice.by.seeks)(cluster, &self.pods()) {
            return Some(first);
        }
        let earlier = ask.earlier.iter().copied().filter(|ix| !self.victims.contains(ix)).collect();
        let mut search = OnNode { dry_run: self, cluster, choice, ask, earlier };
        Some(cheapest(&mut search, (Branch::default(), first), TRIES).1)
    }

    /// Returns how many of these pods have an exhausted disruption budget.
    pub fn violations(&self, victims: &[PodIx]) -> usize {
        let protected = self.candidates.iter().take(self.protected);
        protected.filter(|candidate| victims.contains(&candidate.pod)).count()
    }
}

/// The search for the cheapest victims on a node.
struct OnNode<'a> {
    dry_run: &'a NodeDryRun,
    cluster: &'a Cluster,
    choice: &'a NodeChoice,
    ask: &'a Ask<'a>,
    /// The victims of the plan on other nodes.
    earlier: BTreeSet<PodIx>,
}

impl OnNode<'_> {
    fn cost_of(&self, victims: &[PodIx]) -> NodeCost {
        let (cluster, violations) = (self.cluster, self.dry_run.violations(victims));
        let (together, earlier) = (cluster.with_whole_groups(victims), &self.earlier);
        (self.choice.by.loss)(&NodeVictims { cluster, victims: &together, violations, reluctance: 0, earlier })
    }
}

impl Branching for OnNode<'_> {
    type Plan = Vec<PodIx>;

    fn find(&mut self, branch: &Branch) -> Option<Vec<PodIx>> {
        self.dry_run.reprieved(self.cluster, self.ask, branch)
    }

    fn cost(&self, victims: &Vec<PodIx>) -> NodeCost {
        self.cost_of(victims)
    }

    /// Each victim by itself, in the order of reprieve.
    fn sets(&self, victims: &Vec<PodIx>) -> Vec<BTreeSet<PodIx>> {
        victims.iter().map(|ix| BTreeSet::from([*ix])).collect()
    }

    fn least(&self, victims: &BTreeSet<PodIx>) -> NodeCost {
        if victims.is_empty() { LEAST } else { self.cost_of(&victims.iter().copied().collect::<Vec<_>>()) }
    }
}
