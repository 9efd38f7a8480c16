//! # What it demands
//!
//! A gang that reclaims on the deserved amounts of an ancestor takes normal pods from outside of that ancestor only. If its own queue
//! deserves nothing that it requests, and the queue of the victim deserves nothing that the victim holds, they share no watched
//! ancestor, either.
//!
//! # Example
//!
//! Queue `p` deserves 4 cpu and uses 3. Its leaf `a` deserves nothing and waits for 1 cpu. Its leaf `b` deserves 1 and uses 3. With
//! `ancestorReclaimLevel: 1` the pod of `a` evicts none of `b`, but may evict pods of queues outside `p`.
//!
//! # Why
//!
//! What an ancestor deserves is shared by all queues below it. An eviction below it brings the ancestor no nearer to its amount: the
//! evicted pod could reclaim in turn, on the same amount, without end.
//!
//! # Source
//!
//! Volcano capacity plugin, ReclaimableFn: no reclaim between leaves without deserved amounts below one ancestor:
//! <https://github.com/volcano-sh/volcano/blob/0069b395/pkg/scheduler/plugins/capacity/capacity.go>. That it holds for all pods
//! below the ancestor of the claim is our ruling.
//!
//! # Options
//!
//! `deserved` of the Queue; `ancestorReclaimLevel` of the capacity plugin.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, claim, page};
use crate::model::{Cluster, PodInfo, PodIx, Queue, QueueIx, ResourceIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "normal-victim-is-outside-the-claim",
        sentence: "a normal pod is reclaimed from outside of the ancestor on whose deserved amounts the preemptor reclaims",
        templates: &[
            ("", "the preemptor reclaims on what @queue `{queue}` deserves, and the pod is below it, too"),
            (
                "shared",
                "the queues of the preemptor and of the pod deserve nothing of it, and both are below @queue `{queue}`",
            ),
        ],
        file: page!("normal_victim_is_outside_the_claim.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let (own, theirs) = (case.preemptor.part.queue, candidate.queue);
    let through = case.preemptor.entitlement.needed_ancestor(case.cluster, own, case.short_resources);
    let Some(ancestor) = through.filter(|_| !candidate.is_preemptible()) else { return Ok(()) };
    if case.cluster.is_below(theirs, ancestor) {
        return Err(Denial::Queue("", ancestor));
    }
    let held = candidate.request().iter().map(|(resource, _)| resource);
    let asked = case.preemptor.part.pending_request.iter().map(|(resource, _)| resource);
    if deserves_any(case.cluster, own, asked) || deserves_any(case.cluster, theirs, held) {
        return Ok(());
    }
    shared(case.cluster, own, theirs).map_or(Ok(()), |shared| Err(Denial::Queue("shared", shared)))
}

/// Checks whether a queue deserves some of these resources.
fn deserves_any(cluster: &Cluster, queue: Option<QueueIx>, mut resources: impl Iterator<Item = ResourceIx>) -> bool {
    let queue: Option<&Queue> = queue.and_then(|queue| cluster.queue(queue));
    queue.is_some_and(|queue| resources.any(|resource| queue.entitlement(resource).is_some()))
}

/// Returns the nearest ancestor that both queues watch. `None`: they share none.
fn shared(cluster: &Cluster, own: Option<QueueIx>, theirs: Option<QueueIx>) -> Option<QueueIx> {
    let watched = |of| claim::reclaim_queues(cluster, of).map(|(ix, _)| ix).skip(1);
    watched(own).find(|ix| watched(theirs).any(|other| other == *ix))
}
