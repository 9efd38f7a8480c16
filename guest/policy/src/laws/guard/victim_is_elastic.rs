//! Only elastic pods make way.
//!
//! Normal pods are held within what their queue deserves, and so nobody has a claim on them.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Class, Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-elastic",
    question: Question::Guard,
    sentence: "only elastic pods make way",
    file: include_str!("victim_is_elastic.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(_: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match candidate.attributes.class {
        Class::Preemptible => Ok(()),
        Class::NonPreemptible => Err(Denial::Fact("it is no elastic pod")),
    }
}
