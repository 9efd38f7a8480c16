//! What pods say of the gang they belong to, kept pod by pod: neither who was told of first nor what pods said that are gone makes a
//! difference.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract;
use crate::model::{JobIx, PodIx};

/// When a pod was created, nanoseconds since 1970, and its name.
type Age = (i64, String);

/// What the pods of gangs want.
#[derive(Debug)]
pub struct PodVotes<T> {
    /// Of each gang what its pods want, the oldest first.
    wanted: BTreeMap<JobIx, BTreeMap<Age, T>>,
    /// Of each pod its gang, and its place there.
    places: BTreeMap<PodIx, (JobIx, Age)>,
    /// Gangs of which something else may count since they were last taken.
    changed: BTreeSet<JobIx>,
}

impl<T> Default for PodVotes<T> {
    fn default() -> PodVotes<T> {
        PodVotes { wanted: BTreeMap::new(), places: BTreeMap::new(), changed: BTreeSet::new() }
    }
}

impl<T: PartialEq> PodVotes<T> {
    /// What a pod wants of its gang from now on.
    pub fn want(&mut self, job: JobIx, pod: &contract::Pod, wish: T) {
        let (ix, age) = (PodIx(pod.id), (pod.created, pod.name.clone()));
        let wanted = self.wanted.get(&job).and_then(|wanted| wanted.get(&age));
        if self.places.get(&ix).is_some_and(|(of, since)| (*of, since) == (job, &age)) && wanted == Some(&wish) {
            return;
        }
        self.forget_pod(ix);
        self.wanted.entry(job).or_default().insert(age.clone(), wish);
        self.places.insert(ix, (job, age));
        self.changed.insert(job);
    }

    /// A pod is gone, or wants nothing any more.
    pub fn forget_pod(&mut self, pod: PodIx) {
        let Some((job, age)) = self.places.remove(&pod) else { return };
        if let Some(wanted) = self.wanted.get_mut(&job) {
            wanted.remove(&age);
            if wanted.is_empty() {
                self.wanted.remove(&job);
            }
        }
        self.changed.insert(job);
    }

    /// A pod is of this gang, or of none: what it wanted of another is forgotten.
    pub fn keep(&mut self, pod: PodIx, job: Option<JobIx>) {
        if self.places.get(&pod).is_some_and(|(of, _)| Some(*of) != job) {
            self.forget_pod(pod);
        }
    }

    /// What the pods of a gang want, the oldest first.
    pub fn of(&self, job: JobIx) -> impl Iterator<Item = &T> {
        self.wanted.get(&job).into_iter().flat_map(BTreeMap::values)
    }

    /// The gangs of which something else may count since the last call.
    pub fn take_changed(&mut self) -> BTreeSet<JobIx> {
        std::mem::take(&mut self.changed)
    }
}
