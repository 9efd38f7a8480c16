//! # What it demands
//!
//! The queue of the victim is reclaimable, or it is the queue of the preemptor.
//!
//! # Example
//!
//! Queue `b` has `reclaimable: false` and uses more than it deserves. No gang of queue `a` gets its pods. Elastic pods of `b` are
//! still evicted for normal pods of `b`.
//!
//! # Why
//!
//! An operator can protect a queue from the others.
//!
//! # Source
//!
//! Volcano Queue spec.reclaimable;
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/actions/reclaim/reclaim.go>.
//!
//! # Options
//!
//! `reclaimable` of the Queue, true by default.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-queue-is-reclaimable",
        sentence: "a queue that is not reclaimable gives nothing to other queues",
        templates: &[("", "the queue of the pod is not reclaimable")],
        file: page!("victim_queue_is_reclaimable.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let spec = candidate.queue.and_then(|queue| case.cluster.queue_spec(queue));
    let reclaimable = spec.is_some_and(|spec| spec.reclaimable);
    match candidate.queue.is_some() && (candidate.queue == case.preemptor.part.queue || reclaimable) {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
