//! The jobs in the order in which they are tried.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::CycleContext;
use super::pending_jobs::PendingJob;
use crate::model::{Cluster, QueueIx};

/// The jobs that are still to be tried, by queue. The next job of a queue is the last of its list.
pub struct JobQueue(BTreeMap<QueueIx, Vec<PendingJob>>);

impl JobQueue {
    /// Creates a queue of these jobs, sorted within each queue of the cluster.
    pub fn new(cluster: &Cluster, context: &CycleContext<'_>, pending_jobs: Vec<PendingJob>) -> JobQueue {
        let mut queues: BTreeMap<QueueIx, Vec<PendingJob>> = BTreeMap::new();
        for pending_job in pending_jobs {
            queues.entry(pending_job.queue).or_default().push(pending_job);
        }
        for pending_jobs in queues.values_mut() {
            pending_jobs.sort_by(|a, b| compare(cluster, context, a, b).reverse());
        }
        JobQueue(queues)
    }

    /// Removes and returns the next job: the first one of the queue that comes first at this moment. `None`: every job was tried.
    pub fn next(&mut self, cluster: &Cluster, context: &CycleContext<'_>) -> Option<PendingJob> {
        let waiting = self.0.iter().filter(|(_, pending_jobs)| !pending_jobs.is_empty()).map(|(queue, _)| *queue);
        let first = waiting.min_by(|a, b| (context.cycle.queues.1)(cluster, *a, *b))?;
        self.0.get_mut(&first)?.pop()
    }

    /// Puts a job back into the queue.
    pub fn push_back(&mut self, cluster: &Cluster, context: &CycleContext<'_>, pending_job: PendingJob) {
        if pending_job.pods.is_empty() {
            return;
        }
        let pending_jobs = self.0.entry(pending_job.queue).or_default();
        let at =
            pending_jobs.partition_point(|other| compare(cluster, context, other, &pending_job) == Ordering::Greater);
        pending_jobs.insert(at, pending_job);
    }
}

fn compare(cluster: &Cluster, context: &CycleContext<'_>, a: &PendingJob, b: &PendingJob) -> Ordering {
    let lead = |pending_job: &PendingJob| pending_job.lead().and_then(|ix| cluster.pod(ix));
    match (lead(a), lead(b)) {
        (Some(a), Some(b)) => (context.cycle.jobs.compare)(cluster, a, b),
        _ => Ordering::Equal,
    }
}
