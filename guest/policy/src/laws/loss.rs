//! What a plan costs on a node: what the orders of nodes weigh.

use std::collections::BTreeSet;

use super::harm::{GangLoss, Harm, gang_loss};
use crate::model::{Cluster, NO_PODS, Pod, PodIx};

/// What is lost on a node when a plan is carried out there.
#[derive(Debug, Clone, Copy)]
pub struct NodeVictims<'a> {
    /// The cluster.
    pub cluster: &'a Cluster,
    /// The victims.
    pub victims: &'a [PodIx],
    /// How many of them against their disruption budgets.
    pub violations: usize,
    /// How reluctantly they are taken in sum (see [`Reluctance`](super::Reluctance)).
    pub reluctance: i64,
    /// The victims of the same plan that count already.
    pub earlier: &'a BTreeSet<PodIx>,
}

impl<'a> NodeVictims<'a> {
    /// Returns these victims, none of which has a reason to be spared.
    pub fn of(cluster: &'a Cluster, victims: &'a [PodIx]) -> NodeVictims<'a> {
        NodeVictims { cluster, victims, violations: 0, reluctance: 0, earlier: &NO_PODS }
    }

    /// The victims.
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.victims.iter().filter_map(|ix| self.cluster.pod(*ix))
    }

    /// The priority of the most important of them; lower than any where no pod is evicted.
    pub fn highest(&self) -> i64 {
        self.pods().map(|pod| i64::from(pod.priority())).max().unwrap_or(i64::MIN)
    }

    /// Returns the part of the cluster that they hold (see [`Cluster::cluster_share`]).
    pub fn share(&self) -> i64 {
        self.pods().map(|pod| self.cluster.pod_share(pod)).fold(0, i64::saturating_add)
    }

    /// Returns how often the job among theirs that was evicted most often was evicted before.
    pub fn past_evictions(&self) -> i64 {
        self.pods().map(|pod| i64::from(pod.past_evictions)).max().unwrap_or(0)
    }

    /// How many they are.
    pub fn count(&self) -> i64 {
        count(self.victims.len())
    }

    /// Returns the priority of the most important of them that would go on running otherwise: a pod of a gang that the plan has broken
    /// already stops anyway. Lower than any where there is none.
    pub fn highest_stopped(&self) -> i64 {
        let stops = |pod: &&Pod| !pod.is_leaving() && gang_loss(self.cluster, pod, self.earlier) != GangLoss::Nothing;
        self.pods().filter(stops).map(|pod| i64::from(pod.priority())).max().unwrap_or(i64::MIN)
    }

    /// Returns what stops with them.
    pub fn harm(&self) -> Harm {
        Harm::of(self.cluster, self.victims, self.earlier)
    }
}

/// The victims of any plan on a node, as far as they are known before one is looked for there. A law asks for what it weighs, and the rest is
/// not worked out. What is not known is answered by a number that excludes no plan.
pub trait LeastVictims {
    /// Returns how reluctantly they are taken at least in sum (see [`Reluctance`](super::Reluctance)).
    fn reluctance(&self) -> i64 {
        0
    }

    /// Returns how many they are at least, never 0.
    fn count(&self) -> i64;

    /// Returns the priority that the most important of them has at least.
    fn highest(&self) -> i64;

    /// Returns what their priorities, each counted from the lowest possible one, are at least in sum.
    fn priorities(&self) -> i64 {
        0
    }

    /// Returns the part of the cluster that they hold at least, if none of them is more important than that (see [`Cluster::cluster_share`]).
    fn share(&self) -> i64 {
        0
    }

    /// Returns the moment after which none of them was created, if none of them is more important than that, nanoseconds since 1970.
    fn youngest(&self) -> i64 {
        i64::MAX
    }

    /// Returns the moment at which or before which one of them was started, if none of them is more important than that, nanoseconds since 1970.
    fn earliest_start(&self) -> i64 {
        i64::MAX
    }

    /// Returns what they stop at least in sum, where no gang is broken already (see [`Harm::size`]).
    fn size(&self) -> i64 {
        0
    }
}

/// A priority, counted from the lowest possible one.
pub fn counted(priority: i32) -> i64 {
    i64::from(priority).saturating_sub(i64::from(i32::MIN))
}

/// A number of pods as a criterion of loss.
pub fn count(pods: usize) -> i64 {
    i64::try_from(pods).unwrap_or(i64::MAX)
}

/// How many criteria a loss has at most.
const CRITERIA: usize = 7;

/// A loss, criterion by criterion; the first that differs decides, and less is better.
pub type NodeCost = [i64; CRITERIA];

/// Less than any loss.
pub const LEAST: NodeCost = [i64::MIN; CRITERIA];

/// More than any loss.
pub const MOST: NodeCost = [i64::MAX; CRITERIA];
