//! # What it demands
//!
//! The victim holds some of a resource that the preemptor requests. The resource `pods` does not count.
//!
//! # Example
//!
//! A preemptor requests gpu only. A pod that holds cpu and memory only is no victim.
//!
//! # Why
//!
//! Its eviction would free nothing that is needed.
//!
//! # Source
//!
//! Volcano capacity plugin, ReclaimableFn:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/plugins/capacity/capacity.go>.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-frees-what-is-asked",
        sentence: "a victim holds a resource that is requested",
        templates: &[("", "the pod holds none of the requested resources")],
        file: page!("victim_frees_what_is_asked.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let counts = |resource| {
        case.cluster.resource_name(resource) != "pods" && case.preemptor.part.pending_request.get(resource) > 0
    };
    match candidate.request().iter().any(|(resource, _)| counts(resource)) {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
