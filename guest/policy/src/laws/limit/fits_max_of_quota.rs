//! # What it demands
//!
//! For each resource: `used + promised + requested - victims <= max`, for the quota of the namespace of the pod. Promised is what
//! nominated pods of this quota request that have the same or a higher priority, or that take back what the pod would borrow, beyond what
//! leaving pods of it still hold. CPU, memory and ephemeral storage are always compared, other resources where the pod or such a nominated
//! pod requests them.
//!
//! It is asked of each pod at PreFilter, and of a plan with its victims gone, and the pods that are leaving anyway.
//!
//! # Example
//!
//! A quota has max 10 cpu, and its pods use 9. A pod of 2 is refused: 9 + 2 is more than 10. With a victim of 1 in this quota it
//! fits.
//!
//! # Why
//!
//! The maximum is the share that a namespace may borrow up to, however idle the cluster is.
//!
//! # Source
//!
//! scheduler-plugins pkg/capacityscheduling: PreFilter, SelectVictimsOnNode, usedOverMaxWith.
//!
//! # Options
//!
//! `spec.max` of the ElasticQuota. Absent: no limit. Where it is there, cpu, memory or ephemeral storage that it leaves out is 0, and
//! another resource is not limited.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, Sum, page, quota};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "fits-max-of-quota",
        sentence: "a pod fits under the maximum of the quota of its namespace",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: used {used}[ + promised {promised}] + requested {requested}[ - victims {victims}] is more than @max {max}> (ElasticQuota is more than Max)",
        )],
        file: page!("fits_max_of_quota.rs"),
    },
    holds,
);

/// Checks whether the quota of the preemptor stays under its maximum after the evictions.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some((ix, queue)) = case.preemptor.part.queue.and_then(|ix| Some((ix, case.cluster.queue(ix)?))) else {
        return Ok(());
    };
    if queue.bounds.max.iter().next().is_none() {
        return Ok(());
    }
    for (resource, promised) in quota::compared_resources(case.cluster, case.preemptor) {
        let Some(max) = queue.bounds.max.get(resource) else { continue };
        let sum = Sum::of("used", queue.used.total(resource))
            .plus("promised", quota::beyond_leaving(case, ix, resource, promised))
            .plus("requested", case.request(resource))
            .minus("victims", case.freed_in_queue(ix, resource));
        sum.at_most("max", max).map_err(Denial::exceeds(ix, resource))?;
    }
    Ok(())
}
