//! # What it demands
//!
//! At least the interval of the job has passed since it last grew or shrank. At exactly the end it may grow. The first growth
//! does not wait, and a job may shrink for others at any time.
//!
//! # Example
//!
//! The interval is 60s and the job grew 40s ago: it keeps its size for 20s more.
//!
//! # Why
//!
//! A job that changes its size all the time spends its time on restarts.
//!
//! # Source
//!
//! Seed *Elastic scheduling based on AI scenarios*, API design: elastic-cooldown-time.
//!
//! # Options
//!
//! `elastic-cooldown-time` of the job.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "scaling-interval-is-over",
        sentence: "an elastic job grows only after it has kept its size for its interval",
        templates: &[("", "the interval since the last change of size is not over")],
        file: page!("scaling_interval_is_over.rs"),
    },
    holds,
)
.retry_after(&[ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved]);

/// Checks whether the interval since the last change of size is over.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some(job) = case.preemptor.job else { return Ok(()) };
    let interval = case.cluster.elastic(job).map_or(0, |elastic| elastic.interval);
    match case.cluster.scaled_at(job).map(|at| at.saturating_add(interval)) {
        Some(end) if case.cluster.now() < end => Err(Denial::NotBefore(end)),
        _ => Ok(()),
    }
}
