//! The rank of queues among their siblings: the priority of their pending pods, and the share of their guarantee in use.

use std::collections::BTreeMap;

use crate::model::{Cluster, Queue, QueueIx, QueueRank, ResourceIx};

/// Updates the rank of every queue.
pub fn update_queue_ranks(cluster: &mut Cluster) {
    let mut highest: BTreeMap<QueueIx, i64> = BTreeMap::new();
    for (queue, pod) in cluster.pods().filter_map(|(_, pod)| Some((pod.queue?, pod))) {
        if pod.is_schedulable() {
            raise(&mut highest, queue, i64::from(pod.priority()));
        }
    }
    // Children come after their parents: in reverse order, a queue is complete before its parent uses it.
    let queues: Vec<(QueueIx, Option<QueueIx>)> = cluster.queues().map(|(ix, queue)| (ix, queue.parent)).collect();
    for (ix, parent) in queues.iter().rev() {
        let Some(priority) = highest.get(ix).copied() else { continue };
        let policy = cluster.policy(*ix);
        let offset = i64::from(policy.priority_offset);
        let seen = if policy.priority_fenced { offset } else { priority.saturating_add(offset) };
        highest.insert(*ix, seen);
        if let Some(parent) = parent {
            raise(&mut highest, *parent, seen);
        }
    }
    let total = total(cluster);
    for (ix, _) in queues {
        let share = cluster.queue(ix).map_or((0, 1), |queue| share(queue, &total));
        cluster.set_queue_rank(ix, QueueRank { priority: highest.get(&ix).copied(), share });
    }
}

fn raise(highest: &mut BTreeMap<QueueIx, i64>, queue: QueueIx, priority: i64) {
    let entry = highest.entry(queue).or_insert(priority);
    *entry = priority.max(*entry);
}

/// Returns the allocatable amounts of all nodes together.
fn total(cluster: &Cluster) -> BTreeMap<ResourceIx, i64> {
    let mut total: BTreeMap<ResourceIx, i64> = BTreeMap::new();
    for (resource, amount) in cluster.nodes().flat_map(|(_, node)| node.allocatable.iter()) {
        let entry = total.entry(resource).or_default();
        *entry = entry.saturating_add(amount);
    }
    total
}

/// Returns the dominant share of a queue: usage over its guarantee, or over the whole cluster where it has no guarantee of a resource.
fn share(queue: &Queue, total: &BTreeMap<ResourceIx, i64>) -> (i64, i64) {
    let shares = total.iter().filter_map(|(resource, all)| {
        let used = queue.used.total(*resource).0;
        let whole = queue.bounds.guaranteed.get(*resource).map_or(*all, |guaranteed| guaranteed.0);
        (used > 0).then_some((used, whole.max(1)))
    });
    let product = |used: i64, whole: i64| i128::from(used).saturating_mul(i128::from(whole));
    shares.max_by(|(a, of_a), (b, of_b)| product(*a, *of_b).cmp(&product(*b, *of_a))).unwrap_or((0, 1))
}
