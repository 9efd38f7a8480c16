//! Closed nominations: room that is kept even for a nominated pod of lower priority.
//!
//! A nomination holds its room against pods of the same or a lower priority only: a pod of higher priority could evict the nominated pod
//! anyway. Where quotas take back from each other, priority alone does not say who may evict whom: room that was taken is taken back, without
//! end, or pods leave for a pod that never runs. So room is closed to the pods of all other quotas; and room that a pod takes back is closed to
//! a pod of the same quota that would borrow it.
//!
//! Scheduler-plugins issue 391 and pull request 213: what a preemptor was promised must count, or preemption repeats without end.

use std::collections::BTreeSet;

use super::search;
use crate::laws::{Laws, Preemptor};
use crate::model::{Cluster, Pod, PodIx};

/// Returns the nominated pods of lower priority than a preemptor whose room is closed to it. Empty where quotas do not take back from each
/// other.
pub fn closed_nominations(cluster: &Cluster, laws: &Laws, preemptor: &Preemptor) -> BTreeSet<PodIx> {
    if !laws.quotas_take_back {
        return BTreeSet::new();
    }
    let is_other = |(ix, pod): &(PodIx, &Pod)| {
        pod.priority() < preemptor.priority
            && !preemptor.pods.contains(ix)
            && pod.attributes.job.is_none_or(|job| Some(job) != preemptor.job)
    };
    let is_closed = |(ix, pod): &(PodIx, &Pod)| {
        pod.queue != preemptor.queue || !preemptor.takes_back && takes_back(cluster, laws, *ix)
    };
    cluster.nominated().filter(is_other).filter(is_closed).map(|(ix, _)| ix).collect()
}

/// Returns the same for a pod that is tried, with as many pods as its gang lacks.
pub fn closed_to(cluster: &Cluster, laws: &Laws, ix: PodIx) -> BTreeSet<PodIx> {
    let priority = cluster.pod(ix).map_or(i32::MIN, |pod| pod.priority());
    if !laws.quotas_take_back || !cluster.nominated().any(|(_, pod)| pod.priority() < priority) {
        return BTreeSet::new();
    }
    let search = search::of(laws);
    let gang = Preemptor::of(cluster, laws, ix, search.pods(cluster, laws, ix));
    gang.map(|gang| closed_nominations(cluster, laws, &search.needed(cluster, gang))).unwrap_or_default()
}

/// Checks whether a nominated pod, with those of its gang that are nominated, stays within the min of its quota.
fn takes_back(cluster: &Cluster, laws: &Laws, ix: PodIx) -> bool {
    let waits = |(member, pod): (PodIx, &Pod)| (pod.is_pending() && pod.nominated.is_some()).then_some(member);
    let pods: Vec<PodIx> = cluster.members(ix).filter_map(waits).collect();
    Preemptor::of(cluster, laws, ix, pods).is_some_and(|nominated| nominated.takes_back)
}
