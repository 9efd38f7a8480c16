//! # What it demands
//!
//! Neither the queue of the victim nor, where it has no policy of its own, a queue above it has `preemption.policy: disabled`.
//!
//! # Example
//!
//! `root.prod` is disabled. Its pods are no victims, but they may still evict pods of other queues.
//!
//! # Why
//!
//! Operators can protect a part of the tree.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), Queue Configuration. Upstream:
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/queue.go>.
//!
//! # Options
//!
//! `preemption.policy: disabled` of a queue; children inherit it.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-queue-is-not-spared",
        sentence: "a victim is not in a queue whose preemption is disabled",
        templates: &[("", "preemption is disabled for the queue of the pod")],
        file: page!("victim_queue_is_not_spared.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match candidate.queue.is_some_and(|queue| case.cluster.policy(queue).protects_pods) {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}
