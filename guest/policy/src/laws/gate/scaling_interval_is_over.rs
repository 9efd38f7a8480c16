//! An elastic job grows only when it has kept its size for a time.
//!
//! The time is the job's `elastic-cooldown-time`, and counts from its last change of size, growth or shrinkage. At exactly the end it
//! may grow. The first growth need not wait, and to make way for others a job shrinks at any time.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "scaling-interval-is-over",
    question: Question::Gate,
    sentence: "an elastic job grows only when it has kept its size for its interval",
    file: include_str!("scaling_interval_is_over.rs"),
};

/// Whether the interval since the last change of size is over.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Some(job) = case.preemptor.job.and_then(|job| case.cluster.job(job)) else { return Ok(()) };
    let interval = job.elastic().map_or(0, |elastic| elastic.interval);
    match job.scaled_at {
        Some(at) if case.cluster.now() < at.saturating_add(interval) => {
            Err(Denial::Fact("the interval since it grew or shrank last is not over"))
        }
        _ => Ok(()),
    }
}
