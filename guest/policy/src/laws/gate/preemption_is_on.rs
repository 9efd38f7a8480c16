//! # What it demands
//!
//! The partition of the preemptor has preemption enabled.
//!
//! # Example
//!
//! With `preemption: {enabled: false}` no pod is evicted, however long a pod has waited.
//!
//! # Why
//!
//! An operator can turn preemption off as a whole.
//!
//! # Source
//!
//! YuniKorn partition configuration, `preemption.enabled`; upstream partition.go, updatePreemption.
//!
//! # Options
//!
//! `preemption.enabled` of the partition, true by default.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, ImaginedPreemptors, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "preemption-is-on",
        sentence: "preemption is on for the queue of the preemptor",
        templates: &[("", "preemption is turned off for the partition")],
        file: page!("preemption_is_on.rs"),
    },
    holds,
)
.retry_after(&[ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved])
.checked_for(ImaginedPreemptors::All);

/// Checks whether the queue of the preemptor allows its pods to preempt.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    if case.preemptor.part.queue.is_some_and(|queue| case.cluster.policy(queue).preempts_nothing) {
        return Err(Denial::Case(""));
    }
    Ok(())
}
