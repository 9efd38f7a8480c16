//! Coscheduling: the least resources of PodGroups, and the pods that would borrow.

use std::collections::BTreeMap;

use crate::model::{Cluster, JobIx, NodeIx, Pod, PodIx, Table};

/// The ways in which a pending pod would borrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Borrows {
    /// Only where pods of its quota that come before it get their nodes: without them the pod stays within the min.
    BehindOthers,
    /// Whatever becomes of the other pods.
    Anyway,
}

/// The tables.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// What must be free in the cluster for the pods of a job to be tried, by resource name.
    pub min_resources: Table<JobIx, Vec<(String, i64)>>,
    /// The pending pods that would take their quota over its min while pods of other quotas wait within theirs, by rank.
    pub borrowers: BTreeMap<u64, Borrows>,
    /// The nodes of pods whose time at Permit ran out while pods leave for their gang.
    pub kept: BTreeMap<PodIx, NodeIx>,
}

impl Cluster {
    /// What must be free in the cluster for the pods of a job to be tried, by resource name.
    pub fn min_resources(&self, job: JobIx) -> &[(String, i64)] {
        self.ext.coscheduling.min_resources.get(job).map(Vec::as_slice).unwrap_or_default()
    }

    /// Sets what must be free in the cluster for the pods of a job to be tried.
    pub fn set_min_resources(&mut self, job: JobIx, amounts: Vec<(String, i64)>) {
        self.ext.coscheduling.min_resources.insert(job, amounts);
    }

    /// Returns whether a pending pod would borrow what a pod of another quota may take back at once, as of the last order of the queue.
    pub fn borrows(&self, pod: &Pod) -> Option<Borrows> {
        self.ext.coscheduling.borrowers.get(&pod.rank).copied()
    }

    /// Returns all such pods, by rank.
    pub fn borrowers(&self) -> &BTreeMap<u64, Borrows> {
        &self.ext.coscheduling.borrowers
    }

    /// Sets these pods.
    pub fn set_borrowers(&mut self, pods: BTreeMap<u64, Borrows>) {
        self.ext.coscheduling.borrowers = pods;
    }
}
