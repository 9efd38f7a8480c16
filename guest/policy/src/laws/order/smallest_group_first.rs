//! # What it demands
//!
//! The first criterion that separates two groups of victims decides, on one node and between nodes: fewer victims that should be
//! spared; fewer victims; the most important victim less important; a smaller part of the cluster that the victims hold, summed
//! over the resources; the application that was evicted most often evicted less often before; the youngest victim younger; the name of the node.
//!
//! # Example
//!
//! On `n1` two pods of priority 0 would be evicted, on `n2` one pod of priority 5. `n2` is chosen.
//!
//! # Why
//!
//! Fewer evictions disturb fewer applications. Of equal groups, the one that holds less loses less work: a pod of 8 GPUs stays where
//! one of 1 GPU is enough.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), Preemption Logic: the choice is left to the implementation. Upstream scores in
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/preemption.go>.
//!
//! # Options
//!
//! None.

use crate::laws::{Law, LawText, NodeCost, NodeCostModel, NodeVictims, VictimLowerBound, page};

/// The law.
pub const LAW: Law<NodeCostModel> = Law::comparator(
    LawText {
        name: "smallest-group-first",
        sentence: "the node is chosen where the fewest and least important pods are evicted",
        templates: &[],
        file: page!("smallest_group_first.rs"),
    },
    NodeCostModel {
        cost: loss,
        lower_bound: least,
        searches_by_cost: |_, _| false,
        short_gangs_are_free: false,
        depends_on_worst_pod: false,
    },
);

/// Computes the cost of a plan.
fn loss(lost: &NodeVictims<'_>) -> NodeCost {
    let youngest = lost.pods().map(|pod| pod.times.created).max().unwrap_or(i64::MAX);
    let evictions = lost.past_evictions();
    [lost.penalty, lost.count(), lost.highest(), lost.share(), evictions, youngest.saturating_neg(), 0]
}

/// Returns a lower bound of the cost.
fn least(lost: &dyn VictimLowerBound) -> NodeCost {
    [lost.penalty(), lost.count(), lost.highest(), lost.share(), 0, lost.youngest().saturating_neg(), 0]
}
