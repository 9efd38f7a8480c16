//! # What it demands
//!
//! Every gang of the group reaches its minimum with the members that hold a node and those that may be tried. Members with
//! scheduling gates, or of another scheduler, that hold no node may not be tried.
//!
//! # Example
//!
//! A gang needs 3 pods. One runs, one waits, and one has a scheduling gate: the pod that waits evicts no pod. When the gate is
//! gone, it may.
//!
//! # Why
//!
//! Evicting for a gang that cannot start helps no pod. A gang that needs to be complete only once, and was, is exempt.
//!
//! # Source
//!
//! KEP-3521, pod scheduling readiness: <https://github.com/kubernetes/enhancements/tree/master/keps/sig-scheduling/3521-pod-scheduling-readiness>.
//! Upstream's coscheduling plugin looks at gates in PreFilter only.
//!
//! # Options
//!
//! `spec.schedulingGates` and `spec.schedulerName` of the members, the minimum of the gang.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};
use crate::model::{Cluster, JobIx};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "gang-can-start",
        sentence: "a gang preempts only when enough of its pods run or may be tried",
        templates: &[(
            "",
            "gang `{gang}` has {have} pods that hold a node or may be tried, of the {need} it needs: the others have scheduling gates or another scheduler",
        )],
        file: page!("gang_can_start.rs"),
    },
    holds,
);

/// Checks whether all gangs that must be complete together can be complete.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some(job) = case.preemptor.job else { return Ok(()) };
    case.cluster.gang_group(job).into_iter().try_for_each(|job| can_start(case.cluster, job))
}

fn can_start(cluster: &Cluster, ix: JobIx) -> Result<(), Denial> {
    let Some((job, gang)) = cluster.job(ix).and_then(|job| Some((job, job.gang()?))) else { return Ok(()) };
    if cluster.is_once_satisfied(job) {
        return Ok(());
    }
    let have = cluster.startable(job);
    if have >= usize::try_from(gang.minimum).unwrap_or(usize::MAX) {
        return Ok(());
    }
    Err(Denial::Incomplete { job: ix, case: "", have, need: gang.minimum })
}
