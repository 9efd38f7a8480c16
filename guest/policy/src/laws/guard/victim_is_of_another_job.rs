//! # What it demands
//!
//! The victim is not of the job of the preemptor, and of no other gang of its gang group.
//!
//! # Example
//!
//! A job has 3 running pods of priority 0 and a pending one of priority 10. The pending pod evicts none of the three.
//!
//! # Why
//!
//! The policy decides about a job as a whole. Swapping its own pods would gain nothing. The gangs of a group start together: without
//! the victim another gang of the group would be short.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator), Key Concept 3. Seed 002 (YuniKorn), law 3. Volcano:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/actions/reclaim/reclaim.go>. Kubernetes: KEP 5710, a group
//! does not preempt itself.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{Job, PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-of-another-job",
        sentence: "a job does not evict its own pods, nor those of its gang group",
        templates: &[("", "the pod belongs to the same job or gang group")],
        file: page!("victim_is_of_another_job.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let (Some(own), Some(other)) = (case.preemptor.job, candidate.attributes.job) else { return Ok(()) };
    let group = case.cluster.job(own).and_then(Job::gang).map(|gang| gang.group.as_slice()).unwrap_or_default();
    let is_grouped = !group.is_empty() && case.cluster.job(other).is_some_and(|job| group.contains(&job.key));
    if own == other || is_grouped { Err(Denial::Case("")) } else { Ok(()) }
}
