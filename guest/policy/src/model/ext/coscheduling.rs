//! Coscheduling: the least resources of PodGroups.

use crate::model::{Cluster, JobIx, Table};

/// The tables.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// What must be free in the cluster for the pods of a job to be tried, by resource name.
    pub min_resources: Table<JobIx, Vec<(String, i64)>>,
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
}
