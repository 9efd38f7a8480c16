//! # What it demands
//!
//! Every gang of the group has its minimum of pods. Which pods count is its match policy: pods held at Permit (the pod that asks
//! is one of them); or those and the bound ones; or those held at Permit, but only until a member was bound once.
//!
//! # Example
//!
//! A gang needs 3 pods and 2 are held at Permit: both wait. When the third one gets a node, all three are bound.
//!
//! # Why
//!
//! A gang that runs in part holds room and does no work.
//!
//! # Source
//!
//! Seed 20200116 (coscheduling), Permit 3. Upstream:
//! <https://github.com/koordinator-sh/koordinator/blob/a7a1b76b/pkg/scheduler/plugins/coscheduling/core/core.go>, Permit.
//! Volcano: the gang plugin, JobReady.
//!
//! # Options
//!
//! Minimum, match policy and timeout of the gang.

use crate::laws::{Case, Denial, Holds, Law, Text, page};
use crate::model::{Cluster, JobIx, Match, Place};

/// The law.
pub const LAW: Law<Holds> = Law::limit(
    Text {
        name: "gang-is-complete",
        sentence: "a gang is bound when every gang of its group is complete",
        templates: &[
            (
                "waiting",
                "gang `{gang}` has {have} waiting pods of the {need} it needs: less than minAvailable (pod group is not ready)",
            ),
            (
                "waiting-or-running",
                "gang `{gang}` has {have} waiting or running pods of the {need} it needs: less than minAvailable (pod group is not ready)",
            ),
            ("half", "only {placed} of the {pods} pods that the gang lacks find a node: none is bound"),
            ("complete", "the gang is complete"),
            ("single", "the pod belongs to no gang"),
        ],
        file: page!("gang_is_complete.rs"),
    },
    holds,
);

/// Whether all gangs that must be complete together are.
fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Some(job) = case.preemptor.job else { return Ok(()) };
    case.cluster.gang_group(job).into_iter().try_for_each(|job| complete(case.cluster, job))
}

fn complete(cluster: &Cluster, ix: JobIx) -> Result<(), Denial> {
    let Some((job, gang)) = cluster.job(ix).and_then(|job| Some((job, job.gang()?))) else { return Ok(()) };
    let members = || job.members.iter().filter_map(|pod| cluster.pod(*pod));
    let waiting = members().filter(|pod| matches!(pod.place, Place::Reserved(_))).count();
    let bound = members().filter(|pod| matches!(pod.place, Place::Bound(_)) && !pod.terminating).count();
    let (case, have) = match gang.matching {
        Match::OnceSatisfied if cluster.was_satisfied(job) => return Ok(()),
        Match::OnceSatisfied | Match::OnlyWaiting => ("waiting", waiting),
        Match::WaitingAndRunning => ("waiting-or-running", waiting.saturating_add(bound)),
    };
    if have >= usize::try_from(gang.minimum).unwrap_or(usize::MAX) {
        return Ok(());
    }
    Err(Denial::Incomplete { job: ix, case, have, need: gang.minimum })
}
