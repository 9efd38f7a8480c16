//! The count of evictions: how often each job was evicted, as far as this policy knows.
//!
//! The cluster does not show it: an evicted pod is deleted, and the pod that replaces it looks like any other. Without the count the job
//! whose eviction costs least is evicted each time, and other jobs that cost as much never are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{JobKey, PodName};

/// The maximum number of jobs whose evictions are counted.
const MOST: usize = 4096;

/// The name of an evicted job, by which it is recognized when another pod replaces the evicted one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EvictedJob {
    /// The job of the pod.
    Job(JobKey),
    /// The controller of a pod without a job: namespace, kind and name.
    Controller([String; 3]),
    /// The pod itself, which has neither.
    Pod(PodName),
}

/// The name of an evicted job, borrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvictionKey<'a> {
    /// The job of the pod.
    Job(&'a JobKey),
    /// The controller of a pod without a job: namespace, kind and name.
    Controller([&'a str; 3]),
    /// The pod itself, which has neither.
    Pod(&'a PodName),
}

impl EvictionKey<'_> {
    /// Returns a copy.
    pub fn to_owned(self) -> EvictedJob {
        match self {
            EvictionKey::Job(key) => EvictedJob::Job(key.clone()),
            EvictionKey::Controller(controller) => EvictedJob::Controller(controller.map(str::to_owned)),
            EvictionKey::Pod(name) => EvictedJob::Pod(name.clone()),
        }
    }
}

impl EvictedJob {
    /// Returns the name, borrowed.
    pub fn key(&self) -> EvictionKey<'_> {
        match self {
            EvictedJob::Job(key) => EvictionKey::Job(key),
            EvictedJob::Controller(controller) => EvictionKey::Controller(controller.each_ref().map(String::as_str)),
            EvictedJob::Pod(name) => EvictionKey::Pod(name),
        }
    }
}

/// The number of evictions of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct EvictionCount {
    times: u32,
    /// The number of the last eviction, over all jobs.
    last: u64,
}

/// The counts of all jobs. If there are more than [`MOST`] jobs, the counts of those evicted least often are forgotten; of these, the ones that were
/// evicted longest ago.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evictions {
    counts: BTreeMap<EvictedJob, EvictionCount>,
    last: u64,
}

/// The counts in a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedEvictions {
    counts: Vec<(EvictedJob, EvictionCount)>,
    last: u64,
}

impl Evictions {
    /// Returns whether no job was ever evicted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns how often a job was evicted.
    pub fn of(&self, job: &EvictedJob) -> u32 {
        self.counts.get(job).map_or(0, |count| count.times)
    }

    /// Counts one more eviction of a job. Returns the job whose count is forgotten for it; `None`: none is forgotten.
    pub fn count(&mut self, job: EvictedJob) -> Option<EvictedJob> {
        self.last = self.last.saturating_add(1);
        let times = self.of(&job).saturating_add(1);
        self.counts.insert(job, EvictionCount { times, last: self.last });
        if self.counts.len() <= MOST {
            return None;
        }
        let least = self.counts.iter().min_by_key(|(_, count)| (count.times, count.last));
        let forgotten = least.map(|(job, _)| job.clone())?;
        self.counts.remove(&forgotten);
        Some(forgotten)
    }

    /// Returns the counts for a checkpoint.
    pub fn saved(&self) -> SavedEvictions {
        let counts = self.counts.iter().map(|(job, count)| (job.clone(), *count)).collect();
        SavedEvictions { counts, last: self.last }
    }
}

impl From<SavedEvictions> for Evictions {
    fn from(saved: SavedEvictions) -> Evictions {
        Evictions { counts: saved.counts.into_iter().take(MOST).collect(), last: saved.last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(number: usize) -> EvictedJob {
        EvictedJob::Controller([String::new(), String::new(), format!("{number}")])
    }

    #[test]
    fn what_was_evicted_least_often_is_forgotten_first() {
        let mut evictions = Evictions::default();
        evictions.count(named(0));
        evictions.count(named(0));
        (1..MOST).for_each(|number| assert_eq!(evictions.count(named(number)), None));
        assert_eq!(evictions.count(named(MOST)), Some(named(1)));
        assert_eq!(evictions.counts.len(), MOST);
        assert_eq!([0, 1, 2].map(|number| evictions.of(&named(number))), [2, 0, 1], "1 was evicted longest ago");
        assert_eq!(Evictions::from(evictions.saved()), evictions);
    }
}
