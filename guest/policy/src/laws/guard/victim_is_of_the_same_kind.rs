//! Pods make way for pods only, and reservations for reservations only.
//!
//! However low the priority of the other is: a reservation is room that somebody was promised, and who asks for room to be
//! reserved has no claim on what runs.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Kind, Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-of-the-same-kind",
    question: Question::Guard,
    sentence: "pods make way for pods only, and reservations for reservations only",
    file: include_str!("victim_is_of_the_same_kind.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match (case.preemptor.kind, candidate.name.kind) {
        (Kind::Pod, Kind::Reservation) => Err(Denial::Fact("it is a reservation, and pods preempt pods only")),
        (Kind::Reservation, Kind::Pod) => Err(Denial::Fact("it is a pod, and reservations preempt reservations only")),
        _ => Ok(()),
    }
}
