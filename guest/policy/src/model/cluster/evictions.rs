//! How often the job of each pod was evicted.

use super::*;
use crate::model::evictions::{EvictedJob, EvictionKey, Evictions, SavedEvictions};
use crate::model::{NO_CONTROLLER, hash};

impl Cluster {
    /// Returns how often the job of a pod was evicted, which may be new.
    pub fn past_evictions(&self, pod: &PodInfo) -> u32 {
        if self.jobs.evictions.is_empty() { 0 } else { self.jobs.evictions.of(&self.eviction_key(pod).to_owned()) }
    }

    /// Counts that these pods are evicted by one plan: once for each job.
    pub fn count_evictions(&mut self, victims: &[PodIx]) {
        let jobs = |ix: &PodIx| Some((*ix, self.eviction_key(self.pod(*ix)?).to_owned()));
        let victims: Vec<(PodIx, EvictedJob)> = victims.iter().filter_map(jobs).collect();
        let jobs: BTreeSet<&EvictedJob> = victims.iter().map(|(_, job)| job).collect();
        let forgotten: Vec<EvictedJob> =
            jobs.into_iter().filter_map(|job| self.jobs.evictions.count(job.clone())).collect();
        // A pod that is counted by its own name is the victim itself, so no search for it is needed.
        let (apart, of_others): (Vec<_>, Vec<_>) =
            victims.into_iter().partition(|(_, job)| matches!(job, EvictedJob::Pod(_)));
        self.write(apart.iter().map(|(ix, job)| (*ix, self.jobs.evictions.of(job))).collect());
        self.write_counts(&of_others.into_iter().map(|(_, job)| job).chain(forgotten).collect());
    }

    /// Returns the counts for a checkpoint.
    pub fn saved_evictions(&self) -> SavedEvictions {
        self.jobs.evictions.saved()
    }

    /// Takes the counts of a checkpoint.
    pub fn restore_evictions(&mut self, saved: SavedEvictions) {
        self.jobs.evictions = Evictions::from(saved);
        let counts: Vec<(PodIx, u32)> = self.pods().map(|(ix, pod)| (ix, self.past_evictions(pod))).collect();
        self.write(counts);
    }

    /// Writes the counts of some jobs to their pods, where comparators read them. The pods of a job are found by the job; other pods are searched for
    /// among those with the same hash of the controller's name.
    fn write_counts(&mut self, jobs: &BTreeSet<EvictedJob>) {
        let times: BTreeMap<EvictionKey<'_>, u32> =
            jobs.iter().map(|job| (job.key(), self.jobs.evictions.of(job))).collect();
        let (mut pods, mut hashes) = (Vec::new(), BTreeSet::new());
        for job in jobs {
            match job {
                EvictedJob::Job(key) => {
                    let job = self.job_named(key).and_then(|job| self.job(job));
                    pods.extend(job.into_iter().flat_map(|job| job.members.iter().copied()));
                }
                EvictedJob::Controller([.., name]) => drop(hashes.insert(hash(name))),
                EvictedJob::Pod(_) => drop(hashes.insert(NO_CONTROLLER)),
            }
        }
        if !hashes.is_empty() {
            let alike = self.pods().filter(|(_, pod)| hashes.contains(&pod.controller.name_hash));
            pods.extend(alike.map(|(ix, _)| ix));
        }
        let count = |ix: PodIx| Some((ix, *times.get(&self.eviction_key(self.pod(ix)?))?));
        let counts = pods.into_iter().filter_map(count).collect();
        self.write(counts);
    }

    fn write(&mut self, counts: Vec<(PodIx, u32)>) {
        for (ix, count) in counts {
            if let Some(pod) = self.pods.table.get_mut(ix) {
                pod.past_evictions = count;
            }
        }
    }

    /// Returns the name by which the evictions of a pod are counted: that of its job, its controller, or the pod itself.
    fn eviction_key<'a>(&'a self, pod: &'a PodInfo) -> EvictionKey<'a> {
        match (pod.attributes.job.and_then(|job| self.job(job)), pod.controller_name()) {
            (Some(job), _) => EvictionKey::Job(&job.key),
            (None, Some(controller)) => EvictionKey::Controller(controller),
            (None, None) => EvictionKey::Pod(&pod.name),
        }
    }
}
