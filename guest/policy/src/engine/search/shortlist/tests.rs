//! A list whose nodes are priced as late as possible.

use super::*;

const ANY: fn(NodeIx) -> bool = |_| true;

fn cost(first: i64) -> NodeCost {
    [first, 0, 0, 0, 0, 0, 0]
}

/// Returns a list of three nodes, with the lower bounds 5, 1 and 3.
fn three() -> NodeHeap {
    let offer = |(node, least)| NodeHeapEntry::at_least(cost(least), u64::from(node), NodeIx(node));
    NodeHeap::new([(0, 5), (1, 1), (2, 3)].map(offer).to_vec())
}

#[test]
fn only_nodes_that_may_be_the_cheapest_are_priced() {
    let mut priced = Vec::new();
    let found = three().cheapest(&NodeGenerations::new(), ANY, |node| {
        priced.push(node);
        Some(cost(4))
    });
    assert_eq!((found, priced), (Some(NodeIx(1)), vec![NodeIx(1), NodeIx(2)]), "both cost 4: the name decides");
}

#[test]
fn a_node_without_a_plan_is_left_out() {
    let found = three().cheapest(&NodeGenerations::new(), ANY, |node| (node == NodeIx(0)).then_some(cost(6)));
    assert_eq!(found, Some(NodeIx(0)));
    assert_eq!(three().cheapest(&NodeGenerations::new(), ANY, |_| None), None);
}

#[test]
fn a_node_that_may_not_be_taken_stays_on_the_list() {
    let mut list = three();
    let price = |node: NodeIx| Some(cost(i64::from(node.0)));
    assert_eq!(list.cheapest(&NodeGenerations::new(), |node| node != NodeIx(1), price), Some(NodeIx(2)));
    assert_eq!(list.cheapest(&NodeGenerations::new(), ANY, |_| panic!("they are priced")), Some(NodeIx(1)));
}

#[test]
fn a_node_that_changed_is_priced_again() {
    let mut list = three();
    assert_eq!(list.cheapest(&NodeGenerations::new(), ANY, |_| Some(cost(3))), Some(NodeIx(1)));
    list.push_changed((1, NodeIx(1)), 1);
    let mut priced = Vec::new();
    let found = list.cheapest(&NodeGenerations::from([(NodeIx(1), 1)]), ANY, |node| {
        priced.push(node);
        Some(cost(if node == NodeIx(1) { 7 } else { 4 }))
    });
    assert_eq!((found, priced), (Some(NodeIx(2)), vec![NodeIx(1), NodeIx(2)]));
}
