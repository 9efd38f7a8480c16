//! A victim did not say that it is not to be evicted.
//!
//! Its annotation decides, else its label; without either it may be evicted. What cannot be read as yes counts as no.

use crate::laws::{Breach, Case, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-did-not-opt-out",
    question: Question::Guard,
    sentence: "a victim did not say that it is not to be evicted",
    file: include_str!("victim_did_not_opt_out.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(_: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Breach> {
    match candidate.traits.opted_out {
        true => Err(Breach::Fact("it is marked as not preemptable")),
        false => Ok(()),
    }
}
