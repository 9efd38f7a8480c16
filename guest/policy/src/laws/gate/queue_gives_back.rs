//! # What it demands
//!
//! Quota preemption is on for the partition, and the queue has a quota preemption delay above 0. A queue without a delay of its own
//! has that of its parent.
//!
//! # Example
//!
//! The maximum of a queue is lowered from 10 to 6 cpu while its pods use 10. The partition does not turn quota preemption on: the pods
//! run on, and no new pod starts until the queue uses less than 6.
//!
//! # Why
//!
//! An operator that lowers a maximum may want to wait until the pods end. Evictions are for operators that turn them on.
//!
//! # Source
//!
//! Upstream partition.go and queue.go, version 1.8 and later; YUNIKORN-3193 and YUNIKORN-3208 (the delay is inherited).
//!
//! # Options
//!
//! `preemption.quotapreemptionenabled` of the partition, false by default; `quota.preemption.delay` of the queue, 0 by default.

use crate::contract::ChangeKind;
use crate::laws::{Denial, ExcessCheckFn, ExcessContext, Law, LawText, page};

/// The law.
pub const LAW: Law<ExcessCheckFn> = Law::excess_precondition(
    LawText {
        name: "queue-gives-back",
        sentence: "quota preemption is on for the queue that holds more than its maximum",
        templates: &[
            ("off", "quota preemption is off for the partition: `{queue}` keeps what it has"),
            ("no-delay", "`{queue}` has no quota preemption delay: it keeps what it has"),
        ],
        file: page!("queue_gives_back.rs"),
    },
    holds,
)
.retry_after(&[ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved]);

/// Checks whether quota preemption is on for the queue, with a delay above 0.
fn holds(case: &ExcessContext<'_>) -> Result<(), Denial> {
    let policy = case.cluster.policy(case.queue);
    match (policy.quota_preemption, policy.quota_delay) {
        (false, _) => Err(Denial::Queue("off", case.queue)),
        (true, ..=0) => Err(Denial::Queue("no-delay", case.queue)),
        (true, _) => Ok(()),
    }
}
