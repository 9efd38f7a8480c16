//! What a plan costs on a node: what the orders of nodes weigh.

use std::collections::BTreeSet;

use super::harm::{GangLoss, Harm, gang_loss};
use crate::model::{Cluster, NO_PODS, PodInfo, PodIx};

/// The victims of a plan on a node, as a law about costs reads them.
#[derive(Debug, Clone, Copy)]
pub struct NodeVictims<'a> {
    /// The cluster.
    pub cluster: &'a Cluster,
    /// The victims.
    pub victims: &'a [PodIx],
    /// The number of victims whose disruption budget is violated.
    pub budget_violations: usize,
    /// The sum of the reluctance of the victims (see [`EvictionPenaltyFn`](super::EvictionPenaltyFn)).
    pub penalty: i64,
    /// The victims of the same plan that are counted already.
    pub earlier: &'a BTreeSet<PodIx>,
}

impl<'a> NodeVictims<'a> {
    /// Creates the input of a law from these victims, none of which has a reason to be spared.
    pub fn of(cluster: &'a Cluster, victims: &'a [PodIx]) -> NodeVictims<'a> {
        NodeVictims { cluster, victims, budget_violations: 0, penalty: 0, earlier: &NO_PODS }
    }

    /// Returns the victims.
    pub fn pods(&self) -> impl Iterator<Item = &PodInfo> {
        self.victims.iter().filter_map(|ix| self.cluster.pod(*ix))
    }

    /// Returns the priority of the most important victim. Lower than any priority if there is no victim.
    pub fn highest(&self) -> i64 {
        self.pods().map(|pod| i64::from(pod.priority())).max().unwrap_or(i64::MIN)
    }

    /// Returns the share of the cluster that the victims use (see [`Cluster::cluster_share`]).
    pub fn share(&self) -> i64 {
        self.pods().map(|pod| self.cluster.pod_share(pod)).fold(0, i64::saturating_add)
    }

    /// Returns the number of past evictions of the job that was evicted most often, among the jobs of the victims.
    pub fn past_evictions(&self) -> i64 {
        self.pods().map(|pod| i64::from(pod.past_evictions)).max().unwrap_or(0)
    }

    /// Returns the number of victims.
    pub fn count(&self) -> i64 {
        as_cost(self.victims.len())
    }

    /// Returns the priority of the most important victim that would go on running otherwise: a pod of a gang that the plan has broken already stops
    /// anyway. Lower than any priority if there is no such victim.
    pub fn highest_stopped(&self) -> i64 {
        let stops =
            |pod: &&PodInfo| !pod.is_leaving() && gang_loss(self.cluster, pod, self.earlier) != GangLoss::Nothing;
        self.pods().filter(stops).map(|pod| i64::from(pod.priority())).max().unwrap_or(i64::MIN)
    }

    /// Returns what stops with the victims.
    pub fn harm(&self) -> Harm {
        Harm::of(self.cluster, self.victims, self.earlier)
    }
}

/// Lower bounds of the victims of any plan on a node, before a plan is searched there. A law reads only the bounds that it needs, and the others are
/// not computed. An unknown bound is a number that excludes no plan.
pub trait VictimLowerBound {
    /// Returns a lower bound of the summed reluctance of the victims (see [`EvictionPenaltyFn`](super::EvictionPenaltyFn)).
    fn penalty(&self) -> i64 {
        0
    }

    /// Returns a lower bound of the number of victims, never 0.
    fn count(&self) -> i64;

    /// Returns a lower bound of the priority of the most important victim.
    fn highest(&self) -> i64;

    /// Returns a lower bound of the summed priorities of the victims, each counted from the lowest possible one.
    fn priorities(&self) -> i64 {
        0
    }

    /// Returns a lower bound of the share of the cluster that the victims use, if none of them is more important than
    /// [`highest`](LeastVictims::highest) (see [`Cluster::cluster_share`]).
    fn share(&self) -> i64 {
        0
    }

    /// Returns an upper bound of the creation of the victims, in nanoseconds since 1970, if none of them is more important than
    /// [`highest`](LeastVictims::highest).
    fn youngest(&self) -> i64 {
        i64::MAX
    }

    /// Returns an upper bound of the earliest start of a victim, in nanoseconds since 1970, if none of them is more important than
    /// [`highest`](LeastVictims::highest).
    fn earliest_start(&self) -> i64 {
        i64::MAX
    }

    /// Returns a lower bound of the size of what the victims stop, where no gang is broken already (see [`Harm::size`]).
    fn size(&self) -> i64 {
        0
    }
}

/// Returns a priority as a distance from the lowest possible one, so that sums never fall.
pub fn priority_from_minimum(priority: i32) -> i64 {
    i64::from(priority).saturating_sub(i64::from(i32::MIN))
}

/// Converts a number of pods into a criterion of cost.
pub fn as_cost(pods: usize) -> i64 {
    i64::try_from(pods).unwrap_or(i64::MAX)
}

/// The maximum number of criteria of a cost.
const CRITERIA: usize = 7;

/// A cost by criteria. The first criterion that differs decides, and less is better.
pub type NodeCost = [i64; CRITERIA];

/// The cost below every other cost.
pub const LEAST: NodeCost = [i64::MIN; CRITERIA];

/// The cost above every other cost.
pub const MOST: NodeCost = [i64::MAX; CRITERIA];
