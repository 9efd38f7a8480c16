//! A normal pod is taken back only while its queue holds more than it deserves.
//!
//! One resource that the pod holds and its queue deserves must be above the deserved amount before the eviction, what was evicted
//! before taken off; elastic pods that make way for the same gang go before it. A resource the queue deserves nothing of never makes an
//! excess. A pod that holds nothing its queue deserves any of is borrowed altogether. So one large pod may bring a queue below what it
//! deserves. Where the tree of queues is watched further up, the ancestors that the two queues do not share must hold more than they
//! deserve, too.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Cluster, Pod, PodIx, Queue, QueueIx};

/// See the module.
pub const LAW: Law = Law {
    name: "normal-victim-queue-is-above-deserved",
    question: Question::Guard,
    sentence: "a normal pod is taken back only while its queue holds more than it deserves",
    file: include_str!("normal_victim_queue_is_above_deserved.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    if candidate.is_elastic() {
        return Ok(());
    }
    let watched = candidate.queue.and_then(|queue| case.cluster.queue(queue)).map_or(0, |q| q.spec.watched_ancestors);
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
    let deserved = || pod.request.iter().filter_map(|(resource, _)| Some((resource, queue.entitlement(resource)?)));
    if deserved().any(|(resource, entitlement)| queue.used.total(resource) > entitlement) {
        return None;
    }
    let (resource, entitlement) = deserved().next()?;
    let parts = vec![("used", queue.used.total(resource))];
    Some(Denial::Amount { queue: ix, resource, parts, relation: "is no more than", bound: ("deserved", entitlement) })
}
