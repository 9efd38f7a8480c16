//! The victims on one node.
//!
//! The reprieve takes back as many candidates as it can in one order, so it may evict two small pods where a larger one alone costs less.
//! Where the order of nodes says so, the victims on a node are sought by its cost ([`branches`](super::branches)).

use std::collections::BTreeSet;

use super::branches::{Branch, Branching, cheapest};
use super::node_dry_run::{NodeDryRun, PodToPlace, VictimCandidate};
use crate::laws::harm::gang_of;
use crate::laws::{LEAST, NodeChoice, NodeCost, NodeVictims};
use crate::model::{Cluster, PodIx};

/// The maximum number of sets of victims that are tried on a node.
const TRIES: usize = 64;

impl NodeDryRun {
    /// Returns the victims for one more pod, including those of the pods that are planned so far. `None`: the pod does not fit even without any
    /// candidate.
    pub fn victims_for(&self, cluster: &Cluster, choice: &NodeChoice, ask: &PodToPlace<'_>) -> Option<Vec<PodIx>> {
        let first = self.victims_after_reprieve(cluster, choice, ask, &Branch::default())?;
        // The cheapest candidate is reprieved last, so if one victim is enough, no other one costs less. Exceptions are pods of a gang below its
        // minimum, which may cost nothing, and groups that are evicted whole. If all candidates are needed, no other set is enough.
        let is_free = |ix: PodIx| cluster.pod(ix).is_some_and(|pod| choice.by.is_free(cluster, pod, ask.earlier));
        let is_settled = match first.as_slice() {
            [] => true,
            all if all.len() == self.candidates.len() => true,
            _ if cluster.has_disruption_groups() => false,
            [one] => is_free(*one) || !self.candidates.iter().any(|candidate| is_free(candidate.pod)),
            _ => false,
        };
        if is_settled || !(choice.by.searches_by_cost)(cluster, &self.pods()) {
            return Some(first);
        }
        let earlier = ask.earlier.iter().copied().filter(|ix| !self.victims.contains(ix)).collect();
        let mut search = NodeVictimSearch { dry_run: self, cluster, choice, pod_to_place: ask, earlier };
        if search.is_cheapest(&first) {
            return Some(first);
        }
        Some(cheapest(&mut search, (Branch::default(), first), TRIES).1)
    }

    /// Returns the number of these pods with an exhausted disruption budget.
    pub fn budget_violations(&self, victims: &[PodIx]) -> usize {
        let protected = self.candidates.iter().take(self.budget_violating);
        protected.filter(|candidate| victims.contains(&candidate.pod)).count()
    }
}

/// The search for the cheapest victims on a node.
struct NodeVictimSearch<'a> {
    dry_run: &'a NodeDryRun,
    cluster: &'a Cluster,
    choice: &'a NodeChoice,
    pod_to_place: &'a PodToPlace<'a>,
    /// The victims of the plan on other nodes.
    earlier: BTreeSet<PodIx>,
}

impl NodeVictimSearch<'_> {
    /// Returns whether certainly no other victims cost less. Any other sufficient set has a candidate that is none of these victims, and costs at
    /// least what that candidate costs alone.
    fn is_cheapest(&self, victims: &[PodIx]) -> bool {
        let alone = |candidate: &VictimCandidate| (candidate.pod, self.cost_of(&[candidate.pod]));
        let alone: Vec<(PodIx, NodeCost)> = self.dry_run.candidates.iter().map(alone).collect();
        let cost = self.cost_of(victims);
        alone.iter().all(|(ix, alone)| *alone >= cost || victims.contains(ix))
            || self.choice.by.depends_on_worst_pod && self.free_equal_amounts() && is_least_of_equals(&alone, victims)
    }

    /// Returns whether all candidates are single pods that free the same amounts. Then only their number decides whether a pod fits.
    fn free_equal_amounts(&self) -> bool {
        let cluster = self.cluster;
        let pods = || self.dry_run.candidates.iter().filter_map(|candidate| cluster.pod(candidate.pod));
        let is_plain = self.dry_run.candidates.iter().all(|candidate| candidate.is_plain());
        let first = pods().next();
        is_plain
            && self.dry_run.budget_violating == 0
            && self.pod_to_place.plan_invariants.is_none()
            && cluster.inter_pod_count() == 0
            && pods().all(|pod| {
                gang_of(cluster, pod).is_none() && first.is_some_and(|first| first.request() == pod.request())
            })
    }

    fn cost_of(&self, victims: &[PodIx]) -> NodeCost {
        let (cluster, violations) = (self.cluster, self.dry_run.budget_violations(victims));
        let (together, earlier) = (cluster.expand_disruption_groups(victims), &self.earlier);
        (self.choice.by.cost)(&NodeVictims {
            cluster,
            victims: &together,
            budget_violations: violations,
            penalty: 0,
            earlier,
        })
    }
}

/// Returns whether no other victims of the same number cost less, of candidates that free the same. Their cost follows from the worst of them in each
/// criterion. So the first criterion is at least the value that as many candidates do not exceed, and the next one likewise among these.
fn is_least_of_equals(alone: &[(PodIx, NodeCost)], victims: &[PodIx]) -> bool {
    let Some(last) = victims.len().checked_sub(1) else { return true };
    let mut left: Vec<(PodIx, NodeCost)> = alone.to_vec();
    for at in 0..LEAST.len() {
        let of = |cost: &NodeCost| cost.get(at).copied().unwrap_or_default();
        left.sort_by_key(|(_, cost)| of(cost));
        let Some(least) = left.get(last).map(|(_, cost)| of(cost)) else { return false };
        let exceeds = |(ix, cost): &(PodIx, NodeCost)| of(cost) > least && victims.contains(ix);
        if left.iter().any(exceeds) {
            return false;
        }
        left.retain(|(_, cost)| of(cost) <= least);
    }
    true
}

impl Branching for NodeVictimSearch<'_> {
    type Plan = Vec<PodIx>;

    fn find(&mut self, branch: &Branch) -> Option<Vec<PodIx>> {
        self.dry_run.victims_after_reprieve(self.cluster, self.choice, self.pod_to_place, branch)
    }

    fn cost(&self, victims: &Vec<PodIx>) -> NodeCost {
        self.cost_of(victims)
    }

    /// Returns each victim as a set of its own, in the order of reprieve.
    fn sets(&self, victims: &Vec<PodIx>) -> Vec<BTreeSet<PodIx>> {
        victims.iter().map(|ix| BTreeSet::from([*ix])).collect()
    }

    fn lower_bound(&self, victims: &BTreeSet<PodIx>) -> NodeCost {
        if victims.is_empty() { LEAST } else { self.cost_of(&victims.iter().copied().collect::<Vec<_>>()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates candidates of one size, numbered in order, with two criteria each.
    fn alone(costs: &[(i64, i64)]) -> Vec<(PodIx, NodeCost)> {
        (0..).map(PodIx).zip(costs.iter().map(|(first, second)| [*first, *second, 0, 0, 0, 0, 0])).collect()
    }

    #[test]
    fn of_equals_the_worst_in_the_first_criterion_decides_then_in_the_next() {
        let costs = alone(&[(0, 2), (1, 0), (1, 0), (2, 0)]);
        let is_least = |victims: [u32; 2]| is_least_of_equals(&costs, &victims.map(PodIx));
        assert!(is_least([1, 2]), "no two do without a 1 in the first criterion, and these are 0 in the second");
        assert!(!is_least([0, 1]), "the second criterion is 2, and 0 is enough");
        assert!(!is_least([1, 3]), "the first criterion is 2, and 1 is enough");
    }
}
