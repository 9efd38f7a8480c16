//! Extension tables: the data of one system is stored next to the core model, by number of the queue or job.
//!
//! A system fills its own table and leaves the others empty. A law reads it through the accessors of the cluster, which stand in the file
//! of the system.

pub mod coscheduling;
pub mod koordinator;
pub mod kubernetes;
pub mod volcano;
pub mod yunikorn;

use super::{JobIx, NameId, PodIx};

/// The extension tables of all systems.
#[derive(Debug, Clone, Default)]
pub struct Extensions {
    /// The tables of Coscheduling.
    pub coscheduling: coscheduling::CoschedulingTables,
    /// The tables of Koordinator.
    pub koordinator: koordinator::KoordinatorTables,
    /// The tables of Kubernetes' own pod groups.
    pub kubernetes: kubernetes::KubernetesTables,
    /// The tables of Volcano.
    pub volcano: volcano::VolcanoTables,
    /// The tables of YuniKorn.
    pub yunikorn: yunikorn::YuniKornTables,
}

impl Extensions {
    /// Removes what is known of a pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        self.koordinator.eligible_owners.remove(&pod);
        self.coscheduling.retained_nodes.remove(&pod);
    }

    /// Returns the names in the tables: of reservations, and of the queues and roles of jobs.
    pub fn symbols(&self) -> impl Iterator<Item = NameId> {
        let reservations = self.koordinator.terms.keys().chain(self.koordinator.eligible_owners.values().flatten());
        let groups = self.volcano.groups.iter().map(|(_, group)| group);
        let of_group = |group: &'_ volcano::VolcanoPodGroup| {
            group.queue.into_iter().chain(group.roles.iter().map(|(role, _)| *role)).collect::<Vec<_>>()
        };
        reservations.copied().chain(groups.flat_map(of_group))
    }

    /// Removes what is known of a job whose last pod is gone. A job of the same name is another job, unless its object has stayed.
    pub fn forget_job(&mut self, job: JobIx) {
        self.yunikorn.originators.remove(job);
        if self.volcano.groups.get(job).is_none() {
            self.volcano.scaled.remove(job);
        }
    }

    /// Removes what is known of a job that is gone.
    pub fn remove_job(&mut self, job: JobIx) {
        self.coscheduling.min_resources.remove(job);
        self.volcano.scaled.remove(job);
        self.yunikorn.originators.remove(job);
        self.yunikorn.generated_applications.remove(job);
    }
}
