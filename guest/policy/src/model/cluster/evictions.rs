//! How often the job of each pod was evicted.

use super::*;
use crate::model::evictions::{EvictedJob, Evictions, SavedEvictions};
use crate::model::hash;

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
        let forgotten: Vec<EvictedJob> = jobs.iter().filter_map(|job| self.evictions.count(job.clone())).collect();
        // A pod that is known by its own name is a victim itself: it need not be looked for.
        let is_apart =
            |ix: &&PodIx| self.pod(**ix).is_some_and(|pod| pod.attributes.job.is_none() && pod.controller().is_none());
        let apart = victims.iter().filter(is_apart).filter_map(|ix| Some((*ix, self.past_evictions(self.pod(*ix)?))));
        let apart: Vec<(PodIx, u32)> = apart.collect();
        self.write(apart);
        let of_others = jobs.into_iter().filter(|job| !matches!(job, EvictedJob::Pod(_)));
        self.write_counts(&of_others.chain(forgotten).collect());
    }

    /// Returns the counts for a checkpoint.
    pub fn saved_evictions(&self) -> SavedEvictions {
        self.evictions.saved()
    }

    /// Takes the counts of a checkpoint.
    pub fn restore_evictions(&mut self, saved: SavedEvictions) {
        self.evictions = Evictions::from(saved);
        let counts: Vec<(PodIx, u32)> = self.pods().map(|(ix, pod)| (ix, self.past_evictions(pod))).collect();
        self.write(counts);
    }

    /// Writes the counts of some jobs to their pods: comparators look at them. The pods of a job are known by it; those of controllers are
    /// looked for.
    fn write_counts(&mut self, jobs: &BTreeSet<EvictedJob>) {
        let mut counts: Vec<(PodIx, u32)> = Vec::new();
        let (mut controllers, mut names) = (BTreeMap::new(), BTreeMap::new());
        for job in jobs {
            let times = self.evictions.of(job);
            match job {
                EvictedJob::Job(key) => {
                    let job = self.job_named(key).and_then(|job| self.job(job));
                    counts.extend(job.into_iter().flat_map(|job| &job.members).map(|ix| (*ix, times)));
                }
                EvictedJob::Controller(controller) => {
                    controllers.insert(controller.each_ref().map(String::as_str), times);
                }
                EvictedJob::Pod(name) => drop(names.insert(name, times)),
            }
        }
        let hashes: BTreeSet<u32> = controllers.keys().map(|[.., name]| hash(name)).collect();
        let of_controller = |pod: &Pod| {
            let is_alike = hashes.contains(&pod.controller_hash) && pod.attributes.job.is_none();
            if is_alike { controllers.get(&pod.controller()?).copied() } else { None }
        };
        let of_name = |pod: &Pod| if pod.controller().is_none() { names.get(&pod.name).copied() } else { None };
        if !controllers.is_empty() {
            counts.extend(self.pods().filter_map(|(ix, pod)| Some((ix, of_controller(pod)?))));
        }
        if !names.is_empty() {
            counts.extend(self.pods().filter_map(|(ix, pod)| Some((ix, of_name(pod)?))));
        }
        self.write(counts);
    }

    fn write(&mut self, counts: Vec<(PodIx, u32)>) {
        for (ix, count) in counts {
            if let Some(pod) = self.pods.get_mut(ix) {
                pod.past_evictions = count;
            }
        }
    }

    /// Returns what a pod is known by when it was evicted and another pod replaces it.
    fn evicted_job(&self, pod: &Pod) -> EvictedJob {
        match (pod.attributes.job.and_then(|job| self.job(job)), pod.controller()) {
            (Some(job), _) => EvictedJob::Job(job.key.clone()),
            (None, Some(controller)) => EvictedJob::Controller(controller.map(str::to_owned)),
            (None, None) => EvictedJob::Pod(pod.name.clone()),
        }
    }
}
