//! What the nodes say of a pod, and which of them is the best.

use lictor_contract::{Node, NodeId};

use crate::cluster::Mirror;

/// What the nodes say.
#[derive(Default)]
pub(super) struct Verdicts {
    /// By the number of the node: 0 takes the pod, n has `obstacles[n-1]`. A number that is no node's has any.
    pub(super) codes: Vec<u32>,
    /// The obstacles in words.
    pub(super) obstacles: Vec<String>,
}

impl Verdicts {
    /// The code of a node.
    pub(super) fn code(&self, node: NodeId) -> Option<u32> {
        usize::try_from(node).ok().and_then(|index| self.codes.get(index).copied())
    }

    /// The nodes that take the pod, by number. Where a number is no node's, it may be among them.
    pub(super) fn fitting(&self) -> impl Iterator<Item = NodeId> {
        (0..).zip(&self.codes).filter(|(_, code)| **code == 0).map(|(node, _)| node)
    }

    /// Whether the node takes the pod.
    pub(super) fn takes(&self, node: NodeId) -> bool {
        self.code(node) == Some(0)
    }
}

/// The best of these nodes: the highest score, and of equal ones the first name. A number that is no node's is passed over.
pub(super) fn best<S: Ord>(scored: impl Iterator<Item = (NodeId, S)>, mirror: &Mirror) -> Option<NodeId> {
    let mut best: Option<(&Node, S)> = None;
    for (node, score) in scored {
        // Nearly all nodes are not the best so far: they are not looked at.
        if best.as_ref().is_some_and(|(_, highest)| *highest > score) {
            continue;
        }
        let Some(node) = mirror.node(node) else { continue };
        if best.as_ref().is_none_or(|(first, highest)| *highest < score || node.name < first.name) {
            best = Some((node, score));
        }
    }
    best.map(|(node, _)| node.id)
}
