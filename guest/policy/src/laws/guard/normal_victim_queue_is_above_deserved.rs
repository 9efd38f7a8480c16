//! # What it demands
//!
//! The node of the pod is short of a resource for the preemptor, and the queue of the pod uses more than it deserves of that resource.
//! The pod holds some of that resource. The use of pods that are evicted before is subtracted. A resource without a deserved amount
//! never makes an excess. A pod without any resource that its queue deserves is borrowed altogether. Where ancestors are watched,
//! those that the two queues do not share must use more than they deserve, too.
//!
//! # Example
//!
//! A queue deserves 4 cpu and uses 5, with pods of 3 and 2. The pod of 3 may go, and the queue is left with 2. After that no more
//! of its pods may go.
//!
//! A queue uses more cpu than it deserves, and fewer GPUs. Its pods stay where the preemptor lacks a GPU only.
//!
//! # Why
//!
//! What a queue deserves is its own; what it uses above that is lent. The test is made before the eviction, so one large pod may
//! bring a queue below what it deserves. Only an excess of what is short counts: a queue that gives a GPU because it has borrowed cpu
//! could take the GPU back at once.
//!
//! # Source
//!
//! Volcano capacity plugin, ReclaimableFn:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/plugins/capacity/capacity.go>. Upstream lets an excess of any
//! resource of the pod count; that it must be of a short one is our ruling (2.5b).
//!
//! # Options
//!
//! `deserved` of the Queue; `ancestorReclaimLevel` of the capacity plugin.

use crate::laws::{Denial, Law, LawContext, LawText, Sum, VictimFilterFn, page};
use crate::model::{Cluster, PodInfo, PodIx, Queue, QueueIx, ResourceIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "normal-victim-queue-is-above-deserved",
        sentence: "a normal pod is reclaimed only while its queue uses more than it deserves",
        templates: &[
            ("", "@queue `{queue}`<, {resource}: used {used} is not more than @deserved {deserved}>"),
            ("elsewhere", "@queue `{queue}` uses no more than it deserves of a short resource that the pod holds"),
        ],
        file: page!("normal_victim_queue_is_above_deserved.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    if candidate.is_preemptible() {
        return Ok(());
    }
    let watched =
        candidate.queue.and_then(|queue| case.cluster.queue_spec(queue)).map_or(0, |spec| spec.ancestor_reclaim_level);
    let levels = usize::try_from(watched).unwrap_or(usize::MAX).saturating_add(1);
    let path = case.cluster.path(candidate.queue).take(levels);
    let mut own = path.filter(|(ix, _)| !shared(case.cluster, case.preemptor.part.queue, *ix));
    own.find_map(|(ix, queue)| keeps(case, (ix, queue), candidate)).map_or(Ok(()), Err)
}

/// Checks whether a queue is one of these ancestors.
fn shared(cluster: &Cluster, of: Option<QueueIx>, queue: QueueIx) -> bool {
    cluster.path(of).any(|(ix, _)| ix == queue)
}

/// Returns why a queue does not give this pod: the amounts of the first resource that counts. `None`: the queue may give the pod.
fn keeps(case: &LawContext<'_>, (ix, queue): (QueueIx, &Queue), pod: &PodInfo) -> Option<Denial> {
    let above = |resource, deserved| Sum::of("used", queue.used.total(resource)).more_than("deserved", deserved);
    let deserved = || pod.request().iter().filter_map(|(resource, _)| Some((resource, queue.entitlement(resource)?)));
    let is_short = |resource: &ResourceIx| match case.short_resources {
        Some(short) => short.contains(resource),
        None => case.preemptor.part.pending_request.get(*resource) > 0,
    };
    if deserved().any(|(resource, deserved)| is_short(&resource) && above(resource, deserved).is_ok()) {
        return None;
    }
    let (resource, deserved) = deserved().find(|(resource, _)| is_short(resource)).or_else(|| deserved().next())?;
    let parts = [("used", queue.used.total(resource).0), ("deserved", deserved.0)];
    let case = if is_short(&resource) { "" } else { "elsewhere" };
    Some(Denial::BoundViolated { case, queue: ix, resource, parts: parts.into() })
}
