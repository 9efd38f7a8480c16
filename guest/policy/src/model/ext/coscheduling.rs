//! Coscheduling: the least resources of PodGroups, and the pods that would borrow.

use std::collections::BTreeSet;

use crate::model::{Cluster, JobIx, Pod, Table};

/// The tables.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// What must be free in the cluster for the pods of a job to be tried, by resource name.
    pub min_resources: Table<JobIx, Vec<(String, i64)>>,
    /// The ranks of the pending pods that would take their quota over its min while pods of other quotas wait within theirs.
    pub borrowers: BTreeSet<u64>,
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

    /// Checks whether a pending pod would borrow what a pod of another quota may take back at once, as of the last order of the queue.
    pub fn is_borrower(&self, pod: &Pod) -> bool {
        self.ext.coscheduling.borrowers.contains(&pod.rank)
    }

    /// Returns the ranks of all such pods.
    pub fn borrowers(&self) -> &BTreeSet<u64> {
        &self.ext.coscheduling.borrowers
    }

    /// Sets the ranks of these pods.
    pub fn set_borrowers(&mut self, pods: BTreeSet<u64>) {
        self.ext.coscheduling.borrowers = pods;
    }
}
