//! # What it demands
//!
//! Preemptor and victim are both pods, or both reservations.
//!
//! # Example
//!
//! A reservation of priority 9000 needs 4 cpu. It may evict a reservation of priority 5000, but no pod.
//!
//! # Why
//!
//! A reservation is room that was promised to its owners. A request to reserve room has no claim on running pods.
//!
//! # Source
//!
//! Seed 20240201 (reservation preemption), Preemption Rule 2 and Story 2.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx, PodKind};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-of-the-same-kind",
        sentence: "pods preempt pods, and reservations preempt reservations",
        templates: &[
            ("reservation", "the candidate is a reservation, and pods preempt pods only"),
            ("pod", "the candidate is a pod, and reservations preempt reservations only"),
        ],
        file: page!("victim_is_of_the_same_kind.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match (case.preemptor.kind, candidate.name.kind) {
        (PodKind::Pod, PodKind::Reservation) => Err(Denial::Case("reservation")),
        (PodKind::Reservation, PodKind::Pod) => Err(Denial::Case("pod")),
        _ => Ok(()),
    }
}
