//! # What it demands
//!
//! For each resource the pod requests, the nearest queue from its own upward that guarantees some of it is judged. It uses less
//! than its guarantee, room promised to other pods counted in; the last pod may take it above. Or, where that queue is above all
//! victims, it ends within its guarantee: `used + promised + requested - victims <= guaranteed`, and every victim comes from
//! inside it. A resource that no queue on the path guarantees is not judged; where none is judged, no pod is evicted.
//!
//! # Example
//!
//! A queue is guaranteed 10 cpu and uses 8. A pod of 4 may preempt, and the queue ends with 12. The next pod may not: 12 is not
//! less than 10.
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

use crate::laws::{Admits, Case, Denial, Holds, Law, Text, page};
use crate::model::{Pod, PodIx, Preemptibility, QueueIx, ResourceIx};

/// The law, asked of the preemptor.
pub const LAW: Law<Holds> = Law::gate(TEXT, holds);

/// The law, asked of a candidate.
pub const OF_VICTIM: Law<Admits> = Law::guard(TEXT, admits);

/// The law, asked of a plan.
pub const OF_PLAN: Law<Holds> = Law::limit(TEXT, suffices);

const TEXT: Text = Text {
    name: "queue-is-under-guarantee",
    sentence: "a pod preempts only while its queue is under its guarantee",
    templates: &[
        (
            "under",
            "@queue `{queue}`<, {resource}: used {used}[ + promised {promised}] is not less than @guaranteed {guaranteed}>",
        ),
        (
            "end",
            "@queue `{queue}`<, {resource}: used {used}[ + promised {promised}] + requested {requested}[ - victims {victims}] is more than @guaranteed {guaranteed}>",
        ),
        ("none", "neither the @queue of the pod nor one above it guarantees a resource that the pod requests"),
    ],
    file: page!("queue_is_under_guarantee.rs"),
};

/// How one resource stands with the queue that guarantees it.
struct QueueRank {
    queue: QueueIx,
    resource: ResourceIx,
    used: i64,
    promised: i64,
    asked: i64,
    guaranteed: i64,
}

impl QueueRank {
    fn is_under(&self) -> bool {
        self.used.saturating_add(self.promised) < self.guaranteed
    }

    fn not_under(&self) -> Denial {
        let parts = [("used", self.used), ("promised", self.promised), ("guaranteed", self.guaranteed)];
        Denial::Amount { case: "under", queue: self.queue, resource: self.resource, parts: parts.into() }
    }
}

/// The resources that are judged.
fn judged<'a>(case: &'a Case<'_>) -> impl Iterator<Item = QueueRank> + 'a {
    case.unplaced.iter().filter_map(|(resource, asked)| {
        let (ix, queue, guaranteed) = case.cluster.guarantor(case.preemptor.queue, resource)?;
        let promised = case.promised(ix, Preemptibility::Preemptible, resource);
        Some(QueueRank { queue: ix, resource, used: queue.used.total(resource), promised, asked, guaranteed })
    })
}

/// Whether the preemptor may preempt at all.
fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let mut none = true;
    for standing in judged(case) {
        none = false;
        if !standing.is_under() && Some(standing.queue) == case.preemptor.queue {
            return Err(standing.not_under());
        }
    }
    match none {
        true => Err(Denial::Case("none")),
        false => Ok(()),
    }
}

/// Whether the candidate comes from inside every queue that is not under its guarantee as it stands.
fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let outside = |standing: &QueueRank| !case.cluster.is_below(candidate.queue, standing.queue);
    match judged(case).find(|standing| !standing.is_under() && outside(standing)) {
        Some(standing) => Err(standing.not_under()),
        None => Ok(()),
    }
}

/// Whether every queue that is not under its guarantee ends within it with the victims evicted and the preemptor placed.
fn suffices(case: &Case<'_>) -> Result<(), Denial> {
    for standing in judged(case).filter(|standing| !standing.is_under()) {
        let victims = case.given_up(standing.queue, standing.resource);
        let end = [standing.used, standing.promised, standing.asked, victims.saturating_neg()];
        if !crate::model::within(&end, standing.guaranteed) {
            let parts = [
                ("used", standing.used),
                ("promised", standing.promised),
                ("requested", standing.asked),
                ("victims", victims),
                ("guaranteed", standing.guaranteed),
            ];
            let (queue, resource) = (standing.queue, standing.resource);
            return Err(Denial::Amount { case: "end", queue, resource, parts: parts.into() });
        }
    }
    Ok(())
}
