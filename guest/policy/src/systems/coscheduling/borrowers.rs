//! Borrowers: the pending pods that a pod within the min of another quota would evict at once.
//!
//! A pod that stays within the min of its quota takes back what other quotas have borrowed, whatever the priorities. So the queue serves it
//! before a pod that would borrow (ruling R27; Kueue orders workloads that borrow last, too).

use std::collections::{BTreeMap, BTreeSet};

use crate::laws::quota;
use crate::model::{Amounts, Borrowing, Cluster, JobIx, PodInfo, PodIx, PodLocation, QueueIx};

/// Pods that wait, each with its number.
type PendingPods<'c> = Vec<(PodIx, &'c PodInfo)>;

/// The pods that are decided upon together: the pods that a gang lacks, or a single pod.
struct PendingWorkload {
    quota: QueueIx,
    pods: Vec<PodIx>,
    request: Amounts,
    may_preempt: bool,
    is_nominated: bool,
}

/// Returns the pending pods that would take their quota over its min while pods of another quota, which may preempt, wait within theirs, by rank.
/// Nominated pods and pods earlier in the order of the queue count. The earlier pods may fail, though. So a pod that stays within the min without
/// them is served before those that borrow anyway, and so are the pods of its quota after it.
pub fn borrowers(cluster: &Cluster) -> BTreeMap<u64, Borrowing> {
    if cluster.queues().next().is_none() {
        return BTreeMap::new();
    }
    let held = used_at_permit(cluster);
    let mut quotas: BTreeMap<QueueIx, QuotaRequests> = BTreeMap::new();
    let (mut within, mut beyond): (BTreeSet<QueueIx>, Vec<(PendingWorkload, Borrowing)>) = Default::default();
    for unit in pending_workloads(cluster) {
        let requested = quotas.entry(unit.quota).or_default();
        let requests = unit.pods.iter().filter_map(|ix| Some(cluster.pod(*ix)?.request()));
        let is_alone_within = fits_min((cluster, &held), &unit, &requested.nominated);
        if is_alone_within && unit.may_preempt && can_start(cluster, &unit) {
            within.insert(unit.quota);
        }
        if is_alone_within && !requested.is_exceeded && fits_min((cluster, &held), &unit, &requested.all) {
            for request in requests {
                requested.all.add(request);
                if unit.is_nominated {
                    requested.nominated.add(request);
                }
            }
            continue;
        }
        requested.is_exceeded |= is_alone_within;
        beyond.push((unit, if is_alone_within { Borrowing::AfterOthers } else { Borrowing::Always }));
    }
    let may_lose = |(unit, _): &&(PendingWorkload, Borrowing)| within.iter().any(|quota| *quota != unit.quota);
    let pods =
        beyond.iter().filter(may_lose).flat_map(|(unit, borrows)| unit.pods.iter().map(move |ix| (ix, *borrows)));
    pods.filter_map(|(ix, borrows)| Some((cluster.pod(*ix)?.rank, borrows))).collect()
}

/// The amounts that are requested of a quota by the pods that were counted before.
#[derive(Default)]
struct QuotaRequests {
    all: Amounts,
    nominated: Amounts,
    /// Whether a unit that fits into the min alone exceeds it after the units counted before. Later units must not overtake such a unit.
    is_exceeded: bool,
}

/// Checks whether a quota stays within its min with the amounts that are requested of it already and with one more unit.
fn fits_min(
    (cluster, held): (&Cluster, &BTreeMap<QueueIx, Amounts>),
    unit: &PendingWorkload,
    requested: &Amounts,
) -> bool {
    let Some(queue) = cluster.queue(unit.quota) else { return false };
    quota::resources(cluster).all(|resource| {
        let asked = unit.request.get(resource);
        let held = held.get(&unit.quota).map_or(0, |held| held.get(resource));
        let used = queue.used.total(resource).0.saturating_sub(held);
        let sum = used.saturating_add(requested.get(resource)).saturating_add(asked);
        let is_compared = asked > 0 || quota::ALWAYS_COMPARED.contains(&cluster.resource_name(resource));
        !is_compared || sum <= queue.bounds.guaranteed.get(resource).map_or(0, |min| min.0)
    })
}

