//! Since when queues have used more than their maximum.
//!
//! The time starts when that is first seen: when the configuration lowers a maximum, turns quota preemption on or gives a queue a
//! delay, or with the first load. It ends when the queue is within its maximum. A maximum that is lowered again after the delay has
//! ended starts it anew; before, the first time stays, as upstream has it (queue.go; docs/design/quota_preemptor.md).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Cluster, QueueIx};

/// A queue over its maximum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverMaxQueue {
    /// The time since which it is over its maximum, in nanoseconds since 1970.
    since: i64,
    /// The maximum when it was last read, by the names of resources.
    max: BTreeMap<String, i64>,
    /// The delay after which the queue gives back what it uses over its maximum, in nanoseconds. `None`: it does not give back.
    delay: Option<i64>,
}

/// The queues over their maxima, by path.
#[derive(Debug, Default)]
pub struct OverMaxQueues(BTreeMap<String, OverMaxQueue>);

impl OverMaxQueues {
    /// Records which queues use more than their maximum now.
    pub fn update(&mut self, cluster: &mut Cluster) {
        // Most clusters have no queue with a delay.
        let has_delay = |(ix, _): (QueueIx, _)| cluster.policy(ix).quota_delay > 0;
        if self.0.is_empty() && !cluster.queues().any(has_delay) {
            return;
        }
        let (mut now, mut since) = (BTreeMap::new(), Vec::new());
        for (ix, queue) in cluster.queues().filter(|(_, queue)| queue.over_max().next().is_some()) {
            let overage = self.0.remove(&queue.name).unwrap_or_else(|| OverMaxQueue::new(cluster, ix));
            let overage = overage.updated_to(OverMaxQueue::new(cluster, ix));
            since.push((ix, overage.since));
            now.insert(queue.name.clone(), overage);
        }
        self.0 = now;
        cluster.set_over_max_since(since);
    }

    /// Returns the queues over their maxima, for a checkpoint.
    pub fn checkpoint(&self) -> BTreeMap<String, OverMaxQueue> {
        self.0.clone()
    }

    /// Restores the queues of a checkpoint. A queue that is within its maximum now is forgotten with the next update.
    pub fn restore(&mut self, saved: BTreeMap<String, OverMaxQueue>) {
        self.0.extend(saved);
    }
}

impl OverMaxQueue {
    /// Creates the entry of a queue that is over its maximum for the first time.
    fn new(cluster: &Cluster, ix: QueueIx) -> OverMaxQueue {
        let policy = cluster.policy(ix);
        let max = cluster.queue(ix).map(|queue| queue.bounds.max.amounts());
        let named = |(resource, amount)| (cluster.resource_name(resource).to_owned(), amount);
        let delay = Some(policy.quota_delay).filter(|delay| policy.quota_preemption && *delay > 0);
        OverMaxQueue { since: cluster.now(), max: max.into_iter().flatten().map(named).collect(), delay }
    }

    /// Updates the entry with the present state of the queue. The time starts anew where the delay begins, or a maximum is lowered after the delay.
    fn updated_to(self, now: OverMaxQueue) -> OverMaxQueue {
        let is_lower = |(resource, max): (&String, &i64)| self.max.get(resource).is_none_or(|before| before > max);
        let is_over = self.delay.is_some_and(|delay| self.since.saturating_add(delay) <= now.since);
        let begins = match (self.delay, now.delay) {
            (None, Some(_)) => true,
            _ => is_over && now.max.iter().any(is_lower),
        };
        if begins { now } else { OverMaxQueue { since: self.since, ..now } }
    }
}
