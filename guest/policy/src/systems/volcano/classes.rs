//! Which pods of an elastic job are elastic, that is above its minimum.
//!
//! The controller labels them. Where no pod of a job has the label, the first pods in task order fill the minimum and the minima of
//! the roles. The others are elastic.

use std::collections::{BTreeMap, BTreeSet};

use crate::laws::order::earlier_task_first;
use crate::model::{Cluster, JobIx, PodInfo, PodIx, PodLocation, Preemptibility};

/// The elastic labels of all pods that belong to jobs.
#[derive(Debug, Default)]
pub struct ElasticPods {
    /// The job of each pod, and whether its label marks it as elastic.
    labelled: BTreeMap<PodIx, (JobIx, bool)>,
    /// The jobs whose classes must be computed again.
    changed_jobs: BTreeSet<JobIx>,
}

impl ElasticPods {
    /// Reads a pod and returns its class, valid until the next [`ElasticPods::sync`].
    pub fn read(&mut self, cluster: &Cluster, pod: PodIx, job: Option<JobIx>, labelled: bool) -> Preemptibility {
        self.forget(pod);
        if let Some(job) = job {
            self.labelled.insert(pod, (job, labelled));
        }
        self.reread(cluster, pod)
    }

    /// Notes that a pod has changed in other parts. Returns its class, which is valid until the next [`ElasticPods::sync`].
    pub fn reread(&mut self, cluster: &Cluster, pod: PodIx) -> Preemptibility {
        let Some((job, labelled)) = self.labelled.get(&pod) else { return Preemptibility::NonPreemptible };
        self.changed_jobs.insert(*job);
        preemptibility(*labelled && is_elastic(cluster, *job))
    }

    /// Removes a pod.
    pub fn forget(&mut self, pod: PodIx) {
        if let Some((job, _)) = self.labelled.remove(&pod) {
            self.changed_jobs.insert(job);
        }
    }

    /// Computes the classes of the pods in all changed jobs: those in `changed`, and elastic jobs whose pods have changed.
    pub fn sync(&mut self, cluster: &Cluster, changed: &[JobIx]) -> Vec<(PodIx, Preemptibility)> {
        let touched = std::mem::take(&mut self.changed_jobs).into_iter().filter(|job| is_elastic(cluster, *job));
        let jobs: BTreeSet<JobIx> = changed.iter().copied().chain(touched).collect();
        jobs.into_iter().flat_map(|job| self.classes_of_job(cluster, job)).collect()
    }

    fn classes_of_job(&self, cluster: &Cluster, job: JobIx) -> Vec<(PodIx, Preemptibility)> {
        let members = cluster.job(job).map(|job| job.members.clone()).unwrap_or_default();
        let labelled = |ix: &PodIx| self.labelled.get(ix).is_some_and(|(_, labelled)| *labelled);
        if !is_elastic(cluster, job) {
            return members.into_iter().map(|ix| (ix, Preemptibility::NonPreemptible)).collect();
        }
        if members.iter().any(labelled) {
            return members.into_iter().map(|ix| (ix, preemptibility(labelled(&ix)))).collect();
        }
        above_minimum(cluster, &members)
    }
}

/// Divides the pods of a job in task order: the first ones, up to a complete gang, are normal, and the others are elastic.
fn above_minimum(cluster: &Cluster, members: &[PodIx]) -> Vec<(PodIx, Preemptibility)> {
    let counts = |pod: &PodInfo| pod.state.location != PodLocation::Finished || pod.attributes.task.succeeded;
    let mut pods: Vec<(PodIx, &PodInfo)> = members.iter().filter_map(|ix| Some((*ix, cluster.pod(*ix)?))).collect();
    pods.retain(|(_, pod)| counts(pod));
    pods.sort_by(|(_, a), (_, b)| (earlier_task_first::LAW.function)(cluster, a, b));
    let mut need = members.first().map(|lead| cluster.required_members(*lead)).unwrap_or_default();
    pods.into_iter().map(|(ix, pod)| (ix, preemptibility(!need.take(pod)))).collect()
}

fn is_elastic(cluster: &Cluster, job: JobIx) -> bool {
    cluster.elastic(job).is_some()
}

fn preemptibility(elastic: bool) -> Preemptibility {
    if elastic { Preemptibility::Preemptible } else { Preemptibility::NonPreemptible }
}
