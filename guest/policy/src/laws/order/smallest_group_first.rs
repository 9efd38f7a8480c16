//! Of several nodes that a group of pods could be taken from, the one where the least is lost is chosen.
//!
//! The first criterion that separates two groups decides: nobody in it who should be spared; fewer pods; the most important of them less
//! important; the youngest of them younger; the name of the node. Upstream leaves the choice to the implementation.

use std::cmp::Reverse;

use crate::laws::{Law, Question};
use crate::model::{Cluster, Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "smallest-group-first",
    question: Question::Order,
    sentence: "the node is chosen where the fewest and least important pods make way",
    file: include_str!("smallest_group_first.rs"),
};

/// What is lost, criterion by criterion. Less is better.
pub type Loss = (u8, usize, i32, Reverse<i64>, u64);

/// What is lost on the node of this rank when these pods go, with all the reasons to spare some of them.
pub fn loss(cluster: &Cluster, rank: u64, victims: &[PodIx], reasons: u8) -> Loss {
    let pods = || victims.iter().filter_map(|ix| cluster.pod(*ix));
    let highest = pods().map(Pod::priority).max().unwrap_or(i32::MIN);
    let youngest = pods().map(|pod| pod.created).max().unwrap_or(i64::MAX);
    (reasons, victims.len(), highest, Reverse(youngest), rank)
}
