//! # What it demands
//!
//! Without the pod, its queue still uses at least its guarantee, in every resource that is guaranteed. This holds for resources
//! that the pod does not hold, too.
//!
//! # Example
//!
//! A queue is guaranteed 4 cpu and uses 5. A pod of 2 is not reclaimed: 5 - 2 is less than 4. A pod of 1 may be.
//!
//! # Why
//!
//! A guarantee is never lent. A queue that has less than its guarantee of one resource gives nothing of another.
//!
//! # Source
//!
//! Volcano capacity plugin, checkGuaranteeConstraint:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/plugins/capacity/capacity.go>.
//!
//! # Options
//!
//! `guarantee.resource` of the Queue.

use crate::laws::{Denial, Law, LawContext, LawText, Sum, VictimFilterFn, page};
use crate::model::{Freed, PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "normal-victim-leaves-guarantee",
        sentence: "a normal pod is not reclaimed if its queue would fall below its guarantee",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: used {used} - held by the pod {held} is less than @guaranteed {guaranteed}>",
        )],
        file: page!("normal_victim_leaves_guarantee.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let Some((ix, queue)) = case.cluster.path(candidate.queue).next() else { return Ok(()) };
    if candidate.is_preemptible() {
        return Ok(());
    }
    for (resource, guaranteed) in queue.bounds.guaranteed.iter() {
        let held = Freed(candidate.request().get(resource));
        let left = Sum::of("used", queue.used.total(resource)).minus("held", held);
        left.at_least("guaranteed", guaranteed).map_err(Denial::exceeds(ix, resource))?;
    }
    Ok(())
}
