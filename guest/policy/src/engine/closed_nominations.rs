//! Closed nominations: room that is kept even for a nominated pod of lower priority.
//!
//! A nomination holds its room against pods of the same or a lower priority only: a pod of higher priority could evict the nominated pod
//! anyway. Where it could not, because it may not preempt or the nominated pod is protected, the promise holds: pods have left for the
//! nominated pod, not for one that could not have evicted them.
//!
//! Where quotas take back from each other, priority alone does not decide which pod may evict which. Room that was taken would be taken
//! back, without end, or pods would leave for a pod that never runs. So room is closed to the pods of all other quotas; and room that a pod
//! takes back is closed to a pod of the same quota that would borrow it.
//!
//! Room that is promised to pods of a gang is closed to its other pods, too: a plan is for the pods that complete the gang, and one that is not
//! planned would take the room of several. A pod that is promised a node itself may not take another one from the other pods of its gang group,
//! while it waits for its own to be free.
//!
//! Scheduler-plugins issue 391 and pull request 213: what a preemptor was promised must count, or preemption repeats without end.

use std::collections::BTreeSet;

use super::search;
use crate::laws::{Laws, Preemptor, quota};
use crate::model::{Cluster, Ledger, Pod, PodIx};

/// Returns the nominated pods of lower priority than the tried pod whose promised capacity is closed to it. A gang ranks as its least important pod,
/// so it may not take capacity that the tried pod alone could take.
pub fn closed_nominations(
    (cluster, ledger): (&Cluster, &Ledger),
    laws: &Laws,
    preemptor: &Preemptor,
) -> BTreeSet<PodIx> {
    let own = cluster.pod(preemptor.pod).map_or(i32::MIN, Pod::priority);
    let is_other = |(ix, pod): &(PodIx, &Pod)| {
        pod.priority() < own
            && !preemptor.pods.contains(ix)
            && pod.attributes.job.is_none_or(|job| Some(job) != preemptor.job)
    };
    let planned = planned_beside(cluster, preemptor, own);
    let others = cluster.nominated().filter(is_other);
    if laws.quotas_take_back {
        // The nodes and promises that the gang of the preemptor has already are part of what it would borrow.
        let own: Vec<PodIx> = cluster.members(preemptor.pod).map(|(ix, _)| ix).collect();
        let is_closed = |(ix, pod): &(PodIx, &Pod)| {
            pod.queue != preemptor.queue || !preemptor.takes_back && takes_back(cluster, laws, (*ix, &own))
        };
        return others.filter(is_closed).map(|(ix, _)| ix).chain(planned).collect();
    }
    let Some(promises) = &laws.promises else { return planned.collect() };
    let case = preemptor.waiting(cluster, ledger);
    let may_not_preempt = case.first_broken(&promises.gates).is_some();
    let is_closed = |ix: &PodIx| may_not_preempt || case.first_denial(&promises.guards, *ix).is_some();
    others.map(|(ix, _)| ix).filter(is_closed).chain(planned).collect()
}

/// Returns the nominated pods of lower priority of the preemptor's own job. Where the pod that is tried is promised a node itself, only those that are
/// promised other nodes.
fn planned_beside<'c>(
    cluster: &'c Cluster,
    preemptor: &Preemptor,
    priority: i32,
) -> impl Iterator<Item = PodIx> + use<'c> {
    let job = preemptor.job;
    let node = cluster.pod(preemptor.pod).filter(|pod| pod.is_pending()).and_then(|pod| pod.nominated);
    let of_it = move |pod: &Pod| {
        job.is_some()
            && pod.attributes.job == job
            && pod.priority() < priority
            && (node.is_none() || pod.nominated != node)
    };
    cluster.nominated().filter(move |(_, pod)| of_it(pod)).map(|(ix, _)| ix)
}

/// Returns the nominated pods whose promised capacity is closed to a tried pod, together with as many pods as its gang lacks. A pod that is promised
/// a node itself may take another node only if it takes no capacity there from its own gang group.
pub fn closed_to((cluster, ledger): (&Cluster, &Ledger), laws: &Laws, ix: PodIx) -> BTreeSet<PodIx> {
    if !is_above_a_nomination(cluster, ix) {
        return BTreeSet::new();
    }
    let search = search::of(laws);
    let gang = Preemptor::of(cluster, laws, ix, search.pods(cluster, laws, ix));
    let closed =
        gang.map(|gang| closed_nominations((cluster, ledger), laws, &search.needed(cluster, gang))).unwrap_or_default();
    closed.into_iter().chain(promised_elsewhere(cluster, ix)).collect()
}

/// Returns the nominated pods of lower priority of the gang group of a nominated pod that are promised other nodes: without these the gangs do not
/// start, and pods have left for all of them.
fn promised_elsewhere(cluster: &Cluster, ix: PodIx) -> BTreeSet<PodIx> {
    let Some((node, priority, job)) =
        cluster.pod(ix).and_then(|pod| Some((pod.nominated?, pod.priority(), pod.attributes.job?)))
    else {
        return BTreeSet::new();
    };
    let group = cluster.gang_group(job);
    let is_beside = |pod: &Pod| {
        pod.nominated != Some(node)
            && pod.priority() < priority
            && pod.attributes.job.is_some_and(|job| group.contains(&job))
    };
    cluster.nominated().filter(|(_, pod)| is_beside(pod)).map(|(ix, _)| ix).collect()
}

/// Checks whether a pod of lower priority is nominated. Otherwise, no promised capacity is closed to the pod.
pub fn is_above_a_nomination(cluster: &Cluster, ix: PodIx) -> bool {
    let priority = cluster.pod(ix).map_or(i32::MIN, |pod| pod.priority());
    cluster.nominated().any(|(_, pod)| pod.priority() < priority)
}

/// Checks whether a nominated pod, with those of its gang that are nominated, stays within the min of its quota without some other pods.
fn takes_back(cluster: &Cluster, laws: &Laws, (ix, apart): (PodIx, &[PodIx])) -> bool {
    let waits = |(member, pod): (PodIx, &Pod)| (pod.is_pending() && pod.nominated.is_some()).then_some(member);
    let pods: Vec<PodIx> = cluster.members(ix).filter_map(waits).collect();
    Preemptor::of(cluster, laws, ix, pods).is_some_and(|nominated| quota::takes_back(cluster, &nominated, apart))
}
