//! How often the job of each pod was evicted.

use super::*;
use crate::model::evictions::{EvictedJob, Evictions, SavedEvictions};

impl Cluster {
    /// Returns how often the job of a pod was evicted, which may be new.
    pub fn past_evictions(&self, pod: &Pod) -> u32 {
        if self.evictions.is_empty() { 0 } else { self.evictions.of(&self.evicted_job(pod)) }
    }

    /// Counts that these pods are evicted by one plan: once for each job.
    pub fn count_evictions(&mut self, victims: &[PodIx]) {
        let jobs = victims.iter().filter_map(|ix| self.pod(*ix)).map(|pod| self.evicted_job(pod));
        let jobs: BTreeSet<EvictedJob> = jobs.collect();
        if jobs.is_empty() {
            return;
        }
        jobs.into_iter().for_each(|job| self.evictions.count(job));
        self.tell_evictions();
    }

    /// Returns the counts for a checkpoint.
    pub fn saved_evictions(&self) -> SavedEvictions {
        self.evictions.saved()
    }

    /// Takes the counts of a checkpoint.
    pub fn restore_evictions(&mut self, saved: SavedEvictions) {
        self.evictions = Evictions::from(saved);
        self.tell_evictions();
    }

    /// Writes the counts to the pods: comparators look at them.
    fn tell_evictions(&mut self) {
        let counts: Vec<(PodIx, u32)> = self.pods().map(|(ix, pod)| (ix, self.past_evictions(pod))).collect();
        for (ix, count) in counts {
            if let Some(pod) = self.pods.get_mut(ix) {
                pod.past_evictions = count;
            }
        }
    }

    /// Returns what a pod is known by when it was evicted and another pod replaces it.
    fn evicted_job(&self, pod: &Pod) -> EvictedJob {
        match (pod.attributes.job.and_then(|job| self.job(job)), &pod.controller) {
            (Some(job), _) => EvictedJob::Job(job.key.clone()),
            (None, Some(controller)) => EvictedJob::Controller(controller.to_string()),
            (None, None) => EvictedJob::Pod(pod.name.clone()),
        }
    }
}
