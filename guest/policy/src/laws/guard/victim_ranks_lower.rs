//! A victim has strictly lower priority than the preemptor.
//!
//! Equal priority is not lower.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-ranks-lower",
    question: Question::Guard,
    sentence: "a victim has strictly lower priority than the preemptor",
    file: include_str!("victim_ranks_lower.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    if candidate.priority() < case.preemptor.priority {
        return Ok(());
    }
    Err(Denial::Priority { victim: candidate.priority(), preemptor: case.preemptor.priority })
}
