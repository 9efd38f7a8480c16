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
//! and a plan for the pod not from those of its gang (rulings R83 and R85 of coscheduling, C81 of Koordinator).
//!
//! Scheduler-plugins issue 391 and pull request 213: what a preemptor was promised must count, or preemption repeats without end.

use std::collections::BTreeSet;

use super::search;
use crate::laws::{Laws, Preemptor, quota};
use crate::model::{Cluster, JobIx, PlansInFlight, PodInfo, PodIx};

/// Returns the nominated pods of lower priority than the tried pod whose promised capacity is closed to it. A gang ranks as its least important pod,
/// so it may not take capacity that the tried pod alone could take.
pub fn closed_nominations(
    (cluster, ledger): (&Cluster, &PlansInFlight),
    laws: &Laws,
    preemptor: &Preemptor,
) -> BTreeSet<PodIx> {
    let own = cluster.pod(preemptor.pod).map_or(i32::MIN, PodInfo::priority);
    let is_other = |(ix, pod): &(PodIx, &PodInfo)| {
        pod.priority() < own
            && !preemptor.pods.contains(ix)
            && pod.attributes.job.is_none_or(|job| Some(job) != preemptor.job)
    };
    let planned = lower_nominations_of_jobs(cluster, preemptor.pod, preemptor.job.as_slice());
    let others = cluster.nominated().filter(is_other);
    if laws.queue_rules.reclaims_within_min {
        // The nodes and promises that the gang of the preemptor has already are part of what it would borrow.
        let own: Vec<PodIx> = cluster.members(preemptor.pod).map(|(ix, _)| ix).collect();
        let is_closed = |(ix, pod): &(PodIx, &PodInfo)| {
            pod.queue != preemptor.part.queue || !preemptor.is_within_min && is_within_min(cluster, laws, (*ix, &own))
        };
        return others.filter(is_closed).map(|(ix, _)| ix).chain(planned).collect();
    }
    let Some(promises) = &laws.nomination_laws else { return planned };
    let case = preemptor.context_for_plan(cluster, ledger);
    let may_not_preempt = case.first_failed_check(&promises.preconditions).is_some();
    let is_closed = |ix: &PodIx| may_not_preempt || case.first_denial(&promises.victim_filters, *ix).is_some();
    others.map(|(ix, _)| ix).filter(is_closed).chain(planned).collect()
}

/// Returns the nominated pods of lower priority than a pod of some jobs, its own among them. Where the pod is promised a node itself, those that are
/// promised other nodes: without these the gangs do not start, and pods have left for all of them.
fn lower_nominations_of_jobs(cluster: &Cluster, ix: PodIx, jobs: &[JobIx]) -> BTreeSet<PodIx> {
    let Some(pod) = cluster.pod(ix) else { return BTreeSet::new() };
    let is_beside = |other: &PodInfo| {
        other.priority() < pod.priority()
            && (pod.state.nominated.is_none() || other.state.nominated != pod.state.nominated)
            && other.attributes.job.is_some_and(|job| jobs.contains(&job))
    };
    cluster.nominated().filter(|(_, other)| is_beside(other)).map(|(other, _)| other).collect()
}

/// Returns the nominated pods whose promised capacity is closed to a tried pod, together with as many pods as its gang lacks. A pod that is promised
/// a node itself may take another node only if it takes no capacity there from its own gang group.
pub fn closed_to((cluster, ledger): (&Cluster, &PlansInFlight), laws: &Laws, ix: PodIx) -> BTreeSet<PodIx> {
    if !is_above_a_nomination(cluster, ix) {
        return BTreeSet::new();
    }
    let search = search::for_laws(laws);
    let gang = Preemptor::of(cluster, laws, ix, search.pods(cluster, laws, ix));
    let closed = gang
        .map(|gang| closed_nominations((cluster, ledger), laws, &search.gang_to_plan(cluster, gang)))
        .unwrap_or_default();
    let job = cluster.pod(ix).filter(|pod| pod.state.nominated.is_some()).and_then(|pod| pod.attributes.job);
    let group = job.map(|job| cluster.gang_group(job)).unwrap_or_default();
    closed.into_iter().chain(lower_nominations_of_jobs(cluster, ix, &group)).collect()
}

/// Checks whether a pod of lower priority is nominated. Otherwise, no promised capacity is closed to the pod.
pub fn is_above_a_nomination(cluster: &Cluster, ix: PodIx) -> bool {
    let priority = cluster.pod(ix).map_or(i32::MIN, |pod| pod.priority());
    cluster.nominated().any(|(_, pod)| pod.priority() < priority)
}

/// Checks whether a nominated pod, with those of its gang that are nominated, stays within the min of its quota without some other pods.
fn is_within_min(cluster: &Cluster, laws: &Laws, (ix, apart): (PodIx, &[PodIx])) -> bool {
    let waits =
        |(member, pod): (PodIx, &PodInfo)| (pod.is_pending() && pod.state.nominated.is_some()).then_some(member);
    let pods: Vec<PodIx> = cluster.members(ix).filter_map(waits).collect();
    Preemptor::of(cluster, laws, ix, pods).is_some_and(|nominated| quota::is_within_min(cluster, &nominated, apart))
}
