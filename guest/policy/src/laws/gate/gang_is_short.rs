//! # What it demands
//!
//! Fewer members of the gang hold a node than its minimum.
//!
//! # Example
//!
//! A gang needs 2 pods, and 2 run. Its third pod waits for idle room and evicts no pod.
//!
//! # Why
//!
//! Two jobs that both run would otherwise evict each other in turn.
//!
//! # Source
//!
//! Volcano: the gang plugin, jobStarvingFn; issue 3869.
//!
//! # Options
//!
//! `minMember` of the PodGroup.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "gang-is-short",
        sentence: "only a gang below its minimum may preempt",
        templates: &[("", "the gang has its minimum; further pods wait for idle room")],
        file: page!("gang_is_short.rs"),
    },
    holds,
);

/// Checks whether the job of the preemptor has fewer pods on nodes than its minimum.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    match case.cluster.shortage(case.preemptor.pod).is_empty() {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}
