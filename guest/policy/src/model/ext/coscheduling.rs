//! Coscheduling: the least resources of PodGroups, and the pods that would borrow.

use std::collections::BTreeMap;

use crate::model::{Cluster, JobIx, NodeIx, PagedTable, PodInfo, PodIx};

/// The ways in which a pending pod would borrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Borrowing {
    /// Only where pods of its quota that come before it get their nodes. Without them, the pod stays within the min.
    AfterOthers,
    /// Whatever happens to the other pods.
    Always,
}

/// The tables of Coscheduling.
#[derive(Debug, Clone, Default)]
pub struct CoschedulingTables {
    /// The amounts that must be free in the cluster before the pods of a job are tried, by resource name.
    pub min_resources: PagedTable<JobIx, Vec<(String, i64)>>,
    /// The pending pods that would take their quota over its min while pods of other quotas wait within theirs, by rank.
    pub borrowers: BTreeMap<u64, Borrowing>,
    /// The gang whose turn it is.
    pub gang_in_turn: Option<JobIx>,
    /// The nodes kept for pods whose time at Permit ran out while other pods leave for their gang.
    pub retained_nodes: BTreeMap<PodIx, NodeIx>,
}

impl Cluster {
    /// Returns the amounts that must be free in the cluster before the pods of a job are tried, by resource name. Empty: none.
    pub fn min_resources(&self, job: JobIx) -> &[(String, i64)] {
        self.ext.coscheduling.min_resources.get(job).map(Vec::as_slice).unwrap_or_default()
    }

    /// Sets what must be free in the cluster for the pods of a job to be tried.
    pub fn set_min_resources(&mut self, job: JobIx, amounts: Vec<(String, i64)>) {
        self.ext.coscheduling.min_resources.insert(job, amounts);
    }

    /// Returns whether a pending pod would borrow what a pod of another quota may take back at once, as of the last order of the queue.
    pub fn borrows(&self, pod: &PodInfo) -> Option<Borrowing> {
        self.ext.coscheduling.borrowers.get(&pod.rank).copied()
    }

    /// Returns all pods that would borrow what a pod of another quota may take back at once, by rank.
    pub fn borrowers(&self) -> &BTreeMap<u64, Borrowing> {
        &self.ext.coscheduling.borrowers
    }

    /// Sets the pods that would borrow, by rank.
    pub fn set_borrowers(&mut self, pods: BTreeMap<u64, Borrowing>) {
        self.ext.coscheduling.borrowers = pods;
    }

    /// Returns the gang whose turn it is, as of the last order of the queue: it holds nodes at Permit, and more of its pods are next. `None`: no gang
    /// has its turn.
    pub fn turn(&self) -> Option<JobIx> {
        self.ext.coscheduling.gang_in_turn
    }

    /// Sets the gang whose turn it is.
    pub fn set_turn(&mut self, job: Option<JobIx>) {
        self.ext.coscheduling.gang_in_turn = job;
    }

    /// Returns whether a plan for a gang, and for the gangs that start together with it, is in flight. Pods of them are nominated, and the nominated
    /// pods and those on nodes reach each minimum. Victims leave for such gangs, or have left, so these gangs have every chance to be complete (seed
    /// 20200116, Pre-Filter 2).
    pub fn has_plan_in_flight(&self, job: JobIx) -> bool {
        let gangs: Option<Vec<(usize, bool)>> =
            self.gang_group(job).into_iter().map(|job| self.nominated_of_gang(job)).collect();
        gangs.is_some_and(|gangs| {
            gangs.iter().any(|(nominated, _)| *nominated > 0) && gangs.iter().all(|(_, is_enough)| *is_enough)
        })
    }

    /// Returns whether a plan for the gang of a pod is in flight.
    pub fn has_plan_of_gang(&self, pod: PodIx) -> bool {
        self.pod(pod).and_then(|pod| pod.attributes.job).is_some_and(|job| self.has_plan_in_flight(job))
    }

    /// Returns how many members of a gang are nominated, and whether they and those on nodes reach its minimum. `None`: it is no gang.
    fn nominated_of_gang(&self, job: JobIx) -> Option<(usize, bool)> {
        let (job, gang) = self.job(job).and_then(|job| Some((job, job.gang()?)))?;
        let members = || job.members.iter().filter_map(|ix| self.pod(*ix));
        let nominated = members().filter(|pod| pod.is_schedulable() && pod.state.nominated.is_some()).count();
        let allocated = members().filter(|pod| pod.node().is_some() && !pod.state.terminating).count();
        let minimum = usize::try_from(gang.minimum).unwrap_or(usize::MAX);
        Some((nominated, nominated.saturating_add(allocated) >= minimum))
    }
}
