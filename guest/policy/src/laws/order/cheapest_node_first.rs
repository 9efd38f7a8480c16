//! # What it demands
//!
//! A node without a further eviction comes first. Then the node whose most important further victim is least important, then the
//! one with the fewest further victims, then the name of the node.
//!
//! # Example
//!
//! On `n1` a pod of priority 5 would be evicted, on `n2` two pods of priority 3. The pod is planned onto `n2`.
//!
//! # Why
//!
//! One important pod is worth more than several unimportant ones.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator) is silent about the choice. The ruling is: least harm, then the name.
//!
//! # Options
//!
//! None.

use crate::laws::{Law, LeastVictims, NodeCost, NodeVictims, Text, Weigh, page};

/// The law.
pub const LAW: Law<Weigh> = Law::order(
    Text {
        name: "cheapest-node-first",
        sentence: "a pod is planned onto the node where the least important and the fewest pods are evicted",
        templates: &[],
        file: page!("cheapest_node_first.rs"),
    },
    Weigh { loss, least },
);

/// What is lost by one more pod: its additional victims.
fn loss(lost: &NodeVictims<'_>) -> NodeCost {
    [lost.highest(), lost.count(), 0, 0, 0]
}

/// What is lost at least.
fn least(lost: &LeastVictims) -> NodeCost {
    [lost.highest, lost.count, 0, 0, 0]
}
