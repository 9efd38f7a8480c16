//! # What it demands
//!
//! An attempt for one elastic pod is refused, and no pod is evicted for it. The elastic action of a cycle places whole steps.
//!
//! # Example
//!
//! A job may have 2, 4 or 8 pods and has 4. An attempt for its fifth pod alone is refused. The elastic action places four pods
//! together, so the job has 8.
//!
//! # Why
//!
//! One more pod would leave the job in a size that its rule does not allow.
//!
//! # Source
//!
//! Seed *Elastic scheduling based on AI scenarios*, Main process: the elastic action gets the elastic tasks and follows the
//! scaling strategy.
//!
//! # Options
//!
//! `elastic-train`, `elastic-train-power-of-two` and `elastic-train-factor` of the job say which sizes are legal.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};
use crate::model::Preemptibility;

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "elastic-pods-grow-by-steps",
        sentence: "an elastic pod is placed with its whole step, never alone",
        templates: &[("", "an elastic pod is placed by whole steps, in the elastic action of a cycle")],
        file: page!("elastic_pods_grow_by_steps.rs"),
    },
    holds,
);

/// Checks whether the preemptor may be tried alone: elastic pods grow by whole steps.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    match case.preemptor.part.preemptibility {
        Preemptibility::NonPreemptible => Ok(()),
        Preemptibility::Preemptible => Err(Denial::Case("")),
    }
}
