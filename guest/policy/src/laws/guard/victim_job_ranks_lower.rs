//! The job of a victim has strictly lower priority than that of the preemptor.
//!
//! The priority of the job counts, not that of the pod. Equal priority is not lower.

use crate::laws::order::waiting_gang_first::job_priority;
use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-job-ranks-lower",
    question: Question::Guard,
    sentence: "the job of a victim has strictly lower priority than that of the preemptor",
    file: include_str!("victim_job_ranks_lower.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let preemptor = case.cluster.pod(case.preemptor.pod).map_or(i32::MIN, |pod| job_priority(case.cluster, pod));
    let victim = job_priority(case.cluster, candidate);
    if victim < preemptor {
        return Ok(());
    }
    Err(Denial::Priority { victim, preemptor })
}
