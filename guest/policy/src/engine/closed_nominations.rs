//! Closed nominations: room that is kept even for a nominated pod of lower priority.
//!
//! A nomination holds its room against pods of the same or a lower priority only. Where a system lets a pod evict others whatever their
//! priority, the two orders contradict each other: a pod of higher priority takes the room and is evicted from it again, without end. So
//! no pod is placed in room that is promised to another pod if the laws would let that other pod evict it there.
//!
//! Scheduler-plugins issue 391 and pull request 213: what a preemptor was promised must count, or preemption repeats without end.

use std::collections::BTreeSet;

use crate::laws::{Laws, Preemptor};
use crate::model::{Cluster, Ledger, NodeIx, Place, Pod, PodIx, Trial};

/// Returns the nominated pods of lower priority than a preemptor that may evict its pods from the room they were promised. Empty where
/// victims must rank lower. The cluster is as before afterwards.
pub fn closed_nominations(
    cluster: &mut Cluster,
    laws: &Laws,
    ledger: &Ledger,
    preemptor: &Preemptor,
) -> BTreeSet<PodIx> {
    let ranks_lower = |pod: &Pod| pod.priority() < preemptor.priority && pod.attributes.may_preempt;
    let lower: Vec<(PodIx, NodeIx)> = cluster
        .nominated()
        .filter(|(ix, pod)| {
            ranks_lower(pod)
                && !preemptor.pods.contains(ix)
                && pod.attributes.job.is_none_or(|job| Some(job) != preemptor.job)
        })
        .filter_map(|(ix, pod)| Some((ix, pod.nominated?)))
        .collect();
    lower.into_iter().filter(|at| may_evict(cluster, (laws, ledger), *at, preemptor)).map(|(ix, _)| ix).collect()
}

/// Checks whether a nominated pod may evict a preemptor whose pods are bound to the node of the nomination.
fn may_evict(
    cluster: &mut Cluster,
    (laws, ledger): (&Laws, &Ledger),
    (ix, node): (PodIx, NodeIx),
    preemptor: &Preemptor,
) -> bool {
    let waits = |(member, pod): (PodIx, &Pod)| (pod.is_pending() && pod.nominated.is_some()).then_some(member);
    let pods: Vec<PodIx> = cluster.members(ix).filter_map(waits).collect();
    let Some(nominated) = Preemptor::of(cluster, laws, ix, pods) else { return false };
    let mut trial = Trial::new(cluster);
    preemptor.pods.iter().for_each(|pod| trial.put(*pod, Place::Bound(node)));
    nominated.waiting(trial.cluster(), ledger).first_denial(&laws.guards, preemptor.pod).is_none()
}
