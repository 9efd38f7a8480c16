//! A pod that uses the room of a reservation makes way for no outsider.
//!
//! The room stays the reservation's when the pod goes: evicting it would free nothing.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-outside-reservations",
    question: Question::Guard,
    sentence: "a pod that uses the room of a reservation makes way for no outsider",
    file: include_str!("victim_is_outside_reservations.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, ix: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let nominated_on = candidate.attributes.inside.is_some() && case.cluster.reservation_of(ix).is_some();
    if nominated_on { Err(Denial::Fact("it uses the room of a reservation, which would keep it")) } else { Ok(()) }
}
