//! Every gang of the group is described and has as many pods as it needs.
//!
//! Members that are bound already count, those that have ended (unless they ended well and their system counts them) or are being
//! deleted do not. A gang that cannot become complete is not tried: it would
//! hold room that others could use until it times out. No preemption helps, so none is tried either.
//!
//! A gang that needs to be complete only once, and was, needs no members any more: its later pods are tried one by one.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{JobKey, Place};

/// See the module.
pub const LAW: Law = Law {
    name: "gang-has-its-members",
    question: Question::Gate,
    sentence: "every gang of the group is described and has as many pods as it needs",
    file: include_str!("gang_has_its_members.rs"),
};

/// Whether all gangs that must be complete together can be.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let cluster = case.cluster;
    let Some(job) = case.preemptor.job.and_then(|job| cluster.job(job)) else { return Ok(()) };
    let Some(gang) = job.gang() else { return Err(undeclared(&job.key)) };
    let alone = std::slice::from_ref(&job.key);
    let group = if gang.group.is_empty() { alone } else { gang.group.as_slice() };
    for key in group {
        let ix = cluster.job_named(key).ok_or_else(|| undeclared(key))?;
        let job = cluster.job(ix).ok_or_else(|| undeclared(key))?;
        let need = job.gang().ok_or_else(|| undeclared(key))?.minimum;
        if cluster.was_satisfied(job) {
            continue;
        }
        let members = job.members.iter().filter_map(|pod| cluster.pod(*pod));
        let have = members
            .filter(|pod| (pod.place != Place::Finished || pod.attributes.task.succeeded) && !pod.terminating)
            .count();
        if have < usize::try_from(need).unwrap_or(usize::MAX) {
            return Err(Denial::Incomplete { job: ix, counted: "pods", have, need });
        }
    }
    Ok(())
}

fn undeclared(key: &JobKey) -> Denial {
    Denial::Undeclared { gang: format!("{}/{}", key.0, key.1) }
}
