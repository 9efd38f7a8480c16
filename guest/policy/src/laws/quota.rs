//! What the laws about the quotas of namespaces count: ElasticQuotas of scheduler-plugins, which stand below one queue for all of them.
//!
//! Upstream pkg/capacityscheduling: elasticquota.go (cmp, cmp2), capacity_scheduling.go (PreFilterState).

use std::cell::LazyCell;

use super::{LawContext, Preemptor};
use crate::contract::is_of_host;
use crate::model::{
    Amounts, Cluster, PodInfo, PodIx, PodLocation, Preemptibility, Promised, Queue, QueueIx, ResourceIx,
};

/// The resources that are compared even if no pod requests them. A bound without one of them is 0.
pub const ALWAYS_COMPARED: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// Returns every resource that a container requests. Places for pods, host ports and resources of volumes are not included.
pub fn resources(cluster: &Cluster) -> impl Iterator<Item = ResourceIx> {
    let all = (0u32..).take(cluster.resource_count()).map(ResourceIx);
    all.filter(|resource| {
        let name = cluster.resource_name(*resource);
        name != "pods" && !is_of_host(name)
    })
}

/// Returns the resources by which the own quota of a preemptor is judged, each with what is promised: those that are always compared, and those that
/// the preemptor or a nominated pod before it requests.
pub fn compared_resources<'a>(
    cluster: &'a Cluster,
    preemptor: &'a Preemptor,
) -> impl Iterator<Item = (ResourceIx, Promised)> + 'a {
    let with_nominated = |resource| (resource, nominated(cluster, preemptor, resource));
    let request = &preemptor.part.pending_request;
    resources(cluster).map(with_nominated).filter(|(resource, nominated)| {
        is_judged_by(cluster, *resource, request.get(*resource).saturating_add(nominated.0))
    })
}

/// Returns whether a quota is judged by a resource for pods that request so much of it: where they request some, or the resource is always compared.
fn is_judged_by(cluster: &Cluster, resource: ResourceIx, requested: i64) -> bool {
    requested > 0 || ALWAYS_COMPARED.contains(&cluster.resource_name(resource))
}

/// Sums up what nominated pods of the quota of a preemptor request that are no less important, or whose nominations are closed to it.
fn nominated(cluster: &Cluster, preemptor: &Preemptor, resource: ResourceIx) -> Promised {
    let Some(own) = preemptor.part.queue else { return Promised(0) };
    cluster.nominated_request_below(own, Preemptibility::Preemptible, resource, |ix| {
        counts_against_preemptor(cluster, preemptor, ix)
    })
}

/// Sums up what nominated pods of all quotas request that count against a preemptor: those before it in its own quota, those of quotas that are
/// within their min of what the nominated pod requests, and, where the preemptor will borrow, those of all other quotas.
pub fn nominated_in_all_quotas(case: &LawContext<'_>, all: QueueIx, resource: ResourceIx) -> Promised {
    let (cluster, preemptor) = (case.cluster, case.preemptor);
    let borrows = LazyCell::new(|| !preemptor.is_within_min && !will_be_within_min(case));
    cluster.nominated_request_below(all, Preemptibility::Preemptible, resource, |ix| {
        match cluster.pod(ix).and_then(|pod| Some((pod, pod.queue?))) {
            Some((pod, other)) if Some(other) != preemptor.part.queue => {
                *borrows || !stays_over_min(case, (pod, other))
            }
            _ => counts_against_preemptor(cluster, preemptor, ix),
        }
    })
}

/// Checks whether the quota of a preemptor is within its min when the pods that leave and the pods that a case evicts are gone.
fn will_be_within_min(case: &LawContext<'_>) -> bool {
    let gone = |quota, resource| goes(case, quota, resource);
    fits_min((case.cluster, case.preemptor), case.pending_request, gone)
}

/// Returns whether a quota still uses more than its min, of a resource by which a pod of it is judged, without its leaving pods and the pods that a
/// case evicts.
fn stays_over_min(case: &LawContext<'_>, (pod, quota): (&PodInfo, QueueIx)) -> bool {
    over_min(case.cluster, quota, |resource| goes(case, quota, resource))
        .any(|resource| is_judged_by(case.cluster, resource, pod.request().get(resource)))
}

/// Returns whether a quota gives a pod up to a preemptor: less what is `taken` of the quota before, it uses more than its min of a resource by which it
/// is judged for the pod, as is the quota of the preemptor for that one, or of which all quotas together use more than all minimums. So the pod,
/// created again, would borrow: it cannot take its room back.
pub fn gives_up(case: &LawContext<'_>, (pod, quota): (&PodInfo, QueueIx), taken: impl Fn(ResourceIx) -> i64) -> bool {
    let (cluster, preemptor) = (case.cluster, case.preemptor);
    let all = cluster.path(Some(quota)).last();
    let is_lacking = |resource| {
        is_judged_by(cluster, resource, preemptor.part.pending_request.get(resource))
            || nominated(cluster, preemptor, resource).0 > 0
            || all.is_some_and(|(_, all)| uses_more_than_min(all, resource, 0))
    };
    let concerns_pod = |resource: &ResourceIx| is_judged_by(cluster, *resource, pod.request().get(*resource));
    over_min(cluster, quota, taken).filter(concerns_pod).any(is_lacking)
}

