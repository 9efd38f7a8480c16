//! # What it demands
//!
//! Every gang of the group has its minimum of pods. Which pods count is its match policy: pods held at Permit (the pod that asks
//! is one of them); or those and the bound ones; or those held at Permit, but only until a member was bound once.
//!
//! It is asked at Permit. A plan that evicts pods is asked it before, as if all pods of the plan were held at Permit.
//!
//! # Example
//!
//! A gang needs 3 pods and 2 are held at Permit: both wait. When the third one gets a node, all three are bound.
//!
//! # Why
//!
//! A gang that runs in part holds room and does no work. No pod is evicted for a gang group that could not start afterwards.
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

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};
use crate::model::{Cluster, Job, JobIx, MatchPolicy};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
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

/// Checks whether all gangs that must be complete together are complete.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some(job) = case.preemptor.job else { return Ok(()) };
    case.cluster.gang_group(job).into_iter().try_for_each(|job| complete(case.cluster, job))
}

fn complete(cluster: &Cluster, ix: JobIx) -> Result<(), Denial> {
    let (Some(gang), Some(have)) = (cluster.job(ix).and_then(Job::gang), cluster.counted_members(ix)) else {
        return Ok(());
    };
    let case = match gang.match_policy {
        MatchPolicy::OnceSatisfied | MatchPolicy::OnlyWaiting => "waiting",
        MatchPolicy::WaitingAndRunning => "waiting-or-running",
    };
    match cluster.is_complete(ix) {
        true => Ok(()),
        false => Err(Denial::Incomplete { job: ix, case, have, need: gang.minimum }),
    }
}
