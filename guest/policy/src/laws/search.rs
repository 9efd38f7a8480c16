//! The ways to search for a plan, with the laws that belong to one way only.

use super::{ActiveLaw, EvictionPenaltyFn, LawCheck};

/// The way in which a system searches for a plan.
#[derive(Debug, Clone)]
pub enum SearchKind {
    /// Remove every candidate, place the whole job, reprieve the candidates that still fit.
    RemoveAllThenReprieve,
    /// Node by node: remove every candidate, reprieve those that still fit; then choose a node.
    NodeByNode(MinCandidateNodes),
    /// Bundles of victims, job by job; within the system's own cycle.
    JobBundles,
    /// Node by node: gather the smallest group whose eviction frees enough, protecting pods where possible.
    SmallestGroupOnNode(VictimGroupLaws),
}

/// The number of nodes with a plan that ends a search.
#[derive(Debug, Clone, Copy)]
pub struct MinCandidateNodes {
    /// The percentage of the nodes that could take the pod.
    pub percentage: u32,
    /// The minimum number of nodes.
    pub absolute: u32,
}

impl Default for MinCandidateNodes {
    /// Returns the default of kube-scheduler.
    fn default() -> MinCandidateNodes {
        MinCandidateNodes { percentage: 10, absolute: 100 }
    }
}

impl MinCandidateNodes {
    /// Returns the number for so many nodes.
    pub fn of(self, nodes: usize) -> usize {
        let size = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        let share = nodes.saturating_mul(size(self.percentage)).checked_div(100).unwrap_or(0);
        share.max(size(self.absolute)).min(nodes)
    }
}

/// The laws by which a group of victims is gathered.
#[derive(Debug, Clone)]
pub struct VictimGroupLaws {
    /// Anti-monotone invariants: if one fails for a set of victims, it fails for every larger set. The search can stop there.
    pub anti_monotone_invariants: Vec<LawCheck>,
    /// The order of victims that are taken only where others are not enough.
    pub last_resort: LastResort,
}

/// An order by reluctance in force.
#[derive(Debug, Clone, Copy)]
pub struct LastResort {
    /// The law.
    pub rule: ActiveLaw,
    /// The reluctance with which a pod is taken.
    pub penalty: EvictionPenaltyFn,
}