/// Returns the amount that the leaving pods of a quota and the pods that a case evicts use.
fn goes(case: &LawContext<'_>, quota: QueueIx, resource: ResourceIx) -> i64 {
    used_by_leaving(case, quota, resource).saturating_add(case.freed_in_queue(quota, resource).0)
}

/// Returns the promised amount beyond what leaving pods of a quota still use. Pods left, or leave, for the promises, so both are not counted
/// together. A pod must fit together with the leaving pods, and together with the promises once these pods are gone.
pub fn beyond_leaving(case: &LawContext<'_>, quota: QueueIx, resource: ResourceIx, promised: Promised) -> Promised {
    if promised.0 == 0 {
        return promised;
    }
    Promised(promised.0.saturating_sub(used_by_leaving(case, quota, resource)).max(0))
}

/// Returns the amount that leaves a quota for good: what its leaving pods use, as far as it is not promised to pods of the quota.
pub fn leaves(case: &LawContext<'_>, quota: QueueIx, resource: ResourceIx) -> i64 {
    let held = used_by_leaving(case, quota, resource);
    if held == 0 {
        return held;
    }
    let promised = case.cluster.nominated_request_below(quota, Preemptibility::Preemptible, resource, |_| true);
    held.saturating_sub(promised.0).max(0)
}

/// Returns the amount that the leaving pods of a quota still use, without those that a case evicts.
fn used_by_leaving(case: &LawContext<'_>, quota: QueueIx, resource: ResourceIx) -> i64 {
    let leaving = case.ledger.leaving(case.cluster);
    let counts = |pod: &&PodInfo| pod.node().is_some() && case.cluster.is_below(pod.queue, quota);
    let others = leaving.into_iter().filter(|ix| !case.victims.contains(ix));
    let leaving = others.filter_map(|ix| case.cluster.pod(ix)).filter(counts);
    leaving.fold(0, |sum: i64, pod| sum.saturating_add(pod.request().get(resource)))
}

fn counts_against_preemptor(cluster: &Cluster, preemptor: &Preemptor, ix: PodIx) -> bool {
    let matters = |pod: &PodInfo| pod.priority() >= preemptor.priority || preemptor.closed_nominations.contains(&ix);
    !preemptor.pods.contains(&ix) && cluster.pod(ix).is_some_and(matters)
}

/// Returns the resources of which a quota uses more than its min, less what is taken of it.
fn over_min(cluster: &Cluster, quota: QueueIx, taken: impl Fn(ResourceIx) -> i64) -> impl Iterator<Item = ResourceIx> {
    let queue = cluster.queue(quota);
    let is_over = move |queue: &Queue, resource| {
        uses_more_than_min(queue, resource, 0) && uses_more_than_min(queue, resource, taken(resource))
    };
    resources(cluster).filter(move |resource| queue.is_some_and(|queue| is_over(queue, *resource)))
}

/// Returns whether a queue uses more than its min of a resource, less some of its use.
fn uses_more_than_min(queue: &Queue, resource: ResourceIx, taken: i64) -> bool {
    queue.used.total(resource).0.saturating_sub(taken) > queue.bounds.guaranteed.get(resource).map_or(0, |min| min.0)
}

/// Checks whether a preemptor with a quota stays within its min, so that it takes back what others have borrowed. The nodes at Permit and the
/// promises of the pods `apart` do not count.
pub fn is_within_min(cluster: &Cluster, preemptor: &Preemptor, apart: &[PodIx]) -> bool {
    let of_quota = |ix: &PodIx| cluster.pod(*ix).filter(|pod| pod.queue == preemptor.part.queue);
    let is_left_out = |(ix, pod): &(PodIx, &PodInfo)| match pod.state.location {
        PodLocation::Reserved(_) => true,
        _ => pod.is_pending() && pod.state.nominated.is_some() && counts_against_preemptor(cluster, preemptor, *ix),
    };
    let apart = apart.iter().filter_map(|ix| Some((*ix, of_quota(ix)?))).filter(is_left_out);
    let mut left_out = Amounts::default();
    apart.for_each(|(_, pod)| left_out.add(pod.request()));
    fits_min((cluster, preemptor), &preemptor.part.pending_request, |_, resource| left_out.get(resource))
}

/// Checks whether the quota of a preemptor takes a request, with what is nominated before it, within its min when some of its use is gone. False
/// without a quota.
fn fits_min(
    (cluster, preemptor): (&Cluster, &Preemptor),
    requested: &Amounts,
    gone: impl Fn(QueueIx, ResourceIx) -> i64,
) -> bool {
    let Some((ix, own)) = preemptor.part.queue.and_then(|ix| Some((ix, cluster.queue(ix)?))) else { return false };
    compared_resources(cluster, preemptor).all(|(resource, nominated)| {
        let min = own.bounds.guaranteed.get(resource).map_or(0, |min| min.0);
        let asked = requested.get(resource).saturating_add(nominated.0);
        own.used.total(resource).0.saturating_add(asked).saturating_sub(gone(ix, resource)) <= min
    })
}
