//! A gang is bound when every gang of its group is complete, and not before.
//!
//! Which members make a gang complete is its match policy: those held at permit (the asking pod is one of them), or those and the
//! bound ones; or those held at permit, once only: when a member has ever been bound, no more is asked.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Cluster, JobIx, Match, Place};

/// See the module.
pub const LAW: Law = Law {
    name: "gang-is-complete",
    question: Question::Limit,
    sentence: "a gang is bound when every gang of its group is complete",
    file: include_str!("gang_is_complete.rs"),
};

/// Whether all gangs that must be complete together are.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Some(job) = case.preemptor.job else { return Ok(()) };
    case.cluster.gang_group(job).into_iter().try_for_each(|job| complete(case.cluster, job))
}

fn complete(cluster: &Cluster, ix: JobIx) -> Result<(), Denial> {
    let Some((job, gang)) = cluster.job(ix).and_then(|job| Some((job, job.gang()?))) else { return Ok(()) };
    let members = || job.members.iter().filter_map(|pod| cluster.pod(*pod));
    let waiting = members().filter(|pod| matches!(pod.place, Place::Reserved(_))).count();
    let bound = members().filter(|pod| matches!(pod.place, Place::Bound(_)) && !pod.terminating).count();
    let (counted, have) = match gang.matching {
        Match::OnceSatisfied if cluster.was_satisfied(job) => return Ok(()),
        Match::OnceSatisfied | Match::OnlyWaiting => ("waiting", waiting),
        Match::WaitingAndRunning => ("waiting or running", waiting.saturating_add(bound)),
    };
    if have >= usize::try_from(gang.minimum).unwrap_or(usize::MAX) {
        return Ok(());
    }
    Err(Denial::Incomplete { job: ix, counted, have, need: gang.minimum })
}
