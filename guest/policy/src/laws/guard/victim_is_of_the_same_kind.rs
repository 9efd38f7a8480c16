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

use crate::laws::{Admits, Case, Denial, Law, Text, page};
use crate::model::{Kind, Pod, PodIx};

/// The law.
pub const LAW: Law<Admits> = Law::guard(
    Text {
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
fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match (case.preemptor.kind, candidate.name.kind) {
        (Kind::Pod, Kind::Reservation) => Err(Denial::Case("reservation")),
        (Kind::Reservation, Kind::Pod) => Err(Denial::Case("pod")),
        _ => Ok(()),
    }
}
