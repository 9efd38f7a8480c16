//! Volcano: PodGroups, elastic jobs, and the spec of a queue, except its bounds.

use crate::model::{Cluster, JobIx, NameId, PagedTable, QueueIx, Table};

/// The sizes that an elastic job may have besides its minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElasticSizes {
    /// Powers of two.
    PowersOfTwo,
    /// The minimum plus any multiple of so many pods.
    Multiples(u32),
}

/// The rules by which an elastic job grows and shrinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElasticSettings {
    /// The sizes that the job may have.
    pub sizes: ElasticSizes,
    /// The minimum time between two changes of its size before the job grows, in nanoseconds.
    pub interval: i64,
    /// The maximum number of its pods. `None`: no maximum.
    pub most: Option<u32>,
}

impl ElasticSettings {
    /// Checks whether a job of this minimum may have this size: the minimum, or one of the sizes.
    pub fn allows(&self, minimum: usize, size: usize) -> bool {
        if size < minimum || self.most.is_some_and(|most| size > usize::try_from(most).unwrap_or(usize::MAX)) {
            return size == minimum;
        }
        let beyond = size.saturating_sub(minimum);
        match self.sizes {
            ElasticSizes::PowersOfTwo => beyond == 0 || size.is_power_of_two(),
            ElasticSizes::Multiples(factor) => {
                usize::try_from(factor).ok().and_then(|factor| beyond.checked_rem(factor)) == Some(0)
            }
        }
    }
}

/// The spec of the object of a job, besides its gang.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VolcanoPodGroup {
    /// The name of its queue.
    pub queue: Option<NameId>,
    /// The priority of the job, which is not that of its pods.
    pub priority: i32,
    /// When it was created, nanoseconds since 1970.
    pub created: i64,
    /// The number of pods that the job needs of each of these roles.
    pub roles: Vec<(NameId, u32)>,
    /// The way in which the job grows and shrinks. `None`: it is not elastic.
    pub elastic: Option<ElasticSettings>,
    /// Whether the job declares that none of its pods may be a victim.
    pub opted_out: bool,
    /// The time for which its pods are protected after they were placed, in nanoseconds. A pod may have its own.
    pub cooldown: Option<i64>,
}

/// The settings of a queue that compare it with other queues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueSpec {
    /// The priority; the highest is served first and gives back last.
    pub priority: i32,
    /// Whether other queues may reclaim what the queue uses beyond its entitlement.
    pub reclaimable: bool,
    /// Whether the queue takes pods.
    pub open: bool,
    /// Whether there are queues below it.
    pub has_children: bool,
    /// The number of its ancestors that must use more than their entitlement, too, before the queue gives something back.
    pub ancestor_reclaim_level: u32,
    /// Whether the queue, or the queue above it, demands certain groups of nodes. No law judges which.
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
            ancestor_reclaim_level: 0,
            picks_nodes: false,
            created: 0,
        }
    }
}

/// The tables of Volcano.
#[derive(Debug, Clone, Default)]
pub struct VolcanoTables {
    /// The specs of the PodGroups of jobs.
    pub groups: PagedTable<JobIx, VolcanoPodGroup>,
    /// The times at which elastic jobs last grew or shrank, in nanoseconds since 1970.
    pub scaled: PagedTable<JobIx, i64>,
    /// The settings of queues besides their bounds.
    pub queues: Table<QueueIx, QueueSpec>,
}

impl Cluster {
    /// Returns the spec of the PodGroup of a job besides its gang. `None`: the job has no PodGroup.
    pub fn pod_group(&self, job: JobIx) -> Option<&VolcanoPodGroup> {
        self.ext.volcano.groups.get(job)
    }

    /// Sets the spec of the PodGroup of a job. Without a PodGroup, the job has no history of its sizes.
    pub fn set_pod_group(&mut self, job: JobIx, spec: Option<VolcanoPodGroup>) {
        let tables = &mut self.ext.volcano;
        match spec {
            Some(spec) => drop(tables.groups.insert(job, spec)),
            None => {
                tables.groups.remove(job);
                tables.scaled.remove(job);
            }
        }
    }

    /// Returns how a job grows and shrinks. `None`: the job is not elastic.
    pub fn elastic(&self, job: JobIx) -> Option<&ElasticSettings> {
        self.pod_group(job)?.elastic.as_ref()
    }

    /// Returns when a job last grew or shrank, in nanoseconds since 1970. `None`: never, as far as is known.
    pub fn scaled_at(&self, job: JobIx) -> Option<i64> {
        self.ext.volcano.scaled.get(job).copied()
    }

    /// Records that an elastic job grew or shrank at this time, in nanoseconds since 1970.
    pub fn set_scaled_at(&mut self, job: JobIx, at: i64) {
        self.ext.volcano.scaled.insert(job, at);
    }

    /// Returns the settings of a queue besides its bounds. `None`: the queue has none.
    pub fn queue_spec(&self, queue: QueueIx) -> Option<&QueueSpec> {
        self.ext.volcano.queues.get(queue)
    }
}
