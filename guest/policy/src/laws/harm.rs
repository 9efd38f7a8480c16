//! Harm: what stops when pods are evicted.
//!
//! A gang runs as a whole or not at all, so its first eviction below its minimum costs all of it, and further evictions cost nothing more.
//! A pod beyond the minimum, or of no gang, costs itself.
//!
//! Seed 20240115 (Koordinator), Key Concept 3: a job is all or nothing, and preemption is executed by job. The seed names no order among
//! victims of equal priority (ruling C33). Rulings R29 and R30 say where coscheduling counts so.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::{Laws, Preemptor};
use crate::model::{Cluster, Job, JobIx, PodInfo, PodIx};

/// The jobs and pods that stop when some pods are evicted, as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Harm {
    /// The number of gangs that fall below their minimum.
    pub gangs: i64,
    /// The share of the cluster that the stopping pods request together (see [`Cluster::cluster_share`]).
    pub size: i64,
    /// The highest number of past evictions among the stopping jobs.
    pub evictions: i64,
    /// The negated start of the stopping pod that has run longest, in nanoseconds since 1970. The least number where no pod stops.
    pub since: i64,
}

impl Default for Harm {
    /// Returns the harm of no eviction.
    fn default() -> Harm {
        Harm { gangs: 0, size: 0, evictions: 0, since: i64::MIN }
    }
}

impl Harm {
    /// Returns the harm of evicting some pods after others that are evicted already.
    pub fn of(cluster: &Cluster, victims: &[PodIx], earlier: &BTreeSet<PodIx>) -> Harm {
        let mut harm = Harm::default();
        let mut others = Vec::new();
        for (ix, pod) in victims.iter().filter_map(|ix| Some((*ix, cluster.pod(*ix)?))) {
            if !pod.is_alone() {
                others.push(ix);
            } else if !pod.is_leaving() && !earlier.contains(&ix) {
                harm.stop(cluster, pod);
            }
        }
        if !others.is_empty() {
            harm.stop_together(cluster, (&others, victims), earlier);
        }
        harm
    }

    /// Adds what stops with pods of gangs and reservations, out of these victims.
    fn stop_together(&mut self, cluster: &Cluster, (pods, victims): (&[PodIx], &[PodIx]), earlier: &BTreeSet<PodIx>) {
        let mut gangs: BTreeMap<JobIx, Vec<&PodInfo>> = BTreeMap::new();
        let inside = pods.iter().filter_map(|ix| cluster.pod(*ix)).flat_map(|pod| cluster.pods_inside(pod));
        let inside: BTreeSet<PodIx> = inside.map(|(ix, _)| ix).filter(|ix| !victims.contains(ix)).collect();
        let pods = pods.iter().chain(&inside).filter(|ix| !earlier.contains(ix));
        for pod in pods.filter_map(|ix| cluster.pod(*ix)).filter(|pod| !pod.is_leaving()) {
            match gang_of(cluster, pod) {
                Some((gang, _)) => gangs.entry(gang).or_default().push(pod),
                None => self.stop(cluster, pod),
            }
        }
        for (gang, members) in gangs {
            let Some(job) = cluster.job(gang) else { continue };
            let running: Vec<&PodInfo> = running(cluster, job, earlier).collect();
            let minimum = minimum(job);
            if running.len() < minimum {
                continue;
            }
            let is_broken = running.len().saturating_sub(members.len()) < minimum;
            self.gangs = self.gangs.saturating_add(i64::from(is_broken));
            let stopped = if is_broken { running } else { members };
            stopped.into_iter().for_each(|pod| self.stop(cluster, pod));
        }
    }

    /// Adds a pod that stops.
    fn stop(&mut self, cluster: &Cluster, pod: &PodInfo) {
        self.size = self.size.saturating_add(cluster.pod_share(pod));
        self.evictions = self.evictions.max(pod.past_evictions.into());
        self.since = self.since.max(started(cluster, pod).saturating_neg());
    }
}

/// Returns the gangs that fall below their minimum by these evictions, and the pods of each that stay.
pub fn broken_gangs<'c>(cluster: &'c Cluster, victims: &[PodIx]) -> Vec<(&'c Job, Vec<&'c PodInfo>)> {
    let gone: BTreeSet<PodIx> = victims.iter().copied().collect();
    let gangs = victims.iter().filter_map(|ix| gang_of(cluster, cluster.pod(*ix)?));
    let gangs: BTreeMap<JobIx, &Job> = gangs.collect();
    let mut broken = Vec::new();
    for job in gangs.into_values() {
        let left: Vec<&PodInfo> =
            all_running(cluster, job).filter(|(ix, _)| !gone.contains(ix)).map(|(_, pod)| pod).collect();
        if left.len() < minimum(job) && all_running(cluster, job).count() >= minimum(job) {
            broken.push((job, left));
        }
    }
    broken
}

