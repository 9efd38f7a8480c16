//! # What it demands
//!
//! A node without a further eviction comes first. Then the first criterion that separates two nodes decides: fewer further victims whose
//! disruption budget is exhausted, where the system reads budgets; the most important further victim less important; fewer gangs broken;
//! less stopped, in sum over the pods of broken gangs and the other victims; the job that was evicted most often evicted less often before;
//! the pod that has run longest started later; fewer further victims; the name of the node. A gang that the plan has broken already costs
//! nothing more. Whole plans are compared by the same criteria.
//!
//! # Example
//!
//! On `n1` a pod of priority 5 would be evicted, on `n2` two pods of priority 3. The pod is planned onto `n2`. On `n3` and `n4` one pod
//! of 4 GPUs and of priority 3 would be evicted each: that on `n3` belongs to a gang of three, that on `n4` is alone. The pod is
//! planned onto `n4`: 4 GPUs stop instead of 12.
//!
//! # Why
//!
//! One important pod is worth more than several unimportant ones. A gang that loses a pod it needs stops as a whole.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator) is silent about the choice, but for Key Concept 3: a job is all or nothing. Rulings C33 and C37, for
//! coscheduling R29 and R30: least harm, then the name.
//!
//! # Options
//!
//! None.

use crate::laws::{Law, LawText, NodeCost, NodeCostModel, NodeVictims, VictimLowerBound, as_cost, page};

/// The law.
pub const LAW: Law<NodeCostModel> = Law::comparator(
    LawText {
        name: "cheapest-node-first",
        sentence: "a pod is planned onto the node where the least important and the fewest pods are evicted",
        templates: &[],
        file: page!("cheapest_node_first.rs"),
    },
    NodeCostModel {
        cost: loss,
        lower_bound: least,
        searches_by_cost: |_, _| true,
        short_gangs_are_free: true,
        depends_on_worst_pod: true,
    },
);

/// Computes the cost of one more pod from its additional victims.
fn loss(lost: &NodeVictims<'_>) -> NodeCost {
    let harm = lost.harm();
    let violations = as_cost(lost.budget_violations);
    [violations, lost.highest_stopped(), harm.gangs, harm.size, harm.evictions, harm.since, lost.count()]
}

/// Returns a lower bound of the cost.
fn least(lost: &dyn VictimLowerBound) -> NodeCost {
    [0, lost.highest(), 0, lost.size(), 0, lost.earliest_start().saturating_neg(), lost.count()]
}
