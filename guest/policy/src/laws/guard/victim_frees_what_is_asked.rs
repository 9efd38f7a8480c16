//! A victim holds something of what is asked for.
//!
//! Who holds none of the resources that the preemptor asks for would be evicted for nothing. That every pod
//! takes one of the `pods` of its node does not count.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-frees-what-is-asked",
    question: Question::Guard,
    sentence: "a victim holds something of what is asked for",
    file: include_str!("victim_frees_what_is_asked.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let counts = |resource| case.cluster.resource_name(resource) != "pods" && case.preemptor.unplaced.get(resource) > 0;
    match candidate.request.iter().any(|(resource, _)| counts(resource)) {
        true => Ok(()),
        false => Err(Denial::Fact("it holds nothing of what is asked for")),
    }
}
