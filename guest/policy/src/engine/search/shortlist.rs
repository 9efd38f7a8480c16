//! The nodes of a search, the cheapest first, without looking at the dear ones.
//!
//! A node stands under the least that a plan there may cost, until it is the first; then it is priced, and stands under its price. A
//! node that is first under its price is the cheapest: every other one costs at least as much as it stands under.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::laws::{LEAST, NodeCost};
use crate::model::{Cluster, NodeIx, NodeSet};

/// The least that a plan may cost where nothing is known.
pub const UNKNOWN: NodeCost = LEAST;

/// A node and what a plan there costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offer {
    cost: NodeCost,
    rank: u64,
    is_price: bool,
    node: NodeIx,
    /// How often the node had changed before.
    changes: u32,
}

impl Offer {
    /// A plan on a node of this rank costs at least this.
    pub fn at_least(cost: NodeCost, rank: u64, node: NodeIx) -> Offer {
        Offer { cost, rank, is_price: false, node, changes: 0 }
    }

    /// A plan on a node of this rank costs this.
    pub fn price(cost: NodeCost, rank: u64, node: NodeIx) -> Offer {
        Offer { is_price: true, ..Offer::at_least(cost, rank, node) }
    }
}

/// The nodes for pods of one class.
#[derive(Debug, Clone, Default)]
pub struct Shortlist(BinaryHeap<Reverse<Offer>>);

/// How often nodes have changed since their outlook was made.
pub type Changes = BTreeMap<NodeIx, u32>;

impl Shortlist {
    /// These nodes.
    pub fn new(offers: Vec<Offer>) -> Shortlist {
        Shortlist(offers.into_iter().map(Reverse).collect())
    }

    /// The cheapest node that may be taken. `price`: the cost of a plan there; none where there is none.
    pub fn cheapest(
        &mut self,
        changes: &Changes,
        may_take: impl Fn(NodeIx) -> bool,
        mut price: impl FnMut(NodeIx) -> Option<NodeCost>,
    ) -> Option<NodeIx> {
        let mut passed = Vec::new();
        let found = loop {
            let Some(Reverse(offer)) = self.0.pop() else { break None };
            let changes = changes.get(&offer.node).copied().unwrap_or(0);
            if offer.is_price && offer.changes == changes {
                passed.push(Reverse(offer));
                if may_take(offer.node) {
                    break Some(offer.node);
                }
            } else if !offer.is_price
                && offer.changes == changes
                && let Some(cost) = price(offer.node)
            {
                self.0.push(Reverse(Offer { cost, is_price: true, ..offer }));
            }
        };
        self.0.extend(passed);
        found
    }

    /// A node has changed so often by now: what it cost does not count any more.
    pub fn changed(&mut self, (rank, node): (u64, NodeIx), changes: u32) {
        self.0.push(Reverse(Offer { cost: UNKNOWN, rank, is_price: false, node, changes }));
    }
}

/// Returns the nodes of a set in the order of their names, each with its place in it.
pub(super) fn in_order<'a>(cluster: &'a Cluster, set: &'a NodeSet) -> impl Iterator<Item = (u64, NodeIx)> + 'a {
    (0..).zip(cluster.nodes_in_order().iter().copied()).filter(|(_, ix)| set.has(*ix))
}

#[cfg(test)]
mod tests;
