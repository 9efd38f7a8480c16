//! The nodes of a search, the cheapest first, without looking at the dear ones.
//!
//! A node stands under the least that a plan there may cost, until it is the first; then it is priced, and stands under its price. A
//! node that is first under its price is the cheapest: every other one costs at least as much as it stands under.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::laws::NodeCost;
use crate::model::NodeIx;

/// The least that a plan may cost where nothing is known.
pub const UNKNOWN: NodeCost = [i64::MIN; 5];

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

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: fn(NodeIx) -> bool = |_| true;

    fn cost(first: i64) -> NodeCost {
        [first, 0, 0, 0, 0]
    }

    /// Three nodes, of which it is known that they cost at least 5, 1 and 3.
    fn three() -> Shortlist {
        let offer = |(node, least)| Offer::at_least(cost(least), u64::from(node), NodeIx(node));
        Shortlist::new([(0, 5), (1, 1), (2, 3)].map(offer).to_vec())
    }

    #[test]
    fn only_nodes_that_may_be_the_cheapest_are_priced() {
        let mut priced = Vec::new();
        let found = three().cheapest(&Changes::new(), ANY, |node| {
            priced.push(node);
            Some(cost(4))
        });
        assert_eq!((found, priced), (Some(NodeIx(1)), vec![NodeIx(1), NodeIx(2)]), "both cost 4: the name decides");
    }

    #[test]
    fn a_node_without_a_plan_is_left_out() {
        let found = three().cheapest(&Changes::new(), ANY, |node| (node == NodeIx(0)).then_some(cost(6)));
        assert_eq!(found, Some(NodeIx(0)));
        assert_eq!(three().cheapest(&Changes::new(), ANY, |_| None), None);
    }

    #[test]
    fn a_node_that_may_not_be_taken_stays_on_the_list() {
        let mut list = three();
        let price = |node: NodeIx| Some(cost(i64::from(node.0)));
        assert_eq!(list.cheapest(&Changes::new(), |node| node != NodeIx(1), price), Some(NodeIx(2)));
        assert_eq!(list.cheapest(&Changes::new(), ANY, |_| panic!("they are priced")), Some(NodeIx(1)));
    }

    #[test]
    fn a_node_that_changed_is_priced_again() {
        let mut list = three();
        assert_eq!(list.cheapest(&Changes::new(), ANY, |_| Some(cost(3))), Some(NodeIx(1)));
        list.changed((1, NodeIx(1)), 1);
        let mut priced = Vec::new();
        let found = list.cheapest(&Changes::from([(NodeIx(1), 1)]), ANY, |node| {
            priced.push(node);
            Some(cost(if node == NodeIx(1) { 7 } else { 4 }))
        });
        assert_eq!((found, priced), (Some(NodeIx(2)), vec![NodeIx(1), NodeIx(2)]));
    }
}
