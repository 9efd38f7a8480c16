//! The books: what each queue may hold and what it holds; and where pods belong.

use std::collections::BTreeMap;

use crate::contract::*;
use crate::model::{self, JobIx, PodIx, Preemptibility, QueueIx, ResourceIx};
use crate::systems::QueueVocabulary;

use super::Engine;

impl Engine {
    /// Implements `account.queues`: returns every queue of the cluster, parents before their children, siblings by name.
    pub fn queues(&self) -> Result<Vec<QueueAccount>, PolicyError> {
        let terms = self.system.as_ref().ok_or(PolicyError::NotConfigured)?.vocabulary();
        let mut queues: Vec<(QueueIx, &model::Queue)> = self.cluster.queues().collect();
        // The path from the root: parents before children, siblings by name.
        queues.sort_by_cached_key(|(ix, _)| {
            let mut path: Vec<&str> = self.cluster.path(Some(*ix)).map(|(_, queue)| queue.name.as_str()).collect();
            path.reverse();
            path
        });
        Ok(queues.into_iter().map(|(ix, queue)| self.account(terms, ix, queue)).collect())
    }

    /// Implements `account.memberships`: returns the queue and the job of each of these pods, in their order.
    pub fn memberships(&self, pods: &[PodId]) -> Result<Vec<Membership>, PolicyError> {
        let system = self.system.as_ref().ok_or(PolicyError::NotConfigured)?;
        // The name of a job is computed once, not once for each of its pods.
        let mut named: BTreeMap<JobIx, Option<String>> = BTreeMap::new();
        let membership = |id: &PodId| {
            let pod = self.cluster.pod(PodIx(*id)).ok_or(PolicyError::UnknownPod(*id))?;
            let queue = pod.queue.and_then(|queue| self.cluster.queue(queue)).map(|queue| queue.name.clone());
            let mut name = |job| named.entry(job).or_insert_with(|| system.job_name(&self.cluster, job)).clone();
            Ok(Membership { queue, job: pod.attributes.job.and_then(&mut name) })
        };
        pods.iter().map(membership).collect()
    }

    fn account(&self, terms: QueueVocabulary, ix: QueueIx, queue: &model::Queue) -> QueueAccount {
        let model::Bounds { guaranteed, deserved, max } = &queue.bounds;
        let bounds = [
            Some(bound(terms.guaranteed, guaranteed)),
            Some(bound(terms.deserved, deserved)),
            Some(bound(terms.max, max)),
            queue.runtime_quota.as_ref().map(|share| bound("runtime", share)),
        ];
        let used = |resource| queue.used.total(resource).0;
        QueueAccount {
            kind: terms.queue.to_owned(),
            name: queue.name.clone(),
            parent: queue.parent.and_then(|parent| self.cluster.queue(parent)).map(|parent| parent.name.clone()),
            bounds: bounds.into_iter().flatten().filter(|bound| !bound.amounts.is_empty()).collect(),
            used: self.amounts(used),
            promised: self.amounts(|resource| {
                let of = |kind| self.cluster.nominated_request_below(ix, kind, resource, |_| true).0;
                Preemptibility::ALL.map(of).into_iter().fold(0, i64::saturating_add)
            }),
            pending: self.amounts(|resource| queue.requested.total(resource).0.saturating_sub(used(resource))),
        }
    }

    /// Returns the non-zero amounts, by resource.
    fn amounts(&self, of: impl Fn(ResourceIx) -> i64) -> Vec<Amount> {
        let all = (0u32..).take(self.cluster.resource_count());
        let amounts = all.map(|resource| Amount { resource, value: of(ResourceIx(resource)) });
        amounts.filter(|amount| amount.value != 0).collect()
    }
}

/// Converts a bound of the model into one of the contract.
fn bound<K: model::AmountKind>(name: &str, bound: &model::ResourceBound<K>) -> Bound {
    let amounts = bound.amounts().map(|(resource, value)| Amount { resource: resource.0, value }).collect();
    Bound { name: name.to_owned(), amounts }
}
