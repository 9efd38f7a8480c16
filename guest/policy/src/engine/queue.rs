//! The queue: where pending pods stand in it, as keys that a host can compare.

use std::collections::BTreeMap;

use crate::contract::{KeyBuilder, PodId, PolicyError, SortKeys};
use crate::laws::QueueOrdering;
use crate::model::{Borrowing, Cluster, Job, JobIx, JobKey, PodInfo, PodIx, PodKind};

use super::Engine;

/// The parts of a sort key that come from a job: the values that the order reads of it, the priority of a PodGroup of Kubernetes, and the position of
/// the first pod of its gang group.
type JobKeyParts = ([Option<i64>; 2], Option<i32>, Option<(i64, i64, JobKey)>);

/// The epochs of sort keys: keys of one epoch can be compared.
#[derive(Debug, Default)]
pub struct Epochs {
    last: u64,
    /// The parts that keys take from each job, as of the last keys.
    jobs: BTreeMap<JobIx, JobKeyParts>,
    /// The pods that would borrow, as of the last keys.
    borrowers: BTreeMap<u64, Borrowing>,
    /// The gang whose turn it was, as of the last keys.
    gang_in_turn: Option<JobIx>,
}

impl Epochs {
    /// Returns the epoch of keys that are made now. The epoch is new where an older key of an unchanged pod may be wrong.
    fn of(&mut self, cluster: &Cluster, by: &QueueOrdering) -> u64 {
        let is_new = match by {
            // The key of a pod is its place among the pods of one request, so keys of two requests cannot be compared.
            QueueOrdering::Compare(_) => true,
            QueueOrdering::Key(key) => {
                let terms = |(ix, job): (JobIx, &Job)| {
                    let first = cluster.first_of_gang_group(ix);
                    let first = first.map(|(entered, created, key)| (entered, created, key.clone()));
                    (ix, ((key.job_values)(job), cluster.scheduling_group(ix).map(|group| group.priority), first))
                };
                let jobs: BTreeMap<JobIx, JobKeyParts> = cluster.jobs().map(terms).collect();
                let has_changed = |(ix, before): (&JobIx, &JobKeyParts)| jobs.get(ix).is_some_and(|now| now != before);
                let order = (cluster.borrowers(), cluster.turn());
                let changed = self.jobs.iter().any(has_changed) || (&self.borrowers, self.gang_in_turn) != order;
                (self.jobs, self.gang_in_turn) = (jobs, cluster.turn());
                self.borrowers.clone_from(cluster.borrowers());
                changed
            }
        };
        self.last = self.last.saturating_add(is_new.into());
        self.last
    }
}

impl Engine {
    /// Implements `queue.queue-keys`: returns a sort key for each of these pods, in their order. Keys compare as bytes.
    pub fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, PolicyError> {
        if let Some(system) = &mut self.system {
            system.refresh_queue_order(&mut self.cluster);
        }
        let order = self.laws()?.queue_order;
        let known = |id: &PodId| self.cluster.pod(PodIx(*id)).ok_or(PolicyError::UnknownPod(*id));
        let pods: Vec<&PodInfo> = pods.iter().map(known).collect::<Result<_, _>>()?;
        let keys = match order.by {
            QueueOrdering::Key(by) => pods.iter().map(|pod| key_with_name(by.key(&self.cluster, pod), pod)).collect(),
            QueueOrdering::Compare(_) => {
                let mut queue: Vec<(usize, &PodInfo)> = pods.into_iter().enumerate().collect();
                order.sort(&self.cluster, &mut queue);
                let mut keys = vec![Vec::new(); queue.len()];
                for (place, (asked, _)) in (0_i64..).zip(queue) {
                    if let Some(key) = keys.get_mut(asked) {
                        *key = KeyBuilder::new().ascending(place).build();
                    }
                }
                keys
            }
        };
        Ok(SortKeys { epoch: self.epochs.of(&self.cluster, &order.by), keys })
    }
}

/// Builds the key of a pod. It ends with the name, which orders pods whose keys would be equal.
fn key_with_name(key: KeyBuilder, pod: &PodInfo) -> Vec<u8> {
    key.flag(pod.name.kind == PodKind::Reservation).text(&pod.name.namespace).text(&pod.name.name).build()
}
