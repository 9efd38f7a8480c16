//! What the nodes say of a pod, and which of them is the best.

use lictor_contract::{Node, NodeId};

use crate::cluster::Mirror;

/// The verdicts of all nodes on a pod.
#[derive(Default)]
pub(super) struct DecodedVerdicts {
    /// The codes by node number: 0 takes the pod, n has `obstacles[n-1]`. A number without a node has any code.
    pub(super) codes: Vec<u32>,
    /// The obstacles as sentences.
    pub(super) obstacles: Vec<String>,
}

impl DecodedVerdicts {
    /// Returns the code of a node. `None`: the number is too high.
    pub(super) fn code(&self, node: NodeId) -> Option<u32> {
        usize::try_from(node).ok().and_then(|index| self.codes.get(index).copied())
    }

    /// Returns the nodes that take the pod, ordered by number. A number without a node may be among them.
    pub(super) fn fitting(&self) -> impl Iterator<Item = NodeId> {
        (0..).zip(&self.codes).filter(|(_, code)| **code == 0).map(|(node, _)| node)
    }

    /// Returns whether the node takes the pod.
    pub(super) fn fits(&self, node: NodeId) -> bool {
        self.code(node) == Some(0)
    }
}

/// Returns the node with the highest score; of equal scores, the first by name. Numbers without a node are skipped. `None`: no node is left.
pub(super) fn best<S: Ord>(scored: impl Iterator<Item = (NodeId, S)>, mirror: &Mirror) -> Option<NodeId> {
    let mut best: Option<(&Node, S)> = None;
    for (node, score) in scored {
        // Nearly all nodes are worse than the best so far, and are not looked up.
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
