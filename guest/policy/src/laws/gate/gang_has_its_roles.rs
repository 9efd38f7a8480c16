//! A gang has as many pods of each role as it needs.
//!
//! What the roles need counts only where the minimum of the gang covers it: where the numbers of the roles add up to more than the
//! minimum, the minimum alone decides. Without the pods that it needs a gang is not tried, and nobody makes way for it.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "gang-has-its-roles",
    question: Question::Gate,
    sentence: "a gang has as many pods of each role as it needs",
    file: include_str!("gang_has_its_roles.rs"),
};

/// Whether the asker's job has the members it needs.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    match case.cluster.missing_members(case.preemptor.pod).has_roles() {
        true => Ok(()),
        false => Err(Denial::Fact("its gang has not as many pods of every role as it needs")),
    }
}
