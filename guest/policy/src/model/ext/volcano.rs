//! Volcano: PodGroups, elastic jobs, and what a queue says beside its bounds.

use crate::model::{Cluster, JobIx, Paged, QueueIx, Symbol, Table};

/// The sizes an elastic job may have besides its minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// Powers of two.
    PowersOfTwo,
    /// The minimum and so many more pods, any number of times.
    Multiples(u32),
}

/// How a job grows and shrinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elastic {
    /// The sizes it may have.
    pub sizes: Sizes,
    /// At least so long between two changes of its size before it grows, nanoseconds.
    pub interval: i64,
    /// It has no more pods than this; none: as many as there are.
    pub most: Option<u32>,
}

impl Elastic {
    /// Whether a job of this minimum may have this size: its minimum, or one of the sizes.
    pub fn allows(&self, minimum: usize, size: usize) -> bool {
        if size < minimum || self.most.is_some_and(|most| size > usize::try_from(most).unwrap_or(usize::MAX)) {
            return size == minimum;
        }
        let beyond = size.saturating_sub(minimum);
        match self.sizes {
            Sizes::PowersOfTwo => beyond == 0 || size.is_power_of_two(),
            Sizes::Multiples(factor) => {
                usize::try_from(factor).ok().and_then(|factor| beyond.checked_rem(factor)) == Some(0)
            }
        }
    }
}

/// What the object of a job says beside its gang.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PodGroupSpec {
    /// The name of its queue.
    pub queue: Option<Symbol>,
    /// Its priority, which is not that of its pods.
    pub priority: i32,
    /// When it was created, nanoseconds since 1970.
    pub created: i64,
    /// So many pods of each of these roles it needs.
    pub roles: Vec<(Symbol, u32)>,
    /// How it grows and shrinks, where it does.
    pub elastic: Option<Elastic>,
    /// It said that none of its pods is to be a victim.
    pub opted_out: bool,
    /// The time for which its pods are protected after they were placed, nanoseconds. A pod may have its own.
    pub cooldown: Option<i64>,
}

/// How a queue stands beside others, where its system says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueSpec {
    /// Higher is served first and gives last.
    pub priority: i32,
    /// Other queues may get back from it what it holds beyond its due.
    pub reclaimable: bool,
    /// It takes pods.
    pub open: bool,
    /// There are queues below it.
    pub has_children: bool,
    /// So many of its ancestors must hold more than their due, too, before it gives something back.
    pub watched_ancestors: u32,
    /// It, or the queue above it, demands certain groups of nodes; no law judges which.
    pub picks_nodes: bool,
    /// When it was created, nanoseconds since 1970.
    pub created: i64,
}

impl Default for QueueSpec {
    fn default() -> QueueSpec {
        QueueSpec {
            priority: 0,
            reclaimable: true,
            open: true,
            has_children: false,
            watched_ancestors: 0,
            picks_nodes: false,
            created: 0,
        }
    }
}

/// The tables.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// What the PodGroup of a job says.
    pub groups: Paged<JobIx, PodGroupSpec>,
    /// When an elastic job grew or shrank last, nanoseconds since 1970.
    pub scaled: Paged<JobIx, i64>,
    /// What a queue says beside its bounds.
    pub queues: Table<QueueIx, QueueSpec>,
}

impl Cluster {
    /// What the PodGroup of a job says beside its gang.
    pub fn pod_group(&self, job: JobIx) -> Option<&PodGroupSpec> {
        self.ext.volcano.groups.get(job)
    }

    /// Sets what the PodGroup of a job says. Without a PodGroup, the job has no history of its sizes.
    pub fn set_pod_group(&mut self, job: JobIx, spec: Option<PodGroupSpec>) {
        let tables = &mut self.ext.volcano;
        match spec {
            Some(spec) => drop(tables.groups.insert(job, spec)),
            None => {
                tables.groups.remove(job);
                tables.scaled.remove(job);
            }
        }
    }

    /// How a job grows and shrinks, if it does.
    pub fn elastic(&self, job: JobIx) -> Option<&Elastic> {
        self.pod_group(job)?.elastic.as_ref()
    }

    /// When a job grew or shrank last, nanoseconds since 1970.
    pub fn scaled_at(&self, job: JobIx) -> Option<i64> {
        self.ext.volcano.scaled.get(job).copied()
    }

    /// An elastic job grew or shrank at this time, nanoseconds since 1970.
    pub fn set_scaled_at(&mut self, job: JobIx, at: i64) {
        self.ext.volcano.scaled.insert(job, at);
    }

    /// What a queue says beside its bounds.
    pub fn queue_spec(&self, queue: QueueIx) -> Option<&QueueSpec> {
        self.ext.volcano.queues.get(queue)
    }
}
