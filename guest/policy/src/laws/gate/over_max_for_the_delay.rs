//! # What it demands
//!
//! The queue has used more than its maximum for at least its quota preemption delay. The time starts when the configuration lowers
//! the maximum below the usage, or turns quota preemption on. Lowering the maximum again does not start it anew before it has ended;
//! changing the delay moves its end. After a restart without a checkpoint, when the start is not known, the time starts at the restart.
//!
//! # Example
//!
//! The delay is 5m. At 10:00 the maximum is lowered from 10 to 6 cpu, and pods use 10. At 10:04 all pods still run. At 10:05 pods of
//! 4 cpu are evicted.
//!
//! # Why
//!
//! Pods that end soon should end by themselves.
//!
//! # Source
//!
//! Upstream queue.go, version 1.8 and later; yunikorn-site docs/design/quota_preemptor.md. Upstream forgets the time at a restart.
//!
//! # Options
//!
//! `quota.preemption.delay` of the queue.

use crate::contract::ChangeKind;
use crate::laws::{Denial, ExcessCheckFn, ExcessContext, Law, LawText, page};

/// The law.
pub const LAW: Law<ExcessCheckFn> = Law::excess_precondition(
    LawText {
        name: "over-max-for-the-delay",
        sentence: "the queue has held more than its maximum for its quota preemption delay",
        templates: &[("", "over its @max for {waited}; it gives back after {delay}")],
        file: page!("over_max_for_the_delay.rs"),
    },
    holds,
)
.retry_after(&[ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved, ChangeKind::PodUpserted, ChangeKind::PodRemoved]);

/// Checks whether the queue has been over its maximum for long enough.
fn holds(case: &ExcessContext<'_>) -> Result<(), Denial> {
    let (delay, now) = (case.cluster.policy(case.queue).quota_delay, case.cluster.now());
    let waited = now.saturating_sub(case.cluster.over_max_since(case.queue).unwrap_or(now));
    if waited >= delay { Ok(()) } else { Err(Denial::TooSoon { waited, delay }) }
}
