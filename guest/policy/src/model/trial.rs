//! A trial: changes that are made on the cluster itself and taken back, so that no what-if copies it.

use super::{Cluster, NodeIx, PodIx, PodLocation};

/// Changes under trial. Whatever was tried is taken back when the trial ends.
#[derive(Debug)]
pub struct Trial<'c> {
    cluster: &'c mut Cluster,
    /// Every pod that was moved, with its place before, oldest first.
    moves: Vec<(PodIx, PodLocation)>,
}

/// A moment of a trial to which it can be rewound.
#[derive(Debug, Clone, Copy)]
pub struct Savepoint(usize);

impl<'c> Trial<'c> {
    /// Begins a trial.
    pub fn new(cluster: &'c mut Cluster) -> Trial<'c> {
        cluster.begin_trial();
        Trial { cluster, moves: Vec::new() }
    }

    /// Returns the cluster as the trial has it.
    pub fn cluster(&self) -> &Cluster {
        self.cluster
    }

    /// Returns the cluster for a nested trial, which must end before this one.
    pub fn nested(&mut self) -> &mut Cluster {
        self.cluster
    }

    /// Returns a mark of this moment, for a rewind.
    pub fn savepoint(&self) -> Savepoint {
        Savepoint(self.moves.len())
    }

    /// Evicts a pod: it leaves its node and does not wait for another. What the pod requests stays booked with its queue until it is gone.
    pub fn evict(&mut self, pod: PodIx) {
        self.set_location(pod, PodLocation::Evicted)
    }

    /// Takes the reserved node of a pod back: the pod waits for a node again.
    pub fn unreserve(&mut self, pod: PodIx) {
        self.set_location(pod, PodLocation::Pending)
    }

    /// Evicts a pod and the pods that are evicted together with it.
    pub fn evict_set(&mut self, pod: PodIx) {
        self.cluster.eviction_set(pod).into_iter().for_each(|pod| self.evict(pod))
    }

    /// Places a pod on a node, whether it fits there or not.
    pub fn place(&mut self, pod: PodIx, node: NodeIx) {
        self.set_location(pod, PodLocation::Reserved(node))
    }

    /// Rewinds the trial to a mark: undoes all changes since.
    pub fn rewind(&mut self, mark: Savepoint) {
        while self.moves.len() > mark.0 {
            if let Some((pod, place)) = self.moves.pop() {
                self.cluster.move_in_trial(pod, place);
            }
        }
    }

    /// Puts a pod at a place, or back at its former place.
    pub fn set_location(&mut self, pod: PodIx, place: PodLocation) {
        if let Some(old) = self.cluster.move_in_trial(pod, place) {
            self.moves.push((pod, old));
        }
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        self.rewind(Savepoint(0));
        self.cluster.end_trial();
    }
}
