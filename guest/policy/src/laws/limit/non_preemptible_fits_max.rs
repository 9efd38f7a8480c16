//! # What it demands
//!
//! For each resource that the maximum names: `used + promised + requested <= max`. Where the system splits the cluster capacity
//! among requesting quotas, the share (runtime) replaces the maximum. At PreFilter a job over it is refused, but it may still
//! preempt: preemptible pods of its own queue can be evicted. Then this must hold with the plan carried out.
//!
//! Gangs that are planned together request together.
//!
//! # Example
//!
//! A quota has max 10 cpu, and preemptible pods use 8. A non-preemptible job of 4 is refused: 8 + 4 is more than 10. Evicting a
//! pod of 2 of this quota makes it fit.
//!
//! # Why
//!
//! The maximum holds for all pods of a quota together.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator), PreFilter and PostFilter 3. Upstream:
//! <https://github.com/koordinator-sh/koordinator/blob/a7a1b76b/pkg/scheduler/plugins/elasticquota/plugin.go>, "Insufficient
//! quotas".
//!
//! # Options
//!
//! `spec.max` of the ElasticQuota; `enableRuntimeQuota`; `enableCheckParentQuota`.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, Sum, page};
use crate::model::{Preemptibility, Promised};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "non-preemptible-fits-max",
        sentence: "a non-preemptible job fits under the maximum of its queue",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: preemptible used {preemptible-used} + non-preemptible used {non-preemptible-used}[ + promised {promised}] + requested {requested} is more than[ @max {max}][ runtime {runtime}]> (Insufficient quotas)",
        )],
        file: page!("non_preemptible_fits_max.rs"),
    },
    holds,
);

/// Checks whether the preemptor, if it is non-preemptible, stays under the maximum of its queue.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    if case.preemptor.part.preemptibility != Preemptibility::NonPreemptible {
        return Ok(());
    }
    for (ix, queue) in case.preemptor.queues(case.cluster) {
        let (called, limit) = queue.effective_max();
        for (resource, max) in limit.iter() {
            let [preemptible, non_preemptible] = queue.used.parts(resource);
            let promised = Preemptibility::ALL.map(|kind| case.nominated_request(ix, kind, resource).0);
            let sum = Sum::of("preemptible-used", preemptible)
                .plus("non-preemptible-used", non_preemptible)
                .plus("promised", Promised(promised.iter().fold(0, |sum: i64, part| sum.saturating_add(*part))))
                .plus("requested", case.request_with_other_parts(ix, &Preemptibility::ALL, resource));
            sum.at_most(called, max).map_err(Denial::exceeds(ix, resource))?;
        }
    }
    Ok(())
}
