//! # What it demands
//!
//! The victim is not in the default queue.
//!
//! # Example
//!
//! A pod without a quota label runs in `koordinator-default-quota`. It is no victim.
//!
//! # Why
//!
//! These pods were never given a quota, so no quota may take their room.
//!
//! # Source
//!
//! Upstream: canPreempt in
//! <https://github.com/koordinator-sh/koordinator/blob/a7a1b76b/pkg/scheduler/plugins/elasticquota/preempt.go>.
//!
//! # Options
//!
//! `disableDefaultQuotaPreemption`; the law is in force where it is true.

use crate::laws::{Admits, Case, Denial, Law, Text, page};
use crate::model::{Pod, PodIx};

/// The law.
pub const LAW: Law<Admits> = Law::guard(
    Text {
        name: "victim-outside-default-queue",
        sentence: "pods of the default queue are not evicted",
        templates: &[("", "the pod belongs to the default @queue, which is not preempted")],
        file: page!("victim_outside_default_queue.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let queue = candidate.queue.and_then(|queue| case.cluster.queue(queue));
    if queue.is_some_and(|queue| queue.is_default) {
        return Err(Denial::Case(""));
    }
    Ok(())
}
