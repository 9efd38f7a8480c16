//! # What it demands
//!
//! For each resource the pod requests, the nearest queue from its own upward that guarantees some of it is judged. That queue
//! uses less than its guarantee, room promised to other pods counted in; the last pod may take it above. Or that queue is a parent
//! that uses exactly its guarantee, every victim comes from inside it, and it ends within: `used + promised + requested - victims
//! <= guaranteed`. Where a parent is over its guarantee and the queues of the pod below it guarantee nothing, no pod is evicted. A
//! resource that no queue on the path guarantees is not judged; where none is judged, no pod is evicted.
//!
//! # Example
//!
//! A queue is guaranteed 10 cpu and uses 8. A pod of 4 may preempt, and the queue ends with 12. The next pod may not: 12 is not
//! less than 10. A parent is guaranteed 4 and uses 6: a pod of a child that guarantees nothing evicts no pod of the other children.
//!
//! # Why
//!
//! A guarantee is what a queue may take back from others. Above it the queue uses idle room only.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), law 4. Upstream: checkPreemptionQueueGuarantees in
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/preemption.go>.
//!
//! # Options
//!
//! `resources.guaranteed` of the queues.

use crate::laws::{CheckFn, Denial, ImaginedPreemptors, Law, LawContext, LawText, Sum, VictimFilterFn, page};
use crate::model::{Guaranteed, PodInfo, PodIx, Preemptibility, Promised, QueueIx, ResourceIx, Used};

/// The law, for the preemptor.
pub const LAW: Law<CheckFn> = Law::precondition(TEXT, holds).checked_for(ImaginedPreemptors::OfTheSameQueue);

/// The law, for a candidate.
pub const OF_VICTIM: Law<VictimFilterFn> =
    Law::victim_filter(TEXT, admits).checked_for(ImaginedPreemptors::OfTheSameQueue);

/// The law, for a plan.
pub const OF_PLAN: Law<CheckFn> = Law::plan_invariant(TEXT, suffices).checked_for(ImaginedPreemptors::OfTheSameQueue);

const TEXT: LawText = LawText {
    name: "queue-is-under-guarantee",
    sentence: "a pod preempts only while its queue is under its guarantee",
    templates: &[
        (
            "under",
            "@queue `{queue}`<, {resource}: used {used}[ + promised {promised}] is not less than @guaranteed {guaranteed}>",
        ),
        (
            "over",
            "@queue `{queue}`<, {resource}: used {used}[ + promised {promised}] is more than @guaranteed {guaranteed}>",
        ),
        (
            "end",
            "@queue `{queue}`<, {resource}: used {used}[ + promised {promised}] + requested {requested}[ - victims {victims}] is more than @guaranteed {guaranteed}>",
        ),
        ("none", "neither the @queue of the pod nor one above it guarantees a resource that the pod requests"),
    ],
    file: page!("queue_is_under_guarantee.rs"),
};

/// One resource that the preemptor requests, at the queue that guarantees it.
struct GuaranteedResource {
    queue: QueueIx,
    resource: ResourceIx,
    used: Used,
    promised: Promised,
    guaranteed: Guaranteed,
}

impl GuaranteedResource {
    /// Returns the sum of what is used and promised.
    fn used_and_promised(&self) -> Sum {
        Sum::of("used", self.used).plus("promised", self.promised)
    }

    /// Checks whether the queue is under its guarantee.
    fn is_under(&self) -> Result<(), Denial> {
        self.used_and_promised().less_than("guaranteed", self.guaranteed).map_err(Denial::amount(
            "under",
            self.queue,
            self.resource,
        ))
    }
}

/// Returns the requested resources that some queue on the path of the preemptor guarantees.
fn judged<'a>(case: &'a LawContext<'_>) -> impl Iterator<Item = GuaranteedResource> + 'a {
    case.pending_request.iter().filter_map(|(resource, _)| {
        let (ix, queue, guaranteed) = case.cluster.nearest_guaranteeing_queue(case.preemptor.part.queue, resource)?;
        let promised = case.nominated_request(ix, Preemptibility::Preemptible, resource);
        Some(GuaranteedResource { queue: ix, resource, used: queue.used.total(resource), promised, guaranteed })
    })
}

/// Checks whether the preemptor may preempt: some queue guarantees it a resource, and its own queue is under its guarantees.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let mut none = true;
    for judged in judged(case) {
        none = false;
        if Some(judged.queue) == case.preemptor.part.queue {
            judged.is_under()?;
        }
    }
    match none {
        true => Err(Denial::Case("none")),
        false => Ok(()),
    }
}

/// Checks whether the candidate is inside every queue that is not under its guarantee.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let mut outside = judged(case).filter(|judged| !case.cluster.is_below(candidate.queue, judged.queue));
    outside.try_for_each(|judged| judged.is_under())
}

/// Checks every queue that is not under its guarantee: it must not be over the guarantee, and must end within it with the victims evicted and the
/// preemptor placed. Law 4: a queue that is already over its guarantee does not preempt, however many pods inside it would be evicted.
fn suffices(case: &LawContext<'_>) -> Result<(), Denial> {
    for judged in judged(case).filter(|judged| judged.is_under().is_err()) {
        let (queue, resource) = (judged.queue, judged.resource);
        let is_within = judged.used_and_promised().at_most("guaranteed", judged.guaranteed);
        is_within.map_err(Denial::amount("over", queue, resource))?;
        let end = judged
            .used_and_promised()
            .plus("requested", case.request(resource))
            .minus("victims", case.freed_in_queue(queue, resource));
        end.at_most("guaranteed", judged.guaranteed).map_err(Denial::amount("end", queue, resource))?;
    }
    Ok(())
}
