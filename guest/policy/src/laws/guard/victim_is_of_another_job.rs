//! A job does not make way for itself.
//!
//! Its own running members are no victims, whatever their priority: a job is decided upon as a whole.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-of-another-job",
    question: Question::Guard,
    sentence: "a job does not make way for itself",
    file: include_str!("victim_is_of_another_job.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    if case.preemptor.job.is_some() && candidate.attributes.job == case.preemptor.job {
        return Err(Denial::Fact("it belongs to the same job"));
    }
    Ok(())
}
