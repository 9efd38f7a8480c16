//! # What it demands
//!
//! Plans that evict pods of fewer jobs come first. A gang that loses its minimum is evicted whole. Of plans with as many jobs, the one that
//! loses less work comes first: for each normal pod the time since it was started times its largest share of the cluster. Then plans
//! with fewer pods come first. Of equal jobs, in a tree of queues, one in a queue closer to the
//! preemptor comes first; then one in the queue that is served last; then the job that is served last within its queue, by
//! priority and by whether it runs, not by age; then the job whose first victim is of lower priority or of higher index; then the
//! one that was evicted less often before; then the one whose first victim started later; last, the one whose first victim is younger.
//!
//! # Example
//!
//! Two cpu are needed. One job of 2 pods with 1 cpu each frees them, or two jobs with one pod each. The pods of the one job are
//! evicted.
//!
//! # Why
//!
//! A job that loses one pod of its gang stops as a whole, so the number of jobs counts most. Work that is lost has to be done again.
//!
//! # Source
//!
//! Seed *Elastic scheduling based on AI scenarios*, Main process, Reclaim: by job. Volcano: BuildVictimsPriorityQueue; issue
//! 4607. The work that is lost is our ruling (3.3h); upstream names no order there (issue 5998).
//!
//! # Options
//!
//! `priority` of the Queues, `priorityClassName` of the PodGroups.

use std::cmp::{Ordering, Reverse};

use super::{earlier_task_first, higher_queue_first, waiting_gang_first};
use crate::laws::{Law, LawText, VictimCompareFn, page};
use crate::model::{Cluster, PodInfo, QueueIx};

/// The law.
pub const LAW: Law<VictimCompareFn> = Law::comparator(
    LawText {
        name: "lesser-job-gives-first",
        sentence: "the fewest jobs are evicted, then those that lose the least work, then the fewest pods, then the least important of them",
        templates: &[],
        file: page!("lesser_job_gives_first.rs"),
    },
    compare,
);

/// Compares two pods, each the first victim of its job: which is evicted first for a preemptor of this queue.
fn compare(cluster: &Cluster, preemptor: Option<QueueIx>, a: &PodInfo, b: &PodInfo) -> Ordering {
    let near = |pod: &PodInfo| Reverse(shared_ancestors(cluster, preemptor, pod.queue));
    let standing = |pod: &PodInfo| {
        (waiting_gang_first::job_priority(cluster, pod), !waiting_gang_first::is_gang_running(cluster, pod))
    };
    let queues = || match (a.queue, b.queue) {
        (Some(a), Some(b)) if a != b => (higher_queue_first::LAW.function)(cluster, b, a),
        _ => Ordering::Equal,
    };
    // A pod that has not started counts as started now.
    let later_start = || {
        let started = |pod: &PodInfo| pod.times.started.unwrap_or(cluster.now());
        let evictions = |pod: &PodInfo| Reverse(pod.past_evictions);
        let named = |pod: &PodInfo| {
            (Reverse(pod.priority()), pod.attributes.task.index.unwrap_or(u32::MAX), evictions(pod), started(pod))
        };
        named(b).cmp(&named(a))
    };
    let tasks = || (earlier_task_first::LAW.function)(cluster, b, a);
    let ranks = near(a).cmp(&near(b)).then_with(queues).then_with(|| standing(a).cmp(&standing(b)));
    ranks.then_with(later_start).then_with(tasks)
}

/// Returns the number of queues that contain both queues. 0 where queues form no tree.
fn shared_ancestors(cluster: &Cluster, a: Option<QueueIx>, b: Option<QueueIx>) -> usize {
    if a.and_then(|queue| cluster.queue(queue)).is_none_or(|queue| queue.parent.is_none()) {
        return 0;
    }
    cluster.path(a).filter(|(ix, _)| cluster.path(b).any(|(other, _)| other == *ix)).count()
}
