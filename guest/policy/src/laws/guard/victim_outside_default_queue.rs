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

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-outside-default-queue",
        sentence: "pods of the default queue are not evicted",
        templates: &[("", "the pod belongs to the default @queue, which is not preempted")],
        file: page!("victim_outside_default_queue.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let queue = candidate.queue.and_then(|queue| case.cluster.queue(queue));
    if queue.is_some_and(|queue| queue.is_default) {
        return Err(Denial::Case(""));
    }
    Ok(())
}
