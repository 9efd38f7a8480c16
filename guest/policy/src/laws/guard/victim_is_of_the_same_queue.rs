//! # What it demands
//!
//! The victim is in the queue of the preemptor.
//!
//! # Example
//!
//! A gang of priority 10 in queue `a` may evict a job of priority 5 in `a`, but no job of queue `b`.
//!
//! # Why
//!
//! What another queue holds is decided by what the queues deserve, not by the priorities of jobs.
//!
//! # Source
//!
//! Volcano actions/preempt/preempt.go.
//!
//! # Options
//!
//! The action `preempt` in `actions`.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-of-the-same-queue",
        sentence: "preemption by priority stays within the queue",
        templates: &[("", "the pod is of another queue")],
        file: page!("victim_is_of_the_same_queue.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match candidate.queue == case.preemptor.part.queue {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
