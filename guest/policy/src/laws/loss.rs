//! What a plan costs on a node: what the orders of nodes weigh.

use crate::model::{Cluster, Pod, PodIx};

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
}

impl<'a> NodeVictims<'a> {
    /// Returns these victims, none of which has a reason to be spared.
    pub fn of(cluster: &'a Cluster, victims: &'a [PodIx]) -> NodeVictims<'a> {
        NodeVictims { cluster, victims, violations: 0, reluctance: 0 }
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
        self.pods().map(|pod| self.cluster.cluster_share(&pod.request)).fold(0, i64::saturating_add)
    }

    /// How many they are.
    pub fn count(&self) -> i64 {
        count(self.victims.len())
    }
}

/// What is known of the victims of any plan on a node before one is looked for there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeastVictims {
    /// They are taken at least so reluctantly in sum (see [`Reluctance`](super::Reluctance)).
    pub reluctance: i64,
    /// They are at least so many, never 0.
    pub count: i64,
    /// The most important of them has at least this priority.
    pub highest: i64,
    /// Their priorities, each counted from the lowest possible one, are at least this in sum.
    pub priorities: i64,
    /// If none of them is more important than that, they hold at least this part of the cluster (see [`Cluster::cluster_share`]).
    pub share: i64,
    /// If none of them is more important than that, then none was created after this moment, nanoseconds since 1970.
    pub youngest: i64,
}

/// A priority, counted from the lowest possible one.
pub fn counted(priority: i32) -> i64 {
    i64::from(priority).saturating_sub(i64::from(i32::MIN))
}

/// A number of pods as a criterion of loss.
pub fn count(pods: usize) -> i64 {
    i64::try_from(pods).unwrap_or(i64::MAX)
}

/// A loss, criterion by criterion; the first that differs decides, and less is better.
pub type NodeCost = [i64; 5];
