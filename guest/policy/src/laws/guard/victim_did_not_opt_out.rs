//! A victim did not say that it is not to be evicted.
//!
//! Its annotation decides, else its label; without either it may be evicted. What cannot be read as yes counts as no. Where its job
//! itself may say so, a job that did spares all of its pods.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-did-not-opt-out",
    question: Question::Guard,
    sentence: "a victim did not say that it is not to be evicted",
    file: include_str!("victim_did_not_opt_out.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let job = candidate.attributes.job.and_then(|job| case.cluster.job(job));
    let by_job = job.and_then(|job| job.pod_group.as_ref()).is_some_and(|pod_group| pod_group.opted_out);
    match (candidate.attributes.opted_out, by_job) {
        (true, _) => Err(Denial::Fact("it is marked as not preemptable")),
        (false, true) => Err(Denial::Fact("its job is marked as not preemptable")),
        (false, false) => Ok(()),
    }
}
