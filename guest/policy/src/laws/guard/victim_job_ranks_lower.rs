//! # What it demands
//!
//! The priority of the job of the victim is strictly lower. The priorities of the pods do not count.
//!
//! # Example
//!
//! A job of priority 10 waits. A pod of a job of priority 5 may go, one of a job of priority 10 may not.
//!
//! # Why
//!
//! Within a queue a job is important as a whole.
//!
//! # Source
//!
//! Volcano: the priority plugin.
//!
//! # Options
//!
//! `priorityClassName` of the PodGroup.

use crate::laws::order::waiting_gang_first::job_priority;
use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-job-ranks-lower",
        sentence: "the job of a victim has lower priority than the job of the preemptor",
        templates: &[(
            "",
            "priority {priority} of the job is not lower than {preemptor-priority} of the job of the preemptor",
        )],
        file: page!("victim_job_ranks_lower.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let pod = case.cluster.pod(case.preemptor.pod);
    let preemptor = pod.map_or(case.preemptor.priority, |pod| job_priority(case.cluster, pod));
    let victim = job_priority(case.cluster, candidate);
    if victim < preemptor {
        return Ok(());
    }
    Err(Denial::Priority { victim, preemptor })
}
