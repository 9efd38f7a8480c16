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
    /// All the reasons there were to spare some of them (see [`LastResort`]).
    pub reasons: u8,
}

impl NodeVictims<'_> {
    /// The victims.
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.victims.iter().filter_map(|ix| self.cluster.pod(*ix))
    }

    /// The priority of the most important of them; lower than any where no pod is evicted.
    pub fn highest(&self) -> i64 {
        self.pods().map(|pod| i64::from(pod.priority())).max().unwrap_or(i64::MIN)
    }

    /// How many they are.
    pub fn count(&self) -> i64 {
        count(self.victims.len())
    }
}

/// A number of pods as a criterion of loss.
pub fn count(pods: usize) -> i64 {
    i64::try_from(pods).unwrap_or(i64::MAX)
}

/// A loss, criterion by criterion; the first that differs decides, and less is better.
pub type NodeCost = [i64; 5];
