//! # What it demands
//!
//! The victim is an elastic pod: one above the minimum of its job.
//!
//! # Example
//!
//! A job has a minimum of 2 and 4 pods. Two of them may be evicted, two may not.
//!
//! # Why
//!
//! In the elastic mode normal pods stay within what their queue deserves, so no other queue has a claim on them.
//!
//! # Source
//!
//! Seed *Elastic scheduling based on AI scenarios*, Main process: elastic mode only supports preemption of elastic tasks.
//!
//! # Options
//!
//! `capacity.reclaim.mode: elastic`.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx, Preemptibility};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-elastic",
        sentence: "only elastic pods are evicted",
        templates: &[("", "the pod is not elastic")],
        file: page!("victim_is_elastic.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(_: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match candidate.attributes.preemptibility {
        Preemptibility::Preemptible => Ok(()),
        Preemptibility::NonPreemptible => Err(Denial::Case("")),
    }
}
