//! # What it demands
//!
//! The queue of the pod is known, its state is Open, and it is a leaf.
//!
//! # Example
//!
//! Queue `team` is Closing: its running pods stay, its pending pods wait, and nothing is reclaimed for it.
//!
//! # Why
//!
//! A queue that is being closed gets nothing new. In a tree of queues only the leaves hold pods.
//!
//! # Source
//!
//! Volcano capacity plugin, AddAllocatableFn and leaf queues:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/plugins/capacity/capacity.go>.
//!
//! # Options
//!
//! State and `parent` of the Queue.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "queue-takes-pods",
        sentence: "the queue of a pod exists, is open, and has no queues below it",
        templates: &[
            (
                "unknown",
                "the pod is in no known queue: its PodGroup or the queue it names is missing, or it is for another scheduler",
            ),
            ("closed", "the queue of the pod is not open"),
            ("parent", "the queue of the pod has queues below it; only a leaf queue takes pods"),
        ],
        file: page!("queue_takes_pods.rs"),
    },
    holds,
)
.retry_after(&[ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved]);

/// Checks whether the queue of the preemptor is known, open and a leaf.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let spec = case.preemptor.part.queue.and_then(|queue| case.cluster.queue_spec(queue));
    let spec = spec.ok_or(Denial::Case("unknown"))?;
    match (spec.open, spec.has_children) {
        (false, _) => Err(Denial::Case("closed")),
        (true, true) => Err(Denial::Case("parent")),
        (true, false) => Ok(()),
    }
}
