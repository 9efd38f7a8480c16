//! # What it demands
//!
//! The pod requests this scheduler, and its application was placed in a leaf queue: a configured one, or one that a placement
//! rule may create.
//!
//! # Example
//!
//! A pod names the queue `root.dev.x`, and `root.dev` is a leaf: the pod is refused, because `root.dev.x` cannot be created.
//!
//! # Why
//!
//! Without a queue there is no quota to decide by. A pod of another scheduler uses room on its node and is otherwise ignored.
//!
//! # Source
//!
//! YuniKorn placement rules and getApplication in the k8shim.
//!
//! # Options
//!
//! `placementrules` of the partition; labels `queue` and `yunikorn.apache.org/queue` of the pod.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::precondition(
    LawText {
        name: "queue-is-known",
        sentence: "a pod belongs to a queue that takes pods",
        templates: &[
            ("queue", "the application is in no queue: it names no leaf queue, and none may be created"),
            ("scheduler", "the pod requests another scheduler"),
        ],
        file: page!("queue_is_known.rs"),
    },
    holds,
)
// An earlier pod of the application that is reported later decides the queue of all pods of the application.
.retry_after(&[ChangeKind::ObjectUpserted, ChangeKind::ObjectRemoved, ChangeKind::PodUpserted]);

/// Checks that the preemptor has a queue.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    match (case.preemptor.part.queue, case.preemptor.job) {
        (Some(_), _) => Ok(()),
        (None, Some(_)) => Err(Denial::Case("queue")),
        (None, None) => Err(Denial::Case("scheduler")),
    }
}
