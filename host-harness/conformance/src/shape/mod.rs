//! Clusters of any size, to measure with: full nodes, and a job that must preempt.
//!
//! A [`ClusterSize`] is a few numbers; the same numbers give the same cluster on every machine. Every node is full of running pods, which are
//! dealt over queues (quotas, applications, priorities: what the system has). A job waits that is to get room, and a pod that cannot get
//! any. Shapes have names, `SYSTEM-NODES`, with the numbers that the field publishes figures for.

mod objects;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use lictor_oracle::SystemKind;

/// The namespace of all pods.
const NAMESPACE: &str = "work";

/// The size of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterSize {
    /// The system whose objects the cluster has.
    pub system: SystemKind,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of running pods on each node.
    pub pods_per_node: usize,
    /// The number of queues, or quotas, over which the running pods are distributed.
    pub queues: usize,
    /// The number of pods in the preempting job. Each pod of Koordinator's job requests a whole node.
    pub gang: usize,
    /// The number of disruption budgets: the first covers the pods of the first queue, and so on. Each allows more evictions than are needed. Only
    /// kube-scheduler's preemption and schedulers built on it read them.
    pub budgets: usize,
    /// The seed of the priorities and ages of pods.
    pub seed: u64,
}

/// A name that is no shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no shape: write `SYSTEM-NODES`, such as `koordinator-5000`")]
pub struct UnknownClusterSize(String);

impl ClusterSize {
    /// Returns the number of running pods.
    pub fn running(&self) -> usize {
        self.nodes.saturating_mul(self.pods_per_node)
    }

    /// Returns whether the system reads disruption budgets.
    pub fn reads_budgets(&self) -> bool {
        matches!(self.system, SystemKind::Kubernetes | SystemKind::Coscheduling)
    }

    /// Returns the name of the first pod of the preempting job, `namespace/name`.
    pub fn preemptor(&self) -> String {
        format!("{NAMESPACE}/job-000")
    }

    /// Returns the name of the pod that fits on no node, whatever is evicted.
    pub fn unschedulable_pod(&self) -> String {
        format!("{NAMESPACE}/hopeless")
    }
}

impl FromStr for ClusterSize {
    type Err = UnknownClusterSize;

    fn from_str(name: &str) -> Result<ClusterSize, UnknownClusterSize> {
        let unknown = || UnknownClusterSize(name.to_owned());
        let (system, nodes) = name.rsplit_once('-').ok_or_else(unknown)?;
        let system: SystemKind = system.parse().map_err(|_| unknown())?;
        let nodes = nodes.parse().ok().filter(|nodes| *nodes > 0).ok_or_else(unknown)?;
        let (pods_per_node, queues, gang) = match system {
            // The sizes of upstream's preemption benchmark.
            SystemKind::Yunikorn if nodes <= 100 => (10, 10, 1),
            SystemKind::Yunikorn => (20, if nodes < 5000 { 10 } else { 100 }, 1),
            SystemKind::Koordinator => (10, 100, 64_usize.min(nodes)),
            SystemKind::Coscheduling | SystemKind::Kubernetes => (10, 10, 1),
            SystemKind::Volcano => (10, 50, 16),
        };
        Ok(ClusterSize { system, nodes, pods_per_node, queues, gang, budgets: 0, seed: 1 })
    }
}

impl fmt::Display for ClusterSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.system, self.nodes)
    }
}
