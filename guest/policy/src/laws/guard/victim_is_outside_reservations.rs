//! # What it demands
//!
//! The victim does not use the room of a reservation.
//!
//! # Example
//!
//! A reservation holds 4 cpu, and its owner uses 3 of them. Without the owner the reservation still holds 4, so the owner stays.
//!
//! # Why
//!
//! The eviction would free nothing for the preemptor.
//!
//! # Source
//!
//! Koordinator issues 1187 and 1405; test/e2e/scheduling/preemption.go.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-outside-reservations",
        sentence: "a pod that uses the room of a reservation is not evicted for others",
        templates: &[("", "the pod uses the room of a reservation, and the reservation would keep that room")],
        file: page!("victim_is_outside_reservations.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, ix: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let nominated_on = candidate.attributes.reservation.is_some() && case.cluster.reservation_of(ix).is_some();
    if nominated_on { Err(Denial::Case("")) } else { Ok(()) }
}
