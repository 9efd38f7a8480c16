//! A pod of the job is planned onto the node where the least is lost by it.
//!
//! A node where nobody has to make way comes first; then the one whose most important additional victim is least important; then
//! the one with the fewest additional victims; then the name decides.

use crate::laws::{Law, NodeCost, NodeVictims, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "cheapest-node-first",
    question: Question::Order,
    sentence: "a pod is planned onto the node where the least important and the fewest pods make way",
    file: include_str!("cheapest_node_first.rs"),
};

/// What is lost by one more pod: its additional victims.
pub fn loss(lost: &NodeVictims<'_>) -> NodeCost {
    [lost.highest(), lost.count(), 0, 0, 0]
}
