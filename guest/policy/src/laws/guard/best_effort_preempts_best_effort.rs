//! # What it demands
//!
//! A preemptor that requests nothing evicts only pods that request nothing. The resource `pods` does not count.
//!
//! # Example
//!
//! A node has 2 places for pods, and both are taken: by a pod that requests nothing, and by one of 1 cpu. A pod of a higher job that
//! requests nothing may evict the first one, but not the second one.
//!
//! # Why
//!
//! A pod that requests nothing needs a place on a node and no more. A pod with requests has more to lose than that.
//!
//! # Source
//!
//! Volcano: <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/actions/preempt/preempt.go>.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx, ResourceIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "best-effort-preempts-best-effort",
        sentence: "a preemptor that requests nothing evicts only pods that request nothing",
        templates: &[("", "the pod requests resources, and the preemptor requests none")],
        file: page!("best_effort_preempts_best_effort.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let counts = |resource: ResourceIx| case.cluster.resource_name(resource) != "pods";
    let asks = case.preemptor.part.pending_request.iter().any(|(resource, amount)| counts(resource) && amount > 0);
    match asks || !candidate.request().iter().any(|(resource, _)| counts(resource)) {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
