//! A normal pod is taken back only while its queue holds more than it deserves.
//!
//! One resource that the pod holds and its queue deserves must be above the deserved amount before the eviction, what was evicted
//! before taken off; elastic pods that make way for the same gang go before it. A resource the queue deserves nothing of never makes an
//! excess. A pod that holds nothing its queue deserves any of is borrowed altogether. So one large pod may bring a queue below what it
//! deserves. Where the tree of queues is watched further up, the ancestors that the two queues do not share must hold more than they
//! deserve, too.

use crate::laws::{Breach, Case, Law, Question};
use crate::model::{Class, Cluster, Pod, PodIx, Queue, QueueIx};

/// See the module.
pub const LAW: Law = Law {
    name: "normal-victim-queue-is-above-deserved",
    question: Question::Guard,
    sentence: "a normal pod is taken back only while its queue holds more than it deserves",
    file: include_str!("normal_victim_queue_is_above_deserved.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Breach> {
    if candidate.traits.class == Class::Preemptible {
        return Ok(());
    }
    let watched =
        candidate.queue.and_then(|queue| case.cluster.queue(queue)).map_or(0, |q| q.manners.watched_ancestors);
    let levels = usize::try_from(watched).unwrap_or(usize::MAX).saturating_add(1);
    let path = case.cluster.path(candidate.queue).take(levels);
    match path.filter(|(ix, _)| !shared(case.cluster, case.asker.queue, *ix)).all(|(_, queue)| gives(queue, candidate))
    {
        true => Ok(()),
        false => Err(Breach::Fact("its queue holds no more than it deserves of what it holds")),
    }
}

/// Whether a queue is one of these ancestors.
fn shared(cluster: &Cluster, of: Option<QueueIx>, queue: QueueIx) -> bool {
    cluster.path(of).any(|(ix, _)| ix == queue)
}

/// Whether a queue has something to give by this pod.
fn gives(queue: &Queue, pod: &Pod) -> bool {
    let mut deserved = pod.request.iter().filter_map(|(resource, _)| Some((resource, queue.due(resource)?))).peekable();
    deserved.peek().is_none() || deserved.any(|(resource, due)| queue.used.total(resource) > due)
}
