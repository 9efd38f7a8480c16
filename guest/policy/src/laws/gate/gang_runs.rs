//! # What it demands
//!
//! The minimum of the job holds nodes before any elastic pod is placed.
//!
//! # Example
//!
//! A job needs 2 pods and has 1 on a node. Its elastic pods wait until the second one has a node.
//!
//! # Why
//!
//! The gang comes first, then the pods above it: elastic pods alone do no work.
//!
//! # Source
//!
//! Seed *Elastic scheduling based on AI scenarios*, Proposal: the elastic action comes last.
//!
//! # Options
//!
//! `minMember` of the PodGroup.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "gang-runs",
        sentence: "an elastic job grows only while its minimum runs",
        templates: &[("", "the minimum of the job does not run yet")],
        file: page!("gang_runs.rs"),
    },
    holds,
);

/// Checks whether the job of the preemptor has its minimum of pods on nodes.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    match case.cluster.shortage(case.preemptor.pod).is_empty() {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
