//! # What it demands
//!
//! For one resource that the pod holds and its queue deserves, the queue uses more than it deserves. What was evicted before is
//! taken off. A resource that the queue deserves nothing of never makes an excess. A pod that holds no deserved resource is
//! borrowed altogether. Where ancestors are watched, those that the two queues do not share must use more than they deserve, too.
//!
//! # Example
//!
//! A queue deserves 4 cpu and uses 5, with pods of 3 and 2. The pod of 3 may go, and the queue is left with 2. After that no more
//! of its pods may go.
//!
//! # Why
//!
//! What a queue deserves is its own; what it uses above that is lent. The test is made before the eviction, so one large pod may
//! bring a queue below what it deserves.
//!
//! # Source
//!
//! Volcano capacity plugin, ReclaimableFn:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/plugins/capacity/capacity.go>.
//!
//! # Options
//!
//! `deserved` of the Queue; `ancestorReclaimLevel` of the capacity plugin.

use crate::laws::{Admits, Case, Denial, Law, Sum, Text, page};
use crate::model::{Cluster, Pod, PodIx, Queue, QueueIx};

/// The law.
pub const LAW: Law<Admits> = Law::guard(
    Text {
        name: "normal-victim-queue-is-above-deserved",
        sentence: "a normal pod is reclaimed only while its queue uses more than it deserves",
        templates: &[("", "@queue `{queue}`<, {resource}: used {used} is not more than @deserved {deserved}>")],
        file: page!("normal_victim_queue_is_above_deserved.rs"),
    },
    admits,
);

/// Whether this law allows the eviction of the candidate.
fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    if candidate.is_elastic() {
        return Ok(());
    }
    let watched =
        candidate.queue.and_then(|queue| case.cluster.queue_spec(queue)).map_or(0, |spec| spec.watched_ancestors);
    let levels = usize::try_from(watched).unwrap_or(usize::MAX).saturating_add(1);
    let path = case.cluster.path(candidate.queue).take(levels);
    let mut own = path.filter(|(ix, _)| !shared(case.cluster, case.preemptor.queue, *ix));
    own.find_map(|(ix, queue)| keeps(ix, queue, candidate)).map_or(Ok(()), Err)
}

/// Whether a queue is one of these ancestors.
fn shared(cluster: &Cluster, of: Option<QueueIx>, queue: QueueIx) -> bool {
    cluster.path(of).any(|(ix, _)| ix == queue)
}

/// Why a queue has nothing to give by this pod: the first resource that it deserves some of; none where it has.
fn keeps(ix: QueueIx, queue: &Queue, pod: &Pod) -> Option<Denial> {
    let above = |resource, deserved| Sum::of("used", queue.used.total(resource)).more_than("deserved", deserved);
    let deserved = || pod.request.iter().filter_map(|(resource, _)| Some((resource, queue.entitlement(resource)?)));
    if deserved().any(|(resource, deserved)| above(resource, deserved).is_ok()) {
        return None;
    }
    let (resource, deserved) = deserved().next()?;
    above(resource, deserved).map_err(Denial::amount("", ix, resource)).err()
}
