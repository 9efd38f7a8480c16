//! An elastic job grows only while its minimum runs.
//!
//! First the gang, then the pods beyond it.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "gang-runs",
    question: Question::Gate,
    sentence: "an elastic job grows only while its minimum runs",
    file: include_str!("gang_runs.rs"),
};

/// Whether the asker's job has its minimum.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    match case.cluster.shortage(case.preemptor.pod).is_over() {
        true => Ok(()),
        false => Err(Denial::Fact("the minimum of its job does not run yet")),
    }
}
