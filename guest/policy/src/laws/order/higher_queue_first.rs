//! # What it demands
//!
//! Higher priority comes first. The share of a queue is the largest part that it uses of any resource it deserves; without a
//! deserved amount it is 1. The smaller share comes first. At equal shares a queue that deserves something comes first, then the
//! older queue, then the name.
//!
//! # Example
//!
//! Queue `a` uses 2 of 4 cpu, queue `b` 3 of 4. At equal priority `a` is served first.
//!
//! # Why
//!
//! Every queue gets what it deserves before another gets more.
//!
//! # Source
//!
//! Volcano capacity plugin, QueueOrderFn:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/plugins/capacity/capacity.go>.
//!
//! # Options
//!
//! `priority` and `deserved` of the Queue.

use std::cmp::Ordering;

use crate::laws::{Law, LawText, QueueCompareFn, page};
use crate::model::{Cluster, Queue, QueueIx};

/// The law.
pub const LAW: Law<QueueCompareFn> = Law::comparator(
    LawText {
        name: "higher-queue-first",
        sentence: "the queue of higher priority comes first, then the one that uses less of its share",
        templates: &[],
        file: page!("higher_queue_first.rs"),
    },
    compare,
);

/// Compares two queues: which comes first.
fn compare(cluster: &Cluster, a: QueueIx, b: QueueIx) -> Ordering {
    let spec = |ix: QueueIx| cluster.queue_spec(ix).map_or((0, 0), |spec| (spec.priority, spec.created));
    let ((a_priority, a_created), (b_priority, b_created)) = (spec(a), spec(b));
    let (Some(a), Some(b)) = (cluster.queue(a), cluster.queue(b)) else { return a.cmp(&b) };
    let deserves = |queue: &Queue| queue.entitlements().next().is_some();
    let by_share = || share(a).cmp(&share(b));
    let by_birth = || (a_created, &a.name).cmp(&(b_created, &b.name));
    b_priority.cmp(&a_priority).then_with(by_share).then_with(|| deserves(b).cmp(&deserves(a))).then_with(by_birth)
}

/// A fraction, which is compared exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ShareFraction(i64, i64);

impl Ord for ShareFraction {
    fn cmp(&self, other: &ShareFraction) -> Ordering {
        let cross = |a: i64, b: i64| i128::from(a).saturating_mul(i128::from(b));
        cross(self.0, other.1).cmp(&cross(other.0, self.1))
    }
}

impl PartialOrd for ShareFraction {
    fn partial_cmp(&self, other: &ShareFraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn share(queue: &Queue) -> ShareFraction {
    let parts =
        queue.entitlements().map(|(resource, entitlement)| match (queue.used.total(resource).0, entitlement.0) {
            (0, 0) => ShareFraction(0, 1),
            (_, 0) => ShareFraction(1, 1),
            (used, entitlement) => ShareFraction(used, entitlement),
        });
    parts.max().unwrap_or(ShareFraction(1, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_compared_exactly() {
        assert!(ShareFraction(3, 4) > ShareFraction(7, 10));
        assert!(ShareFraction(i64::MAX, i64::MAX).cmp(&ShareFraction(1, 1)).is_eq());
        assert!(ShareFraction(i64::MAX - 1, i64::MAX) < ShareFraction(1, 1));
    }
}
