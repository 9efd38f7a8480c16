//! Which pods of an elastic job are beyond its minimum.
//!
//! The controller labels them. Where no pod of a job is labelled, those count that come after the minimum in the order of the job, what
//! its roles need taken out first.

use std::collections::{BTreeMap, BTreeSet};

use crate::laws::order::earlier_task_first;
use crate::model::{Class, Cluster, JobIx, Place, Pod, PodIx};

/// What the pods said.
#[derive(Debug, Default)]
pub struct Classes {
    /// The pods of jobs, and whether their label says that they are beyond the minimum.
    said: BTreeMap<PodIx, (JobIx, bool)>,
    /// The jobs to be looked at again.
    touched: BTreeSet<JobIx>,
}

impl Classes {
    /// Reads a pod. Its class holds until its job is settled.
    pub fn read(&mut self, cluster: &Cluster, pod: PodIx, job: Option<JobIx>, labelled: bool) -> Class {
        self.forget(pod);
        let Some(job) = job else { return Class::NonPreemptible };
        self.said.insert(pod, (job, labelled));
        self.touched.insert(job);
        class(labelled && is_elastic(cluster, job))
    }

    /// A pod is gone.
    pub fn forget(&mut self, pod: PodIx) {
        if let Some((job, _)) = self.said.remove(&pod) {
            self.touched.insert(job);
        }
    }

    /// The classes of the pods of all jobs that have changed: these, and elastic ones whose pods have.
    pub fn sync_queues(&mut self, cluster: &Cluster, changed: &[JobIx]) -> Vec<(PodIx, Class)> {
        let touched = std::mem::take(&mut self.touched).into_iter().filter(|job| is_elastic(cluster, *job));
        let jobs: BTreeSet<JobIx> = changed.iter().copied().chain(touched).collect();
        jobs.into_iter().flat_map(|job| self.of_job(cluster, job)).collect()
    }

    fn of_job(&self, cluster: &Cluster, job: JobIx) -> Vec<(PodIx, Class)> {
        let members = cluster.job(job).map(|job| job.members.clone()).unwrap_or_default();
        let labelled = |ix: &PodIx| self.said.get(ix).is_some_and(|(_, labelled)| *labelled);
        if !is_elastic(cluster, job) {
            return members.into_iter().map(|ix| (ix, Class::NonPreemptible)).collect();
        }
        if members.iter().any(labelled) {
            return members.into_iter().map(|ix| (ix, class(labelled(&ix)))).collect();
        }
        beyond_minimum(cluster, &members)
    }
}

/// The first pods that make the gang complete are normal, the others elastic.
fn beyond_minimum(cluster: &Cluster, members: &[PodIx]) -> Vec<(PodIx, Class)> {
    let counts = |pod: &Pod| pod.place != Place::Finished || pod.attributes.task.succeeded;
    let mut pods: Vec<(PodIx, &Pod)> = members.iter().filter_map(|ix| Some((*ix, cluster.pod(*ix)?))).collect();
    pods.retain(|(_, pod)| counts(pod));
    pods.sort_by(|(_, a), (_, b)| (earlier_task_first::LAW.function)(cluster, a, b));
    let mut need = members.first().map(|lead| cluster.need(*lead)).unwrap_or_default();
    pods.into_iter().map(|(ix, pod)| (ix, class(!need.fill(pod)))).collect()
}

fn is_elastic(cluster: &Cluster, job: JobIx) -> bool {
    cluster.job(job).is_some_and(|job| job.elastic().is_some())
}

fn class(beyond: bool) -> Class {
    if beyond { Class::Preemptible } else { Class::NonPreemptible }
}
