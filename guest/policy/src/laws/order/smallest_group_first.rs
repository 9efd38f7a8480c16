//! Of several nodes that a group of pods could be taken from, the one where the least is lost is chosen.
//!
//! The first criterion that separates two groups decides: nobody in it who should be spared; fewer pods; the most important of them less
//! important; the youngest of them younger; the name of the node. Upstream leaves the choice to the implementation.

use crate::laws::{Law, NodeCost, NodeVictims, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "smallest-group-first",
    question: Question::Order,
    sentence: "the node is chosen where the fewest and least important pods make way",
    file: include_str!("smallest_group_first.rs"),
};

/// What is lost by a plan.
pub fn loss(lost: &NodeVictims<'_>) -> NodeCost {
    let youngest = lost.pods().map(|pod| pod.created).max().unwrap_or(i64::MAX);
    [i64::from(lost.reasons), lost.count(), lost.highest(), youngest.saturating_neg(), 0]
}
