//! # What it demands
//!
//! An elastic pod may be of any queue. A normal pod is of another queue than the preemptor.
//!
//! # Example
//!
//! Queue `a` is full of its own normal jobs. A new gang of `a` reclaims nothing from them.
//!
//! # Why
//!
//! Reclaim moves resources between queues. Within a queue the priority decides, and only where the action `preempt` is
//! configured.
//!
//! # Source
//!
//! Volcano: <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/actions/reclaim/reclaim.go>.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "normal-victim-is-of-another-queue",
        sentence: "a normal pod is reclaimed from other queues only",
        templates: &[("", "the pod is a normal pod of the same queue")],
        file: page!("normal_victim_is_of_another_queue.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match candidate.is_preemptible() || candidate.queue != case.preemptor.part.queue {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
