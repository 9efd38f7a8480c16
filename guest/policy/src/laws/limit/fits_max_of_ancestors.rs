//! # What it demands
//!
//! For each resource the pod requests and a maximum names: `used + promised + requested - victims <= max`, for its queue and
//! every queue above it. Room promised to other waiting pods counts as used. Victims count only below the queue whose maximum is
//! exceeded.
//!
//! # Example
//!
//! `root.a` has max 10 cpu and uses 9. A pod of 2 is refused: 9 + 2 is more than 10. With a victim of 1 below `root.a` it fits.
//!
//! # Why
//!
//! Evicting pods of other queues would not help here. Room that was made for one pod is not given to another.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), The Laws of Preemption (maximum quotas). Upstream:
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/queue.go>.
//!
//! # Options
//!
//! `resources.max` of the queues.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, Sum, page};
use crate::model::{Preemptibility, Requested};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "fits-max-of-ancestors",
        sentence: "a pod fits under the maximum of its queue and of every queue above it",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: used {used}[ + promised {promised}] + requested {requested}[ - victims {victims}] is more than @max {max}>",
        )],
        file: page!("fits_max_of_ancestors.rs"),
    },
    holds,
);

/// Checks whether every queue of the preemptor stays within its maximum after the evictions.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let others = |ix| !case.preemptor.pods.contains(&ix);
    for (ix, queue) in case.cluster.path(case.preemptor.part.queue) {
        for (resource, max) in queue.bounds.max.iter() {
            if case.request(resource) == Requested(0) {
                continue;
            }
            let promised = case.cluster.nominated_request_below(ix, Preemptibility::Preemptible, resource, others);
            let sum = Sum::of("used", queue.used.total(resource))
                .plus("promised", promised)
                .plus("requested", case.request(resource))
                .minus("victims", case.freed_in_queue(ix, resource));
            sum.at_most("max", max).map_err(Denial::amount("", ix, resource))?;
        }
    }
    Ok(())
}
