//! # What it demands
//!
//! For each resource that the maximum names: `set aside + preemptible used + promised + requested <= max`. Set aside is what
//! non-preemptible pods of the queue request, running or pending, but at most the guarantee. A resource that the guarantee does
//! not name is set aside as requested.
//!
//! Gangs that are planned together request together.
//!
//! # Example
//!
//! A quota has min 4 and max 8 cpu. Non-preemptible pods request 6, so 4 are set aside. Preemptible pods use 3. A preemptible job
//! of 2 is refused: 4 + 3 + 2 is more than 8.
//!
//! # Why
//!
//! Preemptible pods may borrow what non-preemptible pods do not request, and no more.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator), PreFilter and PostFilter 1. Upstream:
//! <https://github.com/koordinator-sh/koordinator/blob/a7a1b76b/pkg/scheduler/plugins/elasticquota/plugin.go>, "Insufficient
//! quotas".
//!
//! # Options
//!
//! `spec.min` and `spec.max` of the ElasticQuota; `enableRuntimeQuota`; `enableCheckParentQuota`.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, Sum, page};
use crate::model::{Preemptibility, Requested};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "preemptible-leaves-guaranteed",
        sentence: "a preemptible job leaves the guaranteed room of its queue to non-preemptible pods",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: set aside for non-preemptible pods {set-aside} + preemptible used {preemptible-used}[ + promised {promised}] + requested {requested} is more than[ @max {max}][ runtime {runtime}]> (Insufficient quotas)",
        )],
        file: page!("preemptible_leaves_guaranteed.rs"),
    },
    holds,
);

/// Checks whether the preemptor, if it is preemptible, stays under what is left of the maximum of its queue.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    if case.preemptor.part.preemptibility != Preemptibility::Preemptible {
        return Ok(());
    }
    for (ix, queue) in case.preemptor.queues(case.cluster) {
        let (called, limit) = queue.effective_max();
        for (resource, max) in limit.iter() {
            let requested = queue.requested.of(Preemptibility::NonPreemptible, resource);
            let aside = queue.bounds.guaranteed.get(resource).map_or(requested.0, |min| min.0.min(requested.0));
            let sum = Sum::of("set-aside", Requested(aside))
                .plus("preemptible-used", queue.used.of(Preemptibility::Preemptible, resource))
                .plus("promised", case.nominated_request(ix, Preemptibility::Preemptible, resource))
                .plus("requested", case.request_with_other_parts(ix, &[Preemptibility::Preemptible], resource));
            sum.at_most(called, max).map_err(Denial::exceeds(ix, resource))?;
        }
    }
    Ok(())
}
