//! The fewest jobs make way, then the fewest pods, then the least important of them.
//!
//! Of jobs that would do equally well, where queues form a tree, one in a queue closer to the preemptor's comes first; then one in the
//! queue that would be served last; then the one that would be served last within the queue, by priority and by whether it runs, not by age. Last,
//! the job whose first victim stands further behind: of lower priority, of higher index, younger.

use std::cmp::{Ordering, Reverse};

use super::{earlier_task_first, higher_queue_first, waiting_gang_first};
use crate::laws::{Law, Question};
use crate::model::{Cluster, Pod, QueueIx};

/// See the module.
pub const LAW: Law = Law {
    name: "lesser-job-gives-first",
    question: Question::Order,
    sentence: "the fewest jobs make way, then the fewest pods, then the least important of them",
    file: include_str!("lesser_job_gives_first.rs"),
};

/// Which of two pods, each the first victim of its job, makes way first for somebody of this queue.
pub fn compare(cluster: &Cluster, preemptor: Option<QueueIx>, a: &Pod, b: &Pod) -> Ordering {
    let near = |pod: &Pod| Reverse(shared_ancestors(cluster, preemptor, pod.queue));
    let standing =
        |pod: &Pod| (waiting_gang_first::job_priority(cluster, pod), !waiting_gang_first::runs(cluster, pod));
    let queues = || match (a.queue, b.queue) {
        (Some(a), Some(b)) if a != b => higher_queue_first::compare(cluster, b, a),
        _ => Ordering::Equal,
    };
    let tasks = || earlier_task_first::compare(cluster, b, a);
    near(a).cmp(&near(b)).then_with(queues).then_with(|| standing(a).cmp(&standing(b))).then_with(tasks)
}

/// How many queues are above both, or are both; none where queues form no tree.
fn shared_ancestors(cluster: &Cluster, a: Option<QueueIx>, b: Option<QueueIx>) -> usize {
    if a.and_then(|queue| cluster.queue(queue)).is_none_or(|queue| queue.parent.is_none()) {
        return 0;
    }
    cluster.path(a).filter(|(ix, _)| cluster.path(b).any(|(other, _)| other == *ix)).count()
}
