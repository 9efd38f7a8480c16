//! # What it demands
//!
//! The first criterion that separates two nodes decides: fewest victims whose disruption budget is exhausted; lowest priority of
//! the most important victim; smallest sum of priorities, each counted from the lowest possible one; fewest victims; the smallest part of
//! the cluster that groups hold which leave whole; latest start of the earliest-started among the most important victims, where a pod
//! without a start time starts last; the job that was evicted most often evicted less often before; the name of the node. A group that
//! leaves whole is one victim in the sum and in the count. Where a candidate is of such a group, the victims on one node are chosen by
//! these criteria, too.
//!
//! # Example
//!
//! On `n1` two pods of priority 0 would be evicted, on `n2` one of priority 0 and one of priority 1. `n1` is chosen.
//!
//! # Why
//!
//! These are the criteria of kube-scheduler. The shift of the sum makes every further victim cost something, even one of negative
//! priority. Upstream leaves the last criterion to chance. A group that leaves whole stops as one job, however many pods it has.
//!
//! # Source
//!
//! kube-scheduler framework/preemption, pickOneNodeForPreemption. Rulings K43 and K44.
//!
//! # Options
//!
//! PodDisruptionBudgets of the cluster.

use std::collections::BTreeSet;

use crate::laws::{
    Law, LawText, NodeCost, NodeCostModel, NodeVictims, VictimLowerBound, as_cost, page, priority_from_minimum,
};
use crate::model::{Cluster, JobIx, PodInfo, PodIx};

/// The law.
pub const LAW: Law<NodeCostModel> = Law::comparator(
    LawText {
        name: "fewest-violations-first",
        sentence: "the node is chosen where the fewest budgets are violated and the least important pods are evicted",
        templates: &[],
        file: page!("fewest_violations_first.rs"),
    },
    NodeCostModel {
        cost: loss,
        lower_bound: least,
        searches_by_cost: seeks,
        short_gangs_are_free: false,
        depends_on_worst_pod: false,
    },
);

/// Computes the cost of a plan.
fn loss(lost: &NodeVictims<'_>) -> NodeCost {
    let (jobs, size) = jobs(lost);
    let highest = jobs.iter().map(|pod| i64::from(pod.priority())).max().unwrap_or(i64::MIN);
    let sum = jobs.iter().map(|pod| priority_from_minimum(pod.priority())).fold(0, i64::saturating_add);
    let started = |pod: &PodInfo| pod.times.started.unwrap_or(i64::MAX);
    let important = lost.pods().filter(|pod| i64::from(pod.priority()) == highest);
    let earliest = important.map(started).min().unwrap_or(i64::MAX);
    let (violations, start) = (as_cost(lost.budget_violations), earliest.saturating_neg());
    [violations, highest, sum, as_cost(jobs.len()), size, start, lost.past_evictions()]
}

/// Returns a lower bound of the cost.
fn least(lost: &dyn VictimLowerBound) -> NodeCost {
    [0, lost.highest(), lost.priorities(), lost.count(), 0, i64::MIN, 0]
}

/// Returns a victim of each job, and the share of the cluster that the victims use whose groups are evicted whole. A pod that is evicted alone is a
/// job of its own. A group that the plan evicts already does not count again.
fn jobs<'c>(lost: &NodeVictims<'c>) -> (Vec<&'c PodInfo>, i64) {
    let cluster = lost.cluster;
    let pods = lost.victims.iter().filter_map(|ix| cluster.pod(*ix));
    if !cluster.has_disruption_groups() {
        return (pods.collect(), 0);
    }
    let gone = lost.earlier.iter().filter_map(|ix| cluster.job_evicted_whole(cluster.pod(*ix)?));
    let gone: BTreeSet<JobIx> = gone.collect();
    let (mut seen, mut size) = (BTreeSet::new(), 0i64);
    let jobs = pods.filter(|pod| match cluster.job_evicted_whole(pod) {
        Some(job) if gone.contains(&job) => false,
        Some(job) => {
            size = size.saturating_add(cluster.pod_share(pod));
            seen.insert(job)
        }
        None => true,
    });
    (jobs.collect(), size)
}

/// Returns whether a candidate belongs to a group that is evicted whole.
fn seeks(cluster: &Cluster, candidates: &[PodIx]) -> bool {
    let leaves_whole = |ix: &PodIx| cluster.pod(*ix).is_some_and(|pod| cluster.job_evicted_whole(pod).is_some());
    cluster.has_disruption_groups() && candidates.iter().any(leaves_whole)
}
