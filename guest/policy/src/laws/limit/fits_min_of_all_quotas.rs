//! # What it demands
//!
//! For each resource, over all quotas of the cluster: `used + promised + requested - victims <= min`. Promised is what nominated pods
//! request: those of the same quota that have the same or a higher priority, or that take back what the pod would borrow, and those of
//! other quotas that are within their minimum when the victims and the pods that leave are gone, or whatever they use where the quota of the pod
//! itself is over its minimum then; as far as it is more than what leaving pods still hold, since those left for it.
//!
//! It is asked of each pod of a namespace with a quota at PreFilter, and of a plan with its victims gone, and the pods that
//! are leaving anyway.
//!
//! # Example
//!
//! Quotas `a` and `b` have min 4 cpu each, and max 8. Pods of `a` use 6 of the 8 cpu that both have together, so 2 of them are
//! borrowed from `b`. One more pod of 3 is refused in either: 6 + 3 is more than 8. A pod of `b` may evict pods of `a` for it.
//!
//! # Why
//!
//! What a quota uses beyond its minimum is borrowed from the minimum of another one. More than all minimums cannot be lent.
//!
//! # Source
//!
//! scheduler-plugins pkg/capacityscheduling: PreFilter, SelectVictimsOnNode, aggregatedUsedOverMinWith.
//!
//! # Options
//!
//! `spec.min` of the ElasticQuotas. A resource that none of them names is 0: no pod with a quota may use it.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, Sum, page, quota};
use crate::model::Guaranteed;

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "fits-min-of-all-quotas",
        sentence: "all quotas together use no more than all their minimums",
        templates: &[(
            "",
            "{queue}<, {resource}: used {used}[ + promised {promised}] + requested {requested}[ - victims {victims}] is more than @guaranteed {guaranteed}> (total ElasticQuota used is more than min)",
        )],
        file: page!("fits_min_of_all_quotas.rs"),
    },
    holds,
);

/// Checks whether all quotas together stay within their minimums after the evictions.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some((all, queue)) = case.cluster.path(case.preemptor.part.queue).last() else { return Ok(()) };
    for resource in quota::resources(case.cluster) {
        let promised = quota::nominated_in_all_quotas(case, all, resource);
        let sum = Sum::of("used", queue.used.total(resource))
            .plus("promised", quota::beyond_leaving(case, all, resource, promised))
            .plus("requested", case.request(resource))
            .minus("victims", case.freed_in_queue(all, resource));
        let min = queue.bounds.guaranteed.get(resource).unwrap_or(Guaranteed(0));
        sum.at_most("guaranteed", min).map_err(Denial::exceeds(all, resource))?;
    }
    Ok(())
}
