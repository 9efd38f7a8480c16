//! # What it demands
//!
//! For each resource that the guarantee names: `non-preemptible used + promised + requested <= min`. Requested is the sum over
//! the pods of the job that hold no node yet. A resource that the guarantee does not name is not bounded.
//!
//! Gangs that are planned together request together.
//!
//! # Example
//!
//! A quota has min 10 cpu; non-preemptible pods use 6. A non-preemptible job of 3 pods with 2 cpu each needs 6: 6 + 6 is more
//! than 10, so it is refused.
//!
//! # Why
//!
//! Non-preemptible pods are never evicted. What they use above the guarantee could never be given back.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator), PreFilter and PostFilter 1. Upstream checks it per pod:
//! <https://github.com/koordinator-sh/koordinator/blob/a7a1b76b/pkg/scheduler/plugins/elasticquota/plugin.go>, "Insufficient
//! non-preemptible quotas".
//!
//! # Options
//!
//! `spec.min` of the ElasticQuota. `enableCheckParentQuota` asks the parents, too.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, Sum, page};
use crate::model::Preemptibility;

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "non-preemptible-fits-guaranteed",
        sentence: "a non-preemptible job fits into the guarantee of its queue",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: non-preemptible used {used}[ + promised {promised}] + requested {requested} is more than @guaranteed {min}> (Insufficient non-preemptible quotas)",
        )],
        file: page!("non_preemptible_fits_guaranteed.rs"),
    },
    holds,
);

/// Checks whether the preemptor, if it is non-preemptible, stays within the guarantee of its queue.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    if case.preemptor.part.preemptibility != Preemptibility::NonPreemptible {
        return Ok(());
    }
    for (ix, queue) in case.preemptor.queues(case.cluster) {
        for (resource, min) in queue.bounds.guaranteed.iter() {
            let sum = Sum::of("used", queue.used.of(Preemptibility::NonPreemptible, resource))
                .plus("promised", case.nominated_request(ix, Preemptibility::NonPreemptible, resource))
                .plus("requested", case.request_with_other_parts(ix, &[Preemptibility::NonPreemptible], resource));
            sum.at_most("min", min).map_err(Denial::exceeds(ix, resource))?;
        }
    }
    Ok(())
}
