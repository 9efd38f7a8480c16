//! What a gang reclaims: the resources that its queue, or an ancestor that counts for it, deserves and does not use.
//!
//! # Why reclaim ends
//!
//! A node is short of a resource if its room, without evictions, is less than the pods of the gang on it request. Reclaim frees only
//! resources that are short, and only those that the gang is owed: its queue stays within its deserved amount of them. A victim gives
//! because its queue uses more than it deserves of such a resource. What a gang requests beyond its deserved amounts is not short: enough of
//! it is free for the gang and for all that other queues lack of their deserved amounts (`is_spare`).
//!
//! Consider the sum, over all queues, of what they use beyond their deserved amounts of one resource. A reclaim lowers that sum for the
//! resource that the victim gives. It raises that sum for no resource that another queue can claim: those that the gang uses beyond its
//! deserved amounts are spare. So the queue of the victim cannot claim the room with the pods that it has lost, since with them it uses more
//! than it deserves of a resource that is short; and no third queue can claim it from the gang, since it lacks nothing that it is owed.
//! Without the demand that the rest is spare, three queues and three resources form a ring: each is owed what the next one borrows.

use crate::model::{Amounts, Cluster, PodIx, Queue, QueueIx, Requested, ResourceIx};

use super::Sum;

/// The standing of a gang towards a resource that it requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntitlementStatus {
    /// Some claimant has an entitlement to the resource for the gang. The number is its place among the claimants, 0 for the own queue.
    Entitled(usize),
    /// No claimant has a deserved amount of the resource, so that it is neither an entitlement nor borrowed.
    Unbounded,
    /// The gang requests more than any claimant deserves.
    ExceedsEntitlement,
}

/// The claim of a gang: its standing towards each resource that it requests.
#[derive(Debug, Clone, Default)]
pub struct GangEntitlement(Vec<(ResourceIx, EntitlementStatus)>);

impl GangEntitlement {
    /// Computes the claim of these pods of a queue. Pods that have nodes count as used by the queue.
    pub fn of(cluster: &Cluster, queue: Option<QueueIx>, pods: &[PodIx]) -> GangEntitlement {
        let asked = pending_request(cluster, pods);
        let standing = |resource| {
            let mut places = reclaim_queues(cluster, queue).enumerate();
            let place = places.find_map(|(place, (_, queue))| is_entitled(queue, resource, &asked).then_some(place));
            let has_amount = |(_, queue): (QueueIx, &Queue)| queue.entitlement(resource).is_some();
            match place {
                Some(place) => EntitlementStatus::Entitled(place),
                None if reclaim_queues(cluster, queue).any(has_amount) => EntitlementStatus::ExceedsEntitlement,
                None => EntitlementStatus::Unbounded,
            }
        };
        let counts = |(resource, amount): &(ResourceIx, i64)| *amount > 0 && cluster.resource_name(*resource) != "pods";
        GangEntitlement(asked.iter().filter(counts).map(|(resource, _)| (resource, standing(resource))).collect())
    }

    /// Returns the requested resources and the standing of the gang towards each.
    pub fn statuses(&self) -> impl Iterator<Item = (ResourceIx, EntitlementStatus)> + '_ {
        self.0.iter().copied()
    }

    /// Checks that the gang may have these resources freed: it has an entitlement to one of them, and none is beyond what a claimant deserves.
    pub fn covers(&self, short: &[ResourceIx]) -> bool {
        let of = |resource: &ResourceIx| self.0.iter().find(|(of, _)| of == resource).map(|(_, standing)| *standing);
        short.iter().any(|resource| matches!(of(resource), Some(EntitlementStatus::Entitled(_))))
            && short.iter().all(|resource| of(resource) != Some(EntitlementStatus::ExceedsEntitlement))
    }

    /// Returns the ancestor that is needed to claim these resources, or, without resources, all that the gang has an entitlement to. `None`: the own
    /// queue is enough.
    pub fn needed_ancestor(
        &self,
        cluster: &Cluster,
        queue: Option<QueueIx>,
        short: Option<&[ResourceIx]>,
    ) -> Option<QueueIx> {
        let places = self.0.iter().filter_map(|(resource, standing)| match standing {
            EntitlementStatus::Entitled(place) if short.is_none_or(|short| short.contains(resource)) => Some(*place),
            _ => None,
        });
        let place = places.max().filter(|place| *place > 0)?;
        reclaim_queues(cluster, queue).nth(place).map(|(ix, _)| ix)
    }
}

/// Returns the queues on whose deserved amounts a queue may reclaim, the nearest first: itself, and as many ancestors as are watched. The root is not
/// included.
pub fn reclaim_queues(cluster: &Cluster, queue: Option<QueueIx>) -> impl Iterator<Item = (QueueIx, &Queue)> {
    let watched = queue.and_then(|queue| cluster.queue_spec(queue)).map_or(0, |spec| spec.ancestor_reclaim_level);
    let levels = usize::try_from(watched).unwrap_or(usize::MAX).saturating_add(1);
    cluster.path(queue).take(levels).filter(move |(ix, other)| Some(*ix) == queue || other.parent.is_some())
}

/// Returns the summed requests of those of these pods that have no node.
pub fn pending_request(cluster: &Cluster, pods: &[PodIx]) -> Amounts {
    let mut sum = Amounts::default();
    let waiting = pods.iter().filter_map(|ix| cluster.pod(*ix)).filter(|pod| pod.node().is_none());
    waiting.for_each(|pod| sum.add(pod.request()));
    sum
}

/// Checks that a queue deserves what it uses together with the requested amounts.
fn is_entitled(queue: &Queue, resource: ResourceIx, asked: &Amounts) -> bool {
    let sum = Sum::of("used", queue.used.total(resource)).plus("requested", Requested(asked.get(resource)));
    queue.entitlement(resource).is_some_and(|deserved| sum.at_most("deserved", deserved).is_ok())
}

/// Checks that the nodes that these pods may use have enough of a resource for them, in addition to all that other queues lack of their deserved
/// amounts. Reads every node and every queue.
pub fn is_spare(cluster: &Cluster, own: Option<QueueIx>, pods: &[PodIx], resource: ResourceIx) -> bool {
    let shapes = || pods.iter().filter_map(|ix| cluster.pod(*ix)).map(|pod| pod.requirements.shape);
    let open = cluster.nodes().filter(|(ix, _)| shapes().any(|shape| cluster.eligible(shape, *ix)));
    let free = open.fold(0, |sum: i64, (_, node)| sum.saturating_add(node.free.get(resource).max(0)));
    let others = cluster.queues().filter(|(ix, _)| Some(*ix) != own);
    let lacked =
        others.fold(0, |sum: i64, (ix, queue)| sum.saturating_add(unmet_entitlement(cluster, ix, queue, resource)));
    pending_request(cluster, pods).get(resource).saturating_add(lacked) <= free
}

/// Returns the amount that a queue without children lacks of a resource that it has pods for and may claim.
fn unmet_entitlement(cluster: &Cluster, ix: QueueIx, queue: &Queue, resource: ResourceIx) -> i64 {
    if cluster.queue_spec(ix).is_some_and(|spec| spec.has_children) {
        return 0;
    }
    let most = reclaim_queues(cluster, Some(ix)).filter_map(|(_, queue)| queue.entitlement(resource)).max();
    let owed = most.map_or(0, |most| most.0.min(queue.requested.total(resource).0));
    owed.saturating_sub(queue.used.total(resource).0).max(0)
}
