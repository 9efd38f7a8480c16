//! The pending pods of each job, in the order of the job.

use std::collections::BTreeMap;

use super::{CycleContext, Simulation};
use crate::contract::{Outcome, Subject};
use crate::engine::DecisionTrace;
use crate::engine::search::without_unsupported;
use crate::laws::LawCheck;
use crate::model::{Cluster, JobIx, PodInfo, PodIx, PodKind, QueueIx};

/// The pending pods of one job.
#[derive(Debug, Clone)]
pub struct PendingJob {
    /// The queue of the job.
    pub queue: QueueIx,
    /// The pods in order; never empty.
    pub pods: Vec<PodIx>,
}

impl PendingJob {
    /// Returns the first pod, which represents the job.
    pub fn lead(&self) -> Option<PodIx> {
        self.pods.first().copied()
    }
}

/// Checks whether a pod requests any resource but `pods`. Pods that request nothing are placed by the backfill action.
pub fn requests_resources(cluster: &Cluster, pod: &PodInfo) -> bool {
    pod.request().iter().any(|(resource, _)| cluster.resource_name(resource) != "pods")
}

/// Returns the jobs with pending pods of the wanted kind, except those that a law denies. Pods without a queue are left out and noted.
pub fn collect_pending(
    simulation: &Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    laws: &[LawCheck],
    wanted: impl Fn(&Cluster, &PodInfo) -> bool,
) -> Vec<PendingJob> {
    let cluster = simulation.cluster();
    let mut pending_jobs: BTreeMap<(Option<JobIx>, Option<PodIx>), PendingJob> = BTreeMap::new();
    let all = cluster.pods().filter(|(ix, pod)| pod.name.kind == PodKind::Pod && simulation.is_waiting(*ix));
    for (ix, pod) in all.filter(|(_, pod)| wanted(cluster, pod)) {
        let alone = pod.attributes.job.is_none();
        let Some(queue) = pod.queue else {
            explain_missing_queue(cluster, notes, context, laws, ix);
            continue;
        };
        let pending_job = pending_jobs
            .entry((pod.attributes.job, alone.then_some(ix)))
            .or_insert(PendingJob { queue, pods: Vec::new() });
        pending_job.pods.push(ix);
    }
    let mut free = Vec::new();
    for mut pending_job in pending_jobs.into_values() {
        sort_by_task_order(cluster, context, &mut pending_job.pods);
        pending_job.pods = without_unsupported(cluster, context.laws, pending_job.pods);
        notes.resume_job(&pending_job.pods);
        match context.first_failed_check(cluster, laws, &pending_job.pods) {
            None => free.push(pending_job),
            Some((rule, denial)) => {
                notes.record_denial_and_hint(cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial)
            }
        }
    }
    free
}

/// Explains which law denies a pod without a queue.
fn explain_missing_queue(
    cluster: &Cluster,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    laws: &[LawCheck],
    ix: PodIx,
) {
    notes.resume_job(&[ix]);
    if let Some((rule, denial)) = context.first_failed_check(cluster, laws, &[ix]) {
        notes.record_denial(cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
    }
}

/// Sorts the pods of a job by the order of tasks.
pub fn sort_by_task_order(cluster: &Cluster, context: &CycleContext<'_>, pods: &mut [PodIx]) {
    pods.sort_by(|a, b| match (cluster.pod(*a), cluster.pod(*b)) {
        (Some(a), Some(b)) => (context.cycle.tasks.compare)(cluster, a, b),
        _ => a.cmp(b),
    });
}