/// Checks whether a gang is described and has as many members as it needs that use a node or may be tried. Otherwise no pod is evicted for it
/// (rulings R18, R19), so it takes nothing back.
fn can_start(cluster: &Cluster, unit: &PendingWorkload) -> bool {
    let job = unit.pods.first().and_then(|ix| cluster.pod(*ix)?.attributes.job).and_then(|job| cluster.job(job));
    let is_enough = |minimum, job| cluster.startable(job) >= usize::try_from(minimum).unwrap_or(usize::MAX);
    job.is_none_or(|job| job.gang().is_some_and(|gang| is_enough(gang.minimum, job)))
}

/// Checks whether a pod holds a node at Permit while its gang is not complete. The pod counts as waiting with its gang: the turn of the gang is not
/// over, and its nodes meanwhile must not change the order.
fn waits_at_permit(cluster: &Cluster, pod: &PodInfo) -> bool {
    matches!(pod.state.location, PodLocation::Reserved(_))
        && pod.attributes.job.is_some_and(|job| !cluster.is_complete(job))
}

/// Returns the amounts of each quota that pods use at Permit while their gang is not complete.
fn used_at_permit(cluster: &Cluster) -> BTreeMap<QueueIx, Amounts> {
    let mut held: BTreeMap<QueueIx, Amounts> = BTreeMap::new();
    for (_, pod) in cluster.pods().filter(|(_, pod)| waits_at_permit(cluster, pod)) {
        if let Some(quota) = pod.queue {
            held.entry(quota).or_default().add(pod.request());
        }
    }
    held
}

/// Returns what waits in quotas: nominated pods first, then by priority, then by the name of the first pod.
fn pending_workloads(cluster: &Cluster) -> Vec<PendingWorkload> {
    let mut jobs: BTreeMap<Option<(JobIx, QueueIx)>, PendingPods<'_>> = BTreeMap::new();
    let waits = |pod: &PodInfo| pod.queue.is_some() && (pod.is_schedulable() || waits_at_permit(cluster, pod));
    for (ix, pod) in cluster.pods().filter(|(_, pod)| waits(pod)) {
        let gang = pod.attributes.job.filter(|job| cluster.job(*job).is_some_and(|job| job.gang().is_some()));
        jobs.entry(gang.zip(pod.queue)).or_default().push((ix, pod));
    }
    let mut units: Vec<PendingPods<'_>> = Vec::new();
    for (job, mut pods) in jobs {
        pods.sort_by_key(|(_, pod)| order(pod));
        let whole = match (job, pods.first()) {
            (Some(_), Some((lead, _))) => {
                let held = pods.iter().filter(|(_, pod)| waits_at_permit(cluster, pod)).count();
                cluster.shortage(*lead).count().saturating_add(held).min(pods.len())
            }
            _ => 0,
        };
        let rest = pods.split_off(whole);
        units.extend((!pods.is_empty()).then_some(pods));
        units.extend(rest.into_iter().map(|pod| vec![pod]));
    }
    units.sort_by_key(|pods| pods.first().map(|(_, pod)| order(pod)));
    units.into_iter().filter_map(|pods| workload(&pods)).collect()
}

/// Returns the key by which pods are counted in order.
fn order(pod: &PodInfo) -> (bool, bool, std::cmp::Reverse<i32>, u64) {
    (pod.state.nominated.is_none(), pod.is_pending(), std::cmp::Reverse(pod.priority()), pod.rank)
}

fn workload(pods: &[(PodIx, &PodInfo)]) -> Option<PendingWorkload> {
    let quota = pods.first().and_then(|(_, pod)| pod.queue)?;
    let mut request = Amounts::default();
    pods.iter().for_each(|(_, pod)| request.add(pod.request()));
    let may_preempt = pods.iter().all(|(_, pod)| pod.attributes.may_preempt);
    let is_nominated = pods.iter().any(|(_, pod)| pod.state.nominated.is_some());
    Some(PendingWorkload { quota, pods: pods.iter().map(|(ix, _)| *ix).collect(), request, may_preempt, is_nominated })
}
