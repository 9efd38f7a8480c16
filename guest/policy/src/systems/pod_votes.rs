//! Settings that pods request for their gang, one vote per pod. The result depends neither on the order of the reports nor on pods
//! that are gone.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract;
use crate::model::{JobIx, PodIx};

/// The creation of a pod, in nanoseconds since 1970, and its name.
type Age = (i64, String);

/// The votes of the pods of all gangs.
#[derive(Debug)]
pub struct PodVotes<T> {
    /// The votes of each gang, those of the oldest pod first.
    votes: BTreeMap<JobIx, BTreeMap<Age, T>>,
    /// The gang and the age under which each pod's vote is kept.
    keys_by_pod: BTreeMap<PodIx, (JobIx, Age)>,
    /// Gangs whose votes have changed since [`PodVotes::take_changed`].
    changed: BTreeSet<JobIx>,
}

impl<T> Default for PodVotes<T> {
    fn default() -> PodVotes<T> {
        PodVotes { votes: BTreeMap::new(), keys_by_pod: BTreeMap::new(), changed: BTreeSet::new() }
    }
}

impl<T: PartialEq> PodVotes<T> {
    /// Sets the vote of a pod for its gang.
    pub fn set(&mut self, job: JobIx, pod: &contract::Pod, vote: T) {
        let (ix, age) = (PodIx(pod.id), (pod.created, pod.name.clone()));
        let current = self.votes.get(&job).and_then(|votes| votes.get(&age));
        if self.keys_by_pod.get(&ix).is_some_and(|(of, since)| (*of, since) == (job, &age)) && current == Some(&vote) {
            return;
        }
        self.forget_pod(ix);
        self.votes.entry(job).or_default().insert(age.clone(), vote);
        self.keys_by_pod.insert(ix, (job, age));
        self.changed.insert(job);
    }

    /// Removes the vote of a pod.
    pub fn forget_pod(&mut self, pod: PodIx) {
        let Some((job, age)) = self.keys_by_pod.remove(&pod) else { return };
        if let Some(votes) = self.votes.get_mut(&job) {
            votes.remove(&age);
            if votes.is_empty() {
                self.votes.remove(&job);
            }
        }
        self.changed.insert(job);
    }

    /// Removes the vote of a pod for any other gang than `job`.
    pub fn retain_for(&mut self, pod: PodIx, job: Option<JobIx>) {
        if self.keys_by_pod.get(&pod).is_some_and(|(of, _)| Some(*of) != job) {
            self.forget_pod(pod);
        }
    }

    /// Returns the votes for a gang, that of the oldest pod first.
    pub fn of(&self, job: JobIx) -> impl Iterator<Item = &T> {
        self.votes.get(&job).into_iter().flat_map(BTreeMap::values)
    }

    /// Returns the gangs whose votes have changed since the last call.
    pub fn take_changed(&mut self) -> BTreeSet<JobIx> {
        std::mem::take(&mut self.changed)
    }
}
