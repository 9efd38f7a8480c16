//! # What it demands
//!
//! The priority of the victim is strictly lower than that of the preemptor; for gangs that are planned together, lower than that of
//! each.
//!
//! # Example
//!
//! The preemptor has priority 100. A pod of 99 may be evicted, a pod of 100 may not.
//!
//! # Why
//!
//! Pods of equal priority would otherwise evict each other in turn.
//!
//! # Source
//!
//! kube-scheduler defaultpreemption, SelectVictimsOnNode. Seed 20240115 (Koordinator), Key Concept 2.
//!
//! # Options
//!
//! `spec.priority` of the pods.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-ranks-lower",
        sentence: "a victim has lower priority than the preemptor",
        templates: &[("", "priority {priority} is not lower than {preemptor-priority} of the preemptor")],
        file: page!("victim_ranks_lower.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    if candidate.priority() < case.preemptor.priority {
        return Ok(());
    }
    Err(Denial::Priority { victim: candidate.priority(), preemptor: case.preemptor.priority })
}
