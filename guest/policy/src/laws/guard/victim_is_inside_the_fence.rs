//! # What it demands
//!
//! The fence is the nearest queue with `preemption.policy: fence`, from the queue of the preemptor upward. A victim is in that
//! queue or below it. On the root the policy has no effect.
//!
//! # Example
//!
//! `root.dev` has a fence. A pod of `root.dev.a` may evict pods of `root.dev.b`, but none of `root.prod`. A pod of `root.prod`
//! may evict pods of `root.dev.a`.
//!
//! # Why
//!
//! A fence keeps the preemption of a tenant inside the tenant. It works in one direction: a fence on the side of the victim
//! protects nothing.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), law 7 and Preemption Fence. Upstream: findPreemptionFenceRoot in
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/queue.go>.
//!
//! # Options
//!
//! `preemption.policy: fence` of a queue.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-inside-the-fence",
        sentence: "a victim is inside the preemption fence of the preemptor",
        templates: &[("", "the pod is outside the preemption fence of the preemptor")],
        file: page!("victim_is_inside_the_fence.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let mut path = case.cluster.path(case.preemptor.part.queue);
    let fence = path.find(|(ix, queue)| case.cluster.policy(*ix).fenced && queue.parent.is_some());
    match fence {
        Some((fence, _)) if !case.cluster.is_below(candidate.queue, fence) => Err(Denial::Case("")),
        _ => Ok(()),
    }
}
