//! # What it demands
//!
//! For each resource the pod requests, its queue and every queue above it: `used + requested <= real capability`. The real
//! capability is the bound of the queue, or what the cluster has beyond all guarantees, with the queue's own guarantee, whichever is less.
//!
//! # Example
//!
//! The cluster has 10 cpu, and another queue is guaranteed 4. A queue with capability 8 has a real capability of 6.
//!
//! # Why
//!
//! Guarantees are never lent, even while they are idle. A queue that is over its bound in one resource may still use another.
//!
//! # Source
//!
//! Volcano capacity plugin, AddAllocatableFn:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/plugins/capacity/capacity.go>, "queue resource quota
//! insufficient".
//!
//! # Options
//!
//! `capability` and `guarantee.resource` of the Queues.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, Sum, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "queue-fits-capability",
        sentence: "a queue and its ancestors use no more than their real capability",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: used {used} + requested {requested} is more than real capability {real-capability}> (queue resource quota insufficient)",
        )],
        file: page!("queue_fits_capability.rs"),
    },
    holds,
)
.retry_after(ChangeKind::ALL);

/// Checks whether the preemptor fits into the capability of its queue and of every queue above.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    for (ix, queue) in case.cluster.path(case.preemptor.part.queue) {
        let (_, limit) = queue.effective_max();
        for (resource, _) in case.preemptor.part.pending_request.iter() {
            let Some(bound) = limit.get(resource) else { continue };
            let sum = Sum::of("used", queue.used.total(resource)).plus("requested", case.request(resource));
            sum.at_most("real-capability", bound).map_err(Denial::exceeds(ix, resource))?;
        }
    }
    Ok(())
}
