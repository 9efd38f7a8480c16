//! # What it demands
//!
//! Two pods are ordered by the queue order. In the same queue they are ordered by the job order, in the same job by the task
//! order. Each of the three is a law of its own.
//!
//! # Example
//!
//! Queue `a` is served before queue `b`: every pending pod of `a` is tried before the first one of `b`.
//!
//! # Why
//!
//! It is the order in which upstream goes through its queues.
//!
//! # Source
//!
//! Volcano allocate.go: queue by queue, job by job.
//!
//! # Options
//!
//! None.

use std::cmp::Ordering;

use super::{earlier_task_first, higher_queue_first, waiting_gang_first};
use crate::laws::{Law, LawText, PodCompareFn, page};
use crate::model::{Cluster, PodInfo};

/// The law.
pub const LAW: Law<PodCompareFn> = Law::comparator(
    LawText {
        name: "queue-then-job-then-task",
        sentence: "pods stand in the order of their queues, then of their jobs, then of their tasks",
        templates: &[],
        file: page!("queue_then_job_then_task.rs"),
    },
    compare,
);

/// Compares two pending pods: which is tried first.
fn compare(cluster: &Cluster, a: &PodInfo, b: &PodInfo) -> Ordering {
    let queues = match (a.queue, b.queue) {
        (Some(a), Some(b)) => (higher_queue_first::LAW.function)(cluster, a, b),
        (a, b) => b.cmp(&a),
    };
    let jobs = || (waiting_gang_first::LAW.function)(cluster, a, b);
    queues.then_with(jobs).then_with(|| (earlier_task_first::LAW.function)(cluster, a, b))
}
