//! Of several nodes that could be freed, the one where the least is lost is chosen.
//!
//! The first criterion that separates two nodes decides: fewest victims whose disruption budget is exhausted; the most important
//! victim less important; the smaller sum of priorities, each counted from the lowest there is, so that an extra victim always
//! costs; fewer victims; the later start of the earliest-started of the most important victims; the name. Upstream leaves the last
//! one to chance.

use std::cmp::Reverse;

use crate::laws::{Law, Question};
use crate::model::{Cluster, Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "fewest-violations-first",
    question: Question::Order,
    sentence: "the node is chosen where the fewest budgets are violated and the least important pods make way",
    file: include_str!("fewest_violations_first.rs"),
};

/// What is lost on a node, criterion by criterion. Less is better.
pub type Loss = (usize, i32, i128, usize, Reverse<i64>, u64);

/// What is lost on the node of this rank when these pods make way, so many of them against their budgets.
pub fn loss(cluster: &Cluster, rank: u64, victims: &[PodIx], violations: usize) -> Loss {
    let pods = || victims.iter().filter_map(|ix| cluster.pod(*ix));
    let highest = pods().map(Pod::priority).max().unwrap_or(i32::MIN);
    let counted = |pod: &Pod| i128::from(pod.priority()).saturating_sub(i128::from(i32::MIN));
    let sum = pods().map(counted).fold(0, i128::saturating_add);
    let started = |pod: &Pod| pod.started.unwrap_or(cluster.now());
    let earliest = pods().filter(|pod| pod.priority() == highest).map(started).min().unwrap_or(i64::MAX);
    (violations, highest, sum, victims.len(), Reverse(earliest), rank)
}
