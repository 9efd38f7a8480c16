//! # What it demands
//!
//! The first criterion that separates two nodes decides: fewest victims whose disruption budget is exhausted; lowest priority of
//! the most important victim; smallest sum of priorities, each counted from the lowest possible one; fewest victims; latest start
//! of the earliest-started among the most important victims, where a pod without a start time starts last; the name of the node.
//!
//! # Example
//!
//! On `n1` two pods of priority 0 would be evicted, on `n2` one of priority 0 and one of priority 1. `n1` is chosen.
//!
//! # Why
//!
//! These are the criteria of kube-scheduler. The shift of the sum makes every further victim cost something, even one of negative
//! priority. Upstream leaves the last criterion to chance.
//!
//! # Source
//!
//! kube-scheduler framework/preemption, pickOneNodeForPreemption.
//!
//! # Options
//!
//! PodDisruptionBudgets of the cluster.

use crate::laws::{Law, LeastVictims, NodeCost, NodeVictims, Text, Weigh, count, counted, page};
use crate::model::Pod;

/// The law.
pub const LAW: Law<Weigh> = Law::order(
    Text {
        name: "fewest-violations-first",
        sentence: "the node is chosen where the fewest budgets are violated and the least important pods are evicted",
        templates: &[],
        file: page!("fewest_violations_first.rs"),
    },
    Weigh { loss, least },
);

/// What is lost by a plan.
fn loss(lost: &NodeVictims<'_>) -> NodeCost {
    let highest = lost.highest();
    let sum = lost.pods().map(|pod| counted(pod.priority())).fold(0, i64::saturating_add);
    let started = |pod: &Pod| pod.started.unwrap_or(i64::MAX);
    let important = lost.pods().filter(|pod| i64::from(pod.priority()) == highest);
    let earliest = important.map(started).min().unwrap_or(i64::MAX);
    [count(lost.violations), highest, sum, lost.count(), earliest.saturating_neg()]
}

/// What is lost at least.
fn least(lost: &LeastVictims) -> NodeCost {
    [0, lost.highest, lost.priorities, lost.count, i64::MIN]
}
