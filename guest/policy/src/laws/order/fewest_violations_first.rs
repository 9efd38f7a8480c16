//! Of several nodes that could be freed, the one where the least is lost is chosen.
//!
//! The first criterion that separates two nodes decides: fewest victims whose disruption budget is exhausted; the most important
//! victim less important; the smaller sum of priorities, each counted from the lowest there is, so that an extra victim always
//! costs; fewer victims; the later start of the earliest-started of the most important victims; the name. Upstream leaves the last
//! one to chance.

use crate::laws::{Law, NodeCost, NodeVictims, Question, count};
use crate::model::Pod;

/// See the module.
pub const LAW: Law = Law {
    name: "fewest-violations-first",
    question: Question::Order,
    sentence: "the node is chosen where the fewest budgets are violated and the least important pods make way",
    file: include_str!("fewest_violations_first.rs"),
};

/// What is lost by a plan.
pub fn loss(lost: &NodeVictims<'_>) -> NodeCost {
    let highest = lost.highest();
    let counted = |pod: &Pod| i64::from(pod.priority()).saturating_sub(i64::from(i32::MIN));
    let sum = lost.pods().map(counted).fold(0, i64::saturating_add);
    let started = |pod: &Pod| pod.started.unwrap_or(lost.cluster.now());
    let important = lost.pods().filter(|pod| i64::from(pod.priority()) == highest);
    let earliest = important.map(started).min().unwrap_or(i64::MAX);
    [count(lost.violations), highest, sum, lost.count(), earliest.saturating_neg()]
}