/// The loss of a gang when one of its pods is evicted. Variants are in the order of reprieve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GangLoss {
    /// The gang stops as a whole.
    Breaks,
    /// Only the pod stops: the gang has more pods than it needs, or the pod has no gang.
    PodAlone,
    /// Nothing more: the gang has fallen below its minimum already.
    Nothing,
}

/// Returns the loss of the gang of a pod by its eviction, after earlier evictions. A reservation has the loss of the pods inside, which are evicted
/// with it.
pub fn gang_loss(cluster: &Cluster, pod: &PodInfo, earlier: &BTreeSet<PodIx>) -> GangLoss {
    if pod.is_alone() {
        return GangLoss::PodAlone;
    }
    let inside = cluster.pods_inside(pod).map(|(_, pod)| gang_loss(cluster, pod, earlier));
    inside.chain([own_loss(cluster, pod, earlier)]).min().unwrap_or(GangLoss::PodAlone)
}

fn own_loss(cluster: &Cluster, pod: &PodInfo, earlier: &BTreeSet<PodIx>) -> GangLoss {
    let stops_already = |job| cluster.job(job).is_some_and(|job| job.members.iter().any(|ix| earlier.contains(ix)));
    if !earlier.is_empty() && cluster.job_evicted_whole(pod).is_some_and(stops_already) {
        return GangLoss::Nothing;
    }
    let Some((_, job)) = gang_of(cluster, pod) else { return GangLoss::PodAlone };
    match running(cluster, job, earlier).count().cmp(&minimum(job)) {
        Ordering::Less => GangLoss::Nothing,
        Ordering::Equal => GangLoss::Breaks,
        Ordering::Greater => GangLoss::PodAlone,
    }
}

/// Returns the size of what stops with one pod: its whole gang if the gang breaks, else the pod. For a reservation, the pods inside are added.
pub fn lost_size(cluster: &Cluster, pod: &PodInfo) -> i64 {
    if pod.is_alone() {
        return cluster.pod_share(pod);
    }
    cluster.pods_inside(pod).map(|(_, pod)| own_size(cluster, pod)).fold(own_size(cluster, pod), i64::saturating_add)
}

fn own_size(cluster: &Cluster, pod: &PodInfo) -> i64 {
    let none = BTreeSet::new();
    match (own_loss(cluster, pod, &none), gang_of(cluster, pod)) {
        (GangLoss::Breaks, Some((_, job))) => {
            let sizes = running(cluster, job, &none).map(|member| cluster.pod_share(member));
            sizes.fold(0, i64::saturating_add)
        }
        _ => cluster.pod_share(pod),
    }
}

/// Returns the gang of a pod that needs more than one pod to run. `None`: the pod runs alone.
pub fn gang_of<'c>(cluster: &'c Cluster, pod: &PodInfo) -> Option<(JobIx, &'c Job)> {
    let ix = pod.attributes.job?;
    cluster.job(ix).filter(|job| minimum(job) > 1).map(|job| (ix, job))
}

/// Returns when a pod started, nanoseconds since 1970; now where it has not started.
pub fn started(cluster: &Cluster, pod: &PodInfo) -> i64 {
    pod.times.started.unwrap_or(cluster.now())
}

/// Returns how many pods a gang needs to run; 0 where no object describes it.
fn minimum(job: &Job) -> usize {
    job.gang().map_or(0, |gang| usize::try_from(gang.minimum).unwrap_or(usize::MAX))
}

/// Returns the pods of a gang that run after earlier evictions.
fn running<'c>(cluster: &'c Cluster, job: &'c Job, earlier: &'c BTreeSet<PodIx>) -> impl Iterator<Item = &'c PodInfo> {
    all_running(cluster, job).filter(|(ix, _)| !earlier.contains(ix)).map(|(_, pod)| pod)
}

/// Returns the pods of a gang that use a node and are not leaving.
fn all_running<'c>(cluster: &'c Cluster, job: &'c Job) -> impl Iterator<Item = (PodIx, &'c PodInfo)> {
    let members = job.members.iter().filter_map(|ix| Some((*ix, cluster.pod(*ix)?)));
    members.filter(|(_, pod)| pod.node().is_some() && !pod.is_leaving())
}

impl Laws {
    /// Returns the laws with the orders of least harm. `None`: the source orders the plans for this preemptor.
    pub fn by_least_harm(&self, preemptor: &Preemptor) -> Option<Laws> {
        let plan_orders = self.least_harm.filter(|_| self.seeks_least_harm(preemptor))?;
        Some(Laws { plan_orders, ..self.clone() })
    }

    /// Returns whether the plan of a preemptor is the one that does least harm.
    pub fn seeks_least_harm(&self, preemptor: &Preemptor) -> bool {
        self.least_harm.is_some() && (preemptor.part.queue.is_some() || preemptor.pods.len() > 1)
    }
}
