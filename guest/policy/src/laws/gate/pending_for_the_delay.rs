//! # What it demands
//!
//! The pod has been pending for at least the preemption delay of its leaf queue. A delay on a parent has no effect. The time
//! starts when the pod becomes known; at exactly the end of the delay it may preempt.
//!
//! # Example
//!
//! The delay is 30s and the pod arrived 20s ago: it waits. Ten seconds later it may preempt.
//!
//! # Why
//!
//! Most pods get a node without evictions if they wait a little.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), Queue Configuration. Upstream: CheckPreconditions in
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/preemption.go>.
//!
//! # Options
//!
//! `preemption.delay` of the leaf queue, 30s where it is missing or not positive.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "pending-for-the-delay",
        sentence: "the preemptor has been pending for the preemption delay of its queue",
        templates: &[("", "pending for {waited}; preemption starts after {delay}")],
        file: page!("pending_for_the_delay.rs"),
    },
    holds,
)
// An earlier pod of the application that is reported later decides the queue, and so the delay, of all pods of the application.
.retry_after(&[ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved, ChangeKind::PodUpserted]);

/// Checks that the preemptor has waited long enough.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let delay = case.preemptor.part.queue.map_or(0, |queue| case.cluster.policy(queue).delay);
    let entered = case.cluster.pod(case.preemptor.pod).map_or(0, |pod| pod.times.entered);
    let waited = case.cluster.now().saturating_sub(entered);
    if waited >= delay { Ok(()) } else { Err(Denial::TooSoon { waited, delay }) }
}
