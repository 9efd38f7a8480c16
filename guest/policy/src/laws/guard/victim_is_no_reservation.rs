//! A reservation makes way for no pod.
//!
//! Pods preempt pods only, however low the priority of a reservation is.

use crate::laws::{Breach, Case, Law, Question};
use crate::model::{Kind, Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-no-reservation",
    question: Question::Guard,
    sentence: "a reservation makes way for no pod",
    file: include_str!("victim_is_no_reservation.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(_: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Breach> {
    match candidate.name.kind {
        Kind::Pod => Ok(()),
        Kind::Reservation => Err(Breach::Fact("it is a reservation, and pods preempt pods only")),
    }
}
