//! # What it demands
//!
//! From the root downward, of two sibling queues: the one whose waiting pods rank higher, after its priority policy and offset;
//! then the one that uses the smaller part of its guarantee, in the resource of which it uses the most (of the whole cluster,
//! where nothing is guaranteed); then the name. Within a leaf: higher priority, the older application, the older pod. Pods
//! without a queue come last.
//!
//! # Example
//!
//! `root.a` uses 3 of 4 guaranteed cpu, `root.b` 2 of 8. At equal priority a pod of `root.b` is tried first.
//!
//! # Why
//!
//! Every queue gets its share before another gets more.
//!
//! # Source
//!
//! YuniKorn sorters.go; user guide, Sorting Policies.
//!
//! # Options
//!
//! `priority.offset`, `priority.policy` and `resources.guaranteed` of the queues.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Law, LawText, PodCompareFn, page};
use crate::model::{Cluster, PodInfo, Queue, QueueIx};

/// The law.
pub const LAW: Law<PodCompareFn> = Law::comparator(
    LawText {
        name: "fair-queues-first",
        sentence: "the pod of the more important or less served queue is tried first",
        templates: &[],
        file: page!("fair_queues_first.rs"),
    },
    compare,
);

/// Compares two pending pods: which is tried first.
fn compare(cluster: &Cluster, a: &PodInfo, b: &PodInfo) -> Ordering {
    let by_queue = match (a.queue, b.queue) {
        (Some(a), Some(b)) => queues(cluster, a, b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    };
    let key = |pod: &PodInfo| {
        let job = pod.attributes.job.and_then(|job| cluster.job(job));
        let since = job.and_then(|job| job.first_created).unwrap_or(pod.times.created);
        (Reverse(pod.priority()), since, job.map(|job| job.key.clone()), pod.times.created, pod.rank)
    };
    by_queue.then_with(|| key(a).cmp(&key(b)))
}

/// Compares two queues, at the point where their paths part: which is served first.
fn queues(cluster: &Cluster, a: QueueIx, b: QueueIx) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let common = cluster.common_ancestor(a, b);
    let side = |queue| cluster.path(Some(queue)).take_while(|(ix, _)| Some(*ix) != common).last();
    match (side(a), side(b)) {
        (Some(a), Some(b)) => siblings(cluster, a, b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

fn siblings(cluster: &Cluster, (a, first): (QueueIx, &Queue), (b, second): (QueueIx, &Queue)) -> Ordering {
    let (a, b) = (cluster.queue_rank(a), cluster.queue_rank(b));
    let ((a_used, a_whole), (b_used, b_whole)) = (a.share, b.share);
    let product = |used: i64, whole: i64| i128::from(used).saturating_mul(i128::from(whole));
    let by_share = product(a_used, b_whole).cmp(&product(b_used, a_whole));
    b.priority.cmp(&a.priority).then(by_share).then_with(|| first.name.cmp(&second.name))
}
