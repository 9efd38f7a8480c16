//! An elastic pod is placed with its whole step, never by itself.
//!
//! One more pod would in general leave its job in a size that its rule does not name. Steps are made when the elastic action of a cycle
//! looks at all jobs; an attempt for one pod is refused, and nobody makes way for it.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::Class;

/// See the module.
pub const LAW: Law = Law {
    name: "elastic-pods-grow-by-steps",
    question: Question::Gate,
    sentence: "an elastic pod is placed with its whole step, never by itself",
    file: include_str!("elastic_pods_grow_by_steps.rs"),
};

/// Whether the asking pod may be tried by itself.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    match case.preemptor.class {
        Class::NonPreemptible => Ok(()),
        Class::Preemptible => {
            Err(Denial::Fact("elastic pods are placed by whole steps, in the elastic action of a cycle"))
        }
    }
}
