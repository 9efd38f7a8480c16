//! # What it demands
//!
//! The victim is bound. A pod that is held at Permit is not, and neither is a pod that this cycle has just bound.
//!
//! # Example
//!
//! A gang of 2 waits for its third pod at Permit. Its two pods are no victims; the timeout decides about them.
//!
//! # Why
//!
//! A pod held at Permit may still give its room back, and a pod is not started only to be stopped.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator), PostFilter 3. Volcano: running pods only,
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/actions/reclaim/reclaim.go>.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx, PodLocation};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-bound",
        sentence: "a victim is bound to its node",
        templates: &[("", "the pod is not bound to its node yet, or was bound only in this cycle")],
        file: page!("victim_is_bound.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(_: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match candidate.state.location {
        PodLocation::Bound(_) => Ok(()),
        _ => Err(Denial::Case("")),
    }
}
