//! A victim is preemptible.
//!
//! A non-preemptible pod is never evicted, however low its priority. How a pod without a label counts is an argument; the same
//! answer decides how it counts against its queue. A pod that opted out of being a victim is none either.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Class, Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-preemptible",
    question: Question::Guard,
    sentence: "a victim is preemptible",
    file: include_str!("victim_is_preemptible.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(_: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match candidate.attributes {
        ref attributes if attributes.opted_out => Err(Denial::Fact("it opted out of being preempted")),
        ref attributes if attributes.class == Class::NonPreemptible => Err(Denial::Fact("it is non-preemptible")),
        _ => Ok(()),
    }
}
