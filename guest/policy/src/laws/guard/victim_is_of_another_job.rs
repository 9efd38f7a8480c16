//! # What it demands
//!
//! The victim is not of the job of the preemptor.
//!
//! # Example
//!
//! A job has 3 running pods of priority 0 and a pending one of priority 10. The pending pod evicts none of the three.
//!
//! # Why
//!
//! The policy decides about a job as a whole. Swapping its own pods would gain nothing.
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

use crate::laws::{Admits, Case, Denial, Law, Text, page};
use crate::model::{Pod, PodIx};

/// The law.
pub const LAW: Law<Admits> = Law::guard(
    Text {
        name: "victim-is-of-another-job",
        sentence: "a job does not evict its own pods",
        templates: &[("", "the pod belongs to the same job")],
        file: page!("victim_is_of_another_job.rs"),
    },
    admits,
);

/// Whether this law allows the eviction of the candidate.
fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    if case.preemptor.job.is_some() && candidate.attributes.job == case.preemptor.job {
        return Err(Denial::Case(""));
    }
    Ok(())
}
