//! A single pod makes way only while its gang has more than it needs.
//!
//! More than its minimum, and more than it needs of the pod's role. Below that a gang makes way whole, or not at all. A gang
//! that is below its minimum already has nothing to lose.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-above-gang-minimum",
    question: Question::Guard,
    sentence: "a single pod makes way only while its gang has more than it needs",
    file: include_str!("victim_is_above_gang_minimum.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, ix: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let cluster = case.cluster;
    let holders = || cluster.holders(ix).map(|(_, pod)| pod);
    let role = candidate.attributes.task.role;
    let need = cluster.roles(ix).iter().find(|(of, _)| Some(*of) == role).map_or(0, |(_, need)| *need);
    let have = holders().filter(|pod| pod.attributes.task.role == role).count();
    let (all, minimum) = (holders().count(), cluster.minimum(ix));
    let spare = all > minimum && have > usize::try_from(need).unwrap_or(usize::MAX);
    match spare || all < minimum {
        true => Ok(()),
        false => Err(Denial::Fact("its gang has no more than it needs")),
    }
}
