//! # What it demands
//!
//! The pod holds some of a resource of which the queue uses more than its maximum.
//!
//! # Example
//!
//! A queue uses 10 of at most 6 cpu, and 2 of at most 4 GPUs. A pod that holds one GPU and no cpu stays.
//!
//! # Why
//!
//! The eviction would bring the queue no nearer to its maximum.
//!
//! # Source
//!
//! Upstream quota_preemptor.go, version 1.8 and later: <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/quota_preemptor.go>.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, ExcessContext, ExcessVictimFilterFn, Law, LawText, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<ExcessVictimFilterFn> = Law::excess_victim_filter(
    LawText {
        name: "giver-holds-what-is-over",
        sentence: "a pod that is evicted for its queue holds something of which the queue uses too much",
        templates: &[("", "the pod holds nothing of which its queue uses too much")],
        file: page!("giver_holds_what_is_over.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the pod.
fn admits(case: &ExcessContext<'_>, _: PodIx, pod: &PodInfo) -> Result<(), Denial> {
    match case.excess.iter().any(|(resource, _)| pod.request().get(resource) > 0) {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
