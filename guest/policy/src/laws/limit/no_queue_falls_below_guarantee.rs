//! # What it demands
//!
//! For every queue from a victim up to the lowest common ancestor, which is not included, and every resource that the victim
//! holds and the queue is guaranteed: `used - victims >= guaranteed`. All victims count. Pods that are leaving already are not
//! used any more.
//!
//! # Example
//!
//! A queue is guaranteed 4 cpu and uses 6. One pod of 2 may go. Two pods of 2 may not: 6 - 4 is less than 4.
//!
//! # Why
//!
//! A queue that falls below its guarantee would preempt in turn. A queue that both sides share neither gains nor loses.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), law 2. Upstream checks only whether the queue is over before the eviction:
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/preemption.go>.
//!
//! # Options
//!
//! `resources.guaranteed` of the queues.

use crate::laws::{CheckFn, Denial, ImaginedPreemptors, Law, LawContext, LawText, Sum, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "no-queue-falls-below-guarantee",
        sentence: "no queue is left below its guarantee",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: used {used}[ - victims {victims}] is less than @guaranteed {guaranteed}>",
        )],
        file: page!("no_queue_falls_below_guarantee.rs"),
    },
    holds,
)
.checked_for(ImaginedPreemptors::All);

/// Checks whether every queue of a victim keeps its guarantee when the group is evicted.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some(own) = case.preemptor.part.queue else {
        return Ok(());
    };
    for victim in case.victims.iter().filter_map(|ix| case.cluster.pod(*ix)) {
        let shared = victim.queue.and_then(|queue| case.cluster.common_ancestor(own, queue));
        for (ix, queue) in case.cluster.path(victim.queue).take_while(|(ix, _)| Some(*ix) != shared) {
            for (resource, guaranteed) in queue.bounds.guaranteed.iter() {
                if victim.request().get(resource) > 0 {
                    let left =
                        Sum::of("used", queue.used.total(resource)).minus("victims", case.freed_in_queue(ix, resource));
                    left.at_least("guaranteed", guaranteed).map_err(Denial::amount("", ix, resource))?;
                }
            }
        }
    }
    Ok(())
}
