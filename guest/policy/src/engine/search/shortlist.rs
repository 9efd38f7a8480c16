//! The nodes of a search, the cheapest first, without pricing the dear ones.
//!
//! Best-first search. The heap orders nodes by a lower bound of the cost of a plan there. The first node is priced exactly and pushed back with its
//! price. A node that comes first with an exact price is the cheapest, because every other entry is a lower bound.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::laws::{LEAST, NodeCost};
use crate::model::{Cluster, NodeIx, NodeSet};

/// The lower bound of the cost of a plan where nothing is known.
pub const NO_BOUND: NodeCost = LEAST;

/// A node and the cost of a plan there, exact or as a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeHeapEntry {
    cost: NodeCost,
    rank: u64,
    is_exact: bool,
    node: NodeIx,
    /// The number of changes to the node when the offer was made.
    generation: u32,
}

impl NodeHeapEntry {
    /// Creates an offer with a lower bound: a plan on a node of this rank costs at least `cost`.
    pub fn at_least(cost: NodeCost, rank: u64, node: NodeIx) -> NodeHeapEntry {
        NodeHeapEntry { cost, rank, is_exact: false, node, generation: 0 }
    }

    /// Creates an offer with an exact price: a plan on a node of this rank costs `cost`.
    pub fn exact(cost: NodeCost, rank: u64, node: NodeIx) -> NodeHeapEntry {
        NodeHeapEntry { is_exact: true, ..NodeHeapEntry::at_least(cost, rank, node) }
    }
}

/// The nodes for pods of one class, as a heap ordered by the cost of their offers.
#[derive(Debug, Clone, Default)]
pub struct NodeHeap(BinaryHeap<Reverse<NodeHeapEntry>>);

/// The number of changes to each node since its lower bound was computed.
pub type NodeGenerations = BTreeMap<NodeIx, u32>;

impl NodeHeap {
    /// Creates a list of the nodes of these offers.
    pub fn new(offers: Vec<NodeHeapEntry>) -> NodeHeap {
        NodeHeap(offers.into_iter().map(Reverse).collect())
    }

    /// Returns the cheapest node that may be taken. `price` computes the exact cost of a plan on a node, and `None` where there is no plan.
    pub fn cheapest(
        &mut self,
        changes: &NodeGenerations,
        may_take: impl Fn(NodeIx) -> bool,
        mut price: impl FnMut(NodeIx) -> Option<NodeCost>,
    ) -> Option<NodeIx> {
        let mut passed = Vec::new();
        let found = loop {
            let Some(Reverse(offer)) = self.0.pop() else { break None };
            let changes = changes.get(&offer.node).copied().unwrap_or(0);
            if offer.is_exact && offer.generation == changes {
                passed.push(Reverse(offer));
                if may_take(offer.node) {
                    break Some(offer.node);
                }
            } else if !offer.is_exact
                && offer.generation == changes
                && let Some(cost) = price(offer.node)
            {
                self.0.push(Reverse(NodeHeapEntry { cost, is_exact: true, ..offer }));
            }
        };
        self.0.extend(passed);
        found
    }

    /// Adds an offer for a node that has changed so often by now. Older offers of the node no longer count.
    pub fn push_changed(&mut self, (rank, node): (u64, NodeIx), changes: u32) {
        self.0.push(Reverse(NodeHeapEntry { cost: NO_BOUND, rank, is_exact: false, node, generation: changes }));
    }
}

/// Returns the nodes of a set in the order of their names, each with its position in that order.
pub(super) fn in_order<'a>(cluster: &'a Cluster, set: &'a NodeSet) -> impl Iterator<Item = (u64, NodeIx)> + 'a {
    (0..).zip(cluster.nodes_in_order().iter().copied()).filter(|(_, ix)| set.has(*ix))
}

#[cfg(test)]
mod tests;
