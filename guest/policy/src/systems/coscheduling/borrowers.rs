//! Borrowers: the pending pods that a pod within the min of another quota would evict at once.
//!
//! A pod that stays within the min of its quota takes back what other quotas have borrowed, whatever the priorities. So the queue serves it
//! before a pod that would borrow (ruling R27; Kueue orders workloads that borrow last, too).

use std::collections::{BTreeMap, BTreeSet};

use crate::laws::quota;
use crate::model::{Amounts, Cluster, JobIx, Pod, PodIx, QueueIx};

/// Pods that wait, each with its number.
type Waiting<'c> = Vec<(PodIx, &'c Pod)>;

/// What is decided as one: the pods that a gang lacks, or a pod alone.
struct Unit {
    quota: QueueIx,
    pods: Vec<PodIx>,
    request: Amounts,
    may_preempt: bool,
}

/// Returns the ranks of the pending pods that would take their quota over its min while pods of another quota, which may preempt, wait
/// within theirs. What is nominated and what comes before in the order of the queue counts.
pub fn borrowers(cluster: &Cluster) -> BTreeSet<u64> {
    if cluster.queues().next().is_none() {
        return BTreeSet::new();
    }
    let mut requested: BTreeMap<QueueIx, Amounts> = BTreeMap::new();
    let (mut within, mut beyond): (BTreeSet<QueueIx>, Vec<Unit>) = Default::default();
    for unit in units(cluster) {
        let sum = requested.entry(unit.quota).or_default();
        if fits_min(cluster, &unit, sum) {
            unit.pods.iter().filter_map(|ix| cluster.pod(*ix)).for_each(|pod| sum.add(&pod.request));
            within.extend(unit.may_preempt.then_some(unit.quota));
        } else {
            beyond.push(unit);
        }
    }
    let may_lose = |unit: &&Unit| within.iter().any(|quota| *quota != unit.quota);
    let pods = beyond.iter().filter(may_lose).flat_map(|unit| &unit.pods);
    pods.filter_map(|ix| cluster.pod(*ix)).map(|pod| pod.rank).collect()
}

/// Checks whether a quota stays within its min with what is requested of it already and with one more unit.
fn fits_min(cluster: &Cluster, unit: &Unit, requested: &Amounts) -> bool {
    let Some(queue) = cluster.queue(unit.quota) else { return false };
    quota::resources(cluster).all(|resource| {
        let asked = unit.request.get(resource);
        let sum = queue.used.total(resource).0.saturating_add(requested.get(resource)).saturating_add(asked);
        let is_compared = asked > 0 || quota::ALWAYS.contains(&cluster.resource_name(resource));
        !is_compared || sum <= queue.bounds.guaranteed.get(resource).map_or(0, |min| min.0)
    })
}

/// Returns what waits in quotas: nominated pods first, then by priority, then by the name of the first pod.
fn units(cluster: &Cluster) -> Vec<Unit> {
    let mut jobs: BTreeMap<Option<(JobIx, QueueIx)>, Waiting<'_>> = BTreeMap::new();
    for (ix, pod) in cluster.pods().filter(|(_, pod)| pod.is_schedulable() && pod.queue.is_some()) {
        let gang = pod.attributes.job.filter(|job| cluster.job(*job).is_some_and(|job| job.gang().is_some()));
        jobs.entry(gang.zip(pod.queue)).or_default().push((ix, pod));
    }
    let mut units: Vec<Waiting<'_>> = Vec::new();
    for (job, mut pods) in jobs {
        pods.sort_by_key(|(_, pod)| order(pod));
        let whole = match (job, pods.first()) {
            (Some(_), Some((lead, _))) => cluster.shortage(*lead).count().min(pods.len()),
            _ => 0,
        };
        let rest = pods.split_off(whole);
        units.extend((!pods.is_empty()).then_some(pods));
        units.extend(rest.into_iter().map(|pod| vec![pod]));
    }
    units.sort_by_key(|pods| pods.first().map(|(_, pod)| order(pod)));
    units.into_iter().filter_map(|pods| unit(&pods)).collect()
}

/// Returns the place of a pod in the order in which it counts.
fn order(pod: &Pod) -> (bool, std::cmp::Reverse<i32>, u64) {
    (pod.nominated.is_none(), std::cmp::Reverse(pod.priority()), pod.rank)
}

fn unit(pods: &[(PodIx, &Pod)]) -> Option<Unit> {
    let quota = pods.first().and_then(|(_, pod)| pod.queue)?;
    let mut request = Amounts::default();
    pods.iter().for_each(|(_, pod)| request.add(&pod.request));
    let may_preempt = pods.iter().all(|(_, pod)| pod.attributes.may_preempt);
    Some(Unit { quota, pods: pods.iter().map(|(ix, _)| *ix).collect(), request, may_preempt })
}
