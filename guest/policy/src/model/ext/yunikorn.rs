//! YuniKorn: the preemption policies and ranks of queues, and the originators of applications.

use crate::model::{Cluster, JobIx, Paged, PodIx, QueueIx, Table};

/// How the pods of a queue preempt and are preempted, where the system lets its queues say so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// Its pods find their victims inside the queue.
    pub fenced: bool,
    /// Its pods are not evicted.
    pub protects_pods: bool,
    /// No pod is evicted for its pods, except for a pod that must run on one node.
    pub preempts_nothing: bool,
    /// How long a pod of it waits before pods are evicted for it, nanoseconds.
    pub delay: i64,
    /// Outside the queue its pods all count as having the priority of the offset.
    pub priority_fenced: bool,
    /// What is added to the priority of its pods outside the queue, or stands in its place.
    pub priority_offset: i32,
    /// Queues give back what they hold over their maximum.
    pub quota_preemption: bool,
    /// How long the queue may hold more than its maximum, nanoseconds; 0: forever.
    pub quota_delay: i64,
}

/// Where a queue stands among its siblings when pods are put in order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueRank {
    /// The highest priority among the pods that wait below it, as seen from its parent; none where nobody waits.
    pub priority: Option<i64>,
    /// How much of its share it uses, as a fraction: of what it is guaranteed, or of the whole cluster.
    pub share: (i64, i64),
}

/// The tables.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// How the pods of a queue preempt and are preempted.
    pub policies: Table<QueueIx, Policy>,
    /// The rank of a queue among its siblings.
    pub ranks: Table<QueueIx, QueueRank>,
    /// Since when a queue has used more than its maximum, nanoseconds since 1970.
    pub over_max_since: Table<QueueIx, i64>,
    /// The pod of a job that the other pods depend on.
    pub originators: Paged<JobIx, PodIx>,
    /// Jobs of pods that name none: all such pods of a namespace.
    pub by_default: Paged<JobIx, bool>,
}

impl Cluster {
    /// How the pods of a queue preempt and are preempted.
    pub fn policy(&self, queue: QueueIx) -> Policy {
        self.ext.yunikorn.policies.get(queue).copied().unwrap_or_default()
    }

    /// The rank of a queue among its siblings.
    pub fn queue_rank(&self, queue: QueueIx) -> QueueRank {
        self.ext.yunikorn.ranks.get(queue).copied().unwrap_or_default()
    }

    /// Sets the rank of a queue among its siblings.
    pub fn set_queue_rank(&mut self, queue: QueueIx, rank: QueueRank) {
        self.ext.yunikorn.ranks.insert(queue, rank);
    }

    /// Since when a queue has used more than its maximum, nanoseconds since 1970.
    pub fn over_max_since(&self, queue: QueueIx) -> Option<i64> {
        self.ext.yunikorn.over_max_since.get(queue).copied()
    }

    /// Sets since when queues have used more than their maximum. All others do not.
    pub fn set_over_max_since(&mut self, since: impl IntoIterator<Item = (QueueIx, i64)>) {
        let table = &mut self.ext.yunikorn.over_max_since;
        *table = Table::default();
        for (queue, since) in since {
            table.insert(queue, since);
        }
    }

    /// The pod of a job that the other pods depend on: a driver, a master.
    pub fn originator(&self, job: JobIx) -> Option<PodIx> {
        self.ext.yunikorn.originators.get(job).copied()
    }

    /// Whether a job is made of pods that name none, because they are in one namespace.
    pub fn is_by_default(&self, job: JobIx) -> bool {
        self.ext.yunikorn.by_default.get(job).copied().unwrap_or(false)
    }

    /// Sets whether a job is made of pods that name none.
    pub fn set_by_default(&mut self, job: JobIx, by_default: bool) {
        self.ext.yunikorn.by_default.insert(job, by_default);
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
