//! What stands between pods, by numbers.

use serde::Serialize;

use super::{InterPodId, SelectorId, TopologyId};

/// A division of the nodes into domains: nodes with the same value of a label are of one domain. Holds until the next event for
/// the topology.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Topology {
    /// The topology.
    pub id: TopologyId,
    /// The key of the label; empty for the topology in which all nodes are of one domain, `.metadata.name` for the one in which each node
    /// is a domain.
    pub key: String,
    /// The domain of each node, by number; 0, or a missing number: the node is of none.
    pub domains: Vec<u32>,
}

/// The pods of a selector, counted in each domain of a topology.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TopologyTerm {
    /// The pods.
    pub selector: SelectorId,
    /// The domains.
    pub topology: TopologyId,
}

/// The required pod affinity of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PodAffinity {
    /// The pods that match every term: one of them must be there already in each of these domains of the node. Where none is in any
    /// domain at all, a pod that is in the set itself may be the first.
    pub selector: SelectorId,
    /// The topology of each term. A node must be of a domain in each.
    pub topologies: Vec<TopologyId>,
}

/// A topology spread constraint of a pod, one that forbids (`DoNotSchedule`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TopologySpread {
    /// The pods that are counted, without those that are being deleted. Only pods of the namespace of the pod are in the set.
    pub selector: SelectorId,
    /// The domains. A node that is of none does not take the pod.
    pub topology: TopologyId,
    /// The domain of the node, with the pod, may have at most so many more of these pods than the domain that has the fewest; at
    /// least 1. A pod that is not in the set does not count itself.
    pub max_skew: u32,
    /// Where there are fewer domains than this, the fewest counts as 0; at least 1.
    pub min_domains: u32,
    /// The nodes whose pods and domains count: one bit a node, as in [`Eligibility`](super::Eligibility).
    pub nodes: Vec<u64>,
}

/// The constraints between a pod and others, by the rules of kube-scheduler. They hold until the next event with the same number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InterPod {
    /// Its number.
    pub id: InterPodId,
    /// The sets that the pod is in.
    pub selected_by: Vec<SelectorId>,
    /// The required pod affinity. Pods that share a claim which waits for its first pod have one to each other, by node.
    pub affinity: Option<PodAffinity>,
    /// The required pod anti-affinity: the domain of the node must have no pod of the selector. It holds in both directions: a domain
    /// in which a pod with such a term is takes no pod that the term selects. A claim that one pod alone may use (`ReadWriteOncePod`)
    /// is a term in the topology in which all nodes are of one domain.
    pub anti_affinity: Vec<TopologyTerm>,
    /// The topology spread constraints.
    pub spread: Vec<TopologySpread>,
}
