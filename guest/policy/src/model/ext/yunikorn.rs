//! YuniKorn: the preemption policies and ranks of queues, and the originators of applications.

use crate::model::{Cluster, JobIx, PagedTable, PodIx, QueueIx, Table};

/// The settings by which the pods of a queue preempt and are preempted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueuePreemptionPolicy {
    /// Whether its pods find their victims only inside the queue.
    pub fenced: bool,
    /// Whether its pods are protected from eviction.
    pub protects_pods: bool,
    /// Whether no pod is evicted for its pods. A pod that must run on one node is excepted.
    pub preempts_nothing: bool,
    /// The time for which a pod of the queue waits before pods are evicted for it, in nanoseconds.
    pub delay: i64,
    /// Whether its pods all have the priority of the offset outside of the queue.
    pub priority_fenced: bool,
    /// The offset that is added to the priority of its pods outside of the queue, or that replaces the priority.
    pub priority_offset: i32,
    /// Whether queues give back what they use over their maximum.
    pub quota_preemption: bool,
    /// The time for which the queue may use more than its maximum, in nanoseconds; 0: forever.
    pub quota_delay: i64,
}

/// The position of a queue among its siblings when pods are put in order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueRank {
    /// The highest priority among the pods that wait below it, as seen from its parent. `None`: no pod waits.
    pub priority: Option<i64>,
    /// The used part of its share, as a fraction: of its guaranteed amounts, or of the whole cluster.
    pub share: (i64, i64),
}

/// The tables of YuniKorn.
#[derive(Debug, Clone, Default)]
pub struct YuniKornTables {
    /// The preemption settings of queues.
    pub policies: Table<QueueIx, QueuePreemptionPolicy>,
    /// The ranks of queues among their siblings.
    pub ranks: Table<QueueIx, QueueRank>,
    /// The times since which queues have used more than their maximum, in nanoseconds since 1970.
    pub over_max_since: Table<QueueIx, i64>,
    /// The pods of jobs that the other pods of the job depend on.
    pub originators: PagedTable<JobIx, PodIx>,
    /// Jobs that consist of pods without an application name: all such pods of a namespace.
    pub generated_applications: PagedTable<JobIx, bool>,
}

impl Cluster {
    /// Returns the preemption settings of a queue.
    pub fn policy(&self, queue: QueueIx) -> QueuePreemptionPolicy {
        self.ext.yunikorn.policies.get(queue).copied().unwrap_or_default()
    }

    /// Returns the rank of a queue among its siblings.
    pub fn queue_rank(&self, queue: QueueIx) -> QueueRank {
        self.ext.yunikorn.ranks.get(queue).copied().unwrap_or_default()
    }

    /// Sets the rank of a queue among its siblings.
    pub fn set_queue_rank(&mut self, queue: QueueIx, rank: QueueRank) {
        self.ext.yunikorn.ranks.insert(queue, rank);
    }

    /// Returns since when a queue has used more than its maximum, in nanoseconds since 1970. `None`: it does not.
    pub fn over_max_since(&self, queue: QueueIx) -> Option<i64> {
        self.ext.yunikorn.over_max_since.get(queue).copied()
    }

    /// Sets since when queues have used more than their maximum. All other queues are within their maximum.
    pub fn set_over_max_since(&mut self, since: impl IntoIterator<Item = (QueueIx, i64)>) {
        let table = &mut self.ext.yunikorn.over_max_since;
        *table = Table::default();
        for (queue, since) in since {
            table.insert(queue, since);
        }
    }

    /// Returns the pod of a job that the other pods depend on, such as a driver or a master. `None`: there is no such pod.
    pub fn originator(&self, job: JobIx) -> Option<PodIx> {
        self.ext.yunikorn.originators.get(job).copied()
    }

    /// Checks whether a job consists of pods without an application name, grouped by namespace.
    pub fn is_generated_application(&self, job: JobIx) -> bool {
        self.ext.yunikorn.generated_applications.get(job).copied().unwrap_or(false)
    }

    /// Sets whether a job consists of pods without an application name.
    pub fn set_generated_application(&mut self, job: JobIx, by_default: bool) {
        self.ext.yunikorn.generated_applications.insert(job, by_default);
    }

    /// Sets the pod of a job that the other pods depend on.
    pub fn set_originator(&mut self, job: JobIx, pod: Option<PodIx>) {
        let table = &mut self.ext.yunikorn.originators;
        match pod {
            Some(pod) => drop(table.insert(job, pod)),
            None => drop(table.remove(job)),
        }
    }
}
