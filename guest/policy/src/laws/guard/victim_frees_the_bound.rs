//! # What it demands
//!
//! A pod on another node than the plan uses is evicted for the bound of a queue only if it is of the queue of the preemptor, or of a queue
//! that borrows what the preemptor is guaranteed: with its requests, and what is promised to its other pods, the queue of the preemptor stays
//! within its min, the bound is that of a queue above both, and the queue of the victim uses more than its own min.
//!
//! # Example
//!
//! Quota `dept` has max 4 cpu. Its child `a` has min 0 and uses 4, its child `b` has min 2. A pod of `b` that requests 2 is within the min
//! of `b`, and only the max of `dept` denies it. Pods of `a` of lower priority are evicted until 2 cpu are free below `dept`.
//!
//! # Why
//!
//! What a quota lends must come back when its own pods need it. A quota that stays within its own min has borrowed nothing.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator), Motivation and PostFilter 3. Koordinator issues 2342 and 2470; ruling C34.
//!
//! # Options
//!
//! `enableCheckParentQuota`, `spec.min` of the ElasticQuotas.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx, Preemptibility, Queue, ResourceIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-frees-the-bound",
        sentence: "a victim for the bound of a queue is of the queue of the preemptor, or of one that borrows what the preemptor is guaranteed",
        templates: &[
            ("beyond", "the pod is of another queue, and the preemptor exceeds the guaranteed of its own"),
            ("within", "the pod is of another queue, which uses no more than its guaranteed"),
        ],
        file: page!("victim_frees_the_bound.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let Some(own) = case.preemptor.part.queue else { return Ok(()) };
    if case.cluster.is_below(candidate.queue, own) {
        return Ok(());
    }
    let is_within_min = |queue: &Queue| {
        let min = &queue.bounds.guaranteed;
        let sum = |resource| {
            let requested = case.request_with_other_parts(own, &Preemptibility::ALL, resource).0;
            let promised = Preemptibility::ALL.map(|kind| case.nominated_request(own, kind, resource).0);
            let coming = promised.into_iter().fold(requested, i64::saturating_add);
            queue.used.total(resource).0.saturating_add(coming)
        };
        min.iter().next().is_some() && min.iter().all(|(resource, min)| sum(resource) <= min.0)
    };
    if !case.cluster.queue(own).is_some_and(is_within_min) {
        return Err(Denial::Case("beyond"));
    }
    let guaranteed = case.cluster.queue(own).into_iter().flat_map(|queue| queue.bounds.guaranteed.iter());
    let resources: Vec<ResourceIx> = guaranteed.map(|(resource, _)| resource).collect();
    let borrows = |queue: &Queue| {
        resources.iter().any(|resource| {
            let min = queue.bounds.guaranteed.get(*resource).map_or(0, |min| min.0);
            candidate.request().get(*resource) > 0 && queue.used.total(*resource).0 > min
        })
    };
    match candidate.queue.and_then(|queue| case.cluster.queue(queue)).is_some_and(borrows) {
        true => Ok(()),
        false => Err(Denial::Case("within")),
    }
}
