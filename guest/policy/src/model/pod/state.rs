//! The state of a pod: where it is, and what decides whether it may be tried or evicted.

use crate::model::NodeIx;

/// The place of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodLocation {
    /// The pod waits for a node and uses nothing.
    Pending,
    /// The pod has this node reserved and is not bound yet.
    Reserved(NodeIx),
    /// The pod is bound to this node.
    Bound(NodeIx),
    /// The pod has ended and uses nothing.
    Finished,
    /// A trial evicts the pod. It uses nothing, does not wait for a node, and its nomination does not count. Outside of a trial no pod is in this
    /// state.
    Evicted,
}

impl PodLocation {
    /// Returns the node whose capacity the pod uses. `None`: it uses none.
    pub fn node(self) -> Option<NodeIx> {
        match self {
            PodLocation::Reserved(node) | PodLocation::Bound(node) => Some(node),
            PodLocation::Pending | PodLocation::Finished | PodLocation::Evicted => None,
        }
    }
}

/// The state of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodState {
    /// The place of the pod.
    pub location: PodLocation,
    /// The node that the pod is to get once victims have left.
    pub nominated: Option<NodeIx>,
    /// Whether the pod is being deleted.
    pub terminating: bool,
    /// Whether the pod is being deleted because a scheduler preempted it.
    pub preempted: bool,
    /// Whether another scheduler decides about the pod.
    pub foreign: bool,
    /// Whether the host refuses to evict the pod.
    pub protected: bool,
    /// Whether the pod has scheduling gates.
    pub gated: bool,
}
