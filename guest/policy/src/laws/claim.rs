//! On whose deserved amounts a gang reclaims: those of its queue, or those of an ancestor that counts for it.

use super::Sum;
use crate::model::{Amounts, Cluster, PodIx, Queue, QueueIx, Requested};

/// The first pod of a gang that no queue has deserved room for.
pub struct Short {
    /// The pod.
    pub pod: PodIx,
    /// What the gang requests up to this pod.
    pub asked: Amounts,
}

/// The queues on whose deserved amounts a queue may reclaim, the nearest first: itself, and as many ancestors as are watched. The
/// root is none of them.
pub fn claimants(cluster: &Cluster, queue: Option<QueueIx>) -> impl Iterator<Item = (QueueIx, &Queue)> {
    let watched = queue.and_then(|queue| cluster.queue_spec(queue)).map_or(0, |spec| spec.watched_ancestors);
    let levels = usize::try_from(watched).unwrap_or(usize::MAX).saturating_add(1);
    cluster.path(queue).take(levels).filter(move |(ix, other)| Some(*ix) == queue || other.parent.is_some())
}

/// How far up a gang claims: the place among the claimants that its pods need, 0 for its own queue. The pods are counted in one by
/// one; each needs the nearest queue that stays within its deserved amount of one requested resource.
pub fn level(cluster: &Cluster, queue: Option<QueueIx>, pods: &[PodIx]) -> Result<usize, Short> {
    let (mut asked, mut highest) = (Amounts::default(), 0);
    for ix in pods {
        let Some(pod) = cluster.pod(*ix) else { continue };
        asked.add(&pod.request);
        let has_room = |queue: &Queue| {
            pod.request.iter().any(|(resource, _)| {
                let sum = Sum::of("used", queue.used.total(resource)).plus("requested", Requested(asked.get(resource)));
                sum.at_most("deserved", queue.entitlement(resource).unwrap_or_default()).is_ok()
            })
        };
        match claimants(cluster, queue).position(|(_, queue)| has_room(queue)) {
            Some(level) => highest = highest.max(level),
            None if queue.is_none() => {}
            None => return Err(Short { pod: *ix, asked }),
        }
    }
    Ok(highest)
}

/// The ancestor through which a gang claims; none where its own queue is enough, or where it may not reclaim.
pub fn ancestor(cluster: &Cluster, queue: Option<QueueIx>, pods: &[PodIx]) -> Option<QueueIx> {
    claimants(cluster, queue).nth(1)?;
    let level = level(cluster, queue, pods).ok().filter(|level| *level > 0)?;
    claimants(cluster, queue).nth(level).map(|(ix, _)| ix)
}
