//! A victim is bound to its node.
//!
//! A pod that is held at permit has no node for good yet; it is left to its gang and to the timeout. So is one that the running cycle has
//! just bound: nobody is started only to be stopped.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Place, Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-bound",
    question: Question::Guard,
    sentence: "a victim is bound to its node",
    file: include_str!("victim_is_bound.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(_: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match candidate.place {
        Place::Bound(_) => Ok(()),
        _ => Err(Denial::Fact("it is not bound to its node yet, or was only in this cycle")),
    }
}
