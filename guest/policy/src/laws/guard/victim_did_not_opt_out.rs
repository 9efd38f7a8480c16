//! # What it demands
//!
//! Neither the pod nor, where it may say so, its job is marked as not preemptable. The annotation of a pod counts before its
//! label; without either it may be evicted. A value that is not a yes counts as a no.
//!
//! # Example
//!
//! A pod has the annotation `volcano.sh/preemptable: "false"`. It stays, whatever its priority.
//!
//! # Why
//!
//! Some pods are too expensive to stop.
//!
//! # Source
//!
//! Volcano api/pod_info.go, GetPodPreemptable.
//!
//! # Options
//!
//! Annotation or label `volcano.sh/preemptable`.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-did-not-opt-out",
        sentence: "a victim did not opt out of eviction",
        templates: &[
            ("pod", "the pod is marked as not preemptable"),
            ("job", "the job of the pod is marked as not preemptable"),
        ],
        file: page!("victim_did_not_opt_out.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let group = candidate.attributes.job.and_then(|job| case.cluster.pod_group(job));
    let by_job = group.is_some_and(|group| group.opted_out);
    match (candidate.attributes.opted_out, by_job) {
        (true, _) => Err(Denial::Case("pod")),
        (false, true) => Err(Denial::Case("job")),
        (false, false) => Ok(()),
    }
}
