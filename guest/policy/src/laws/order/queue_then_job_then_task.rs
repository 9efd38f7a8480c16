//! Pods stand in the order of their queues, then of their jobs, then of their tasks.
//!
//! What each of the three orders says is its own law.

use std::cmp::Ordering;

use super::{earlier_task_first, higher_queue_first, waiting_gang_first};
use crate::laws::{Law, Question};
use crate::model::{Cluster, Pod};

/// See the module.
pub const LAW: Law = Law {
    name: "queue-then-job-then-task",
    question: Question::Order,
    sentence: "pods stand in the order of their queues, then of their jobs, then of their tasks",
    file: include_str!("queue_then_job_then_task.rs"),
};

/// Which of two pending pods is tried first.
pub fn compare(cluster: &Cluster, a: &Pod, b: &Pod) -> Ordering {
    let queues = match (a.queue, b.queue) {
        (Some(a), Some(b)) => higher_queue_first::compare(cluster, a, b),
        (a, b) => b.cmp(&a),
    };
    let jobs = || waiting_gang_first::compare(cluster, a, b);
    queues.then_with(jobs).then_with(|| earlier_task_first::compare(cluster, a, b))
}
