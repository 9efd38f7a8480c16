//! # What it demands
//!
//! Higher priority comes first, then the lower task index, then the older pod, then the name. The last one is evicted first.
//!
//! # Example
//!
//! Workers 0, 1 and 2 of a job have equal priority. Worker 0 is placed first, and worker 2 is evicted first.
//!
//! # Why
//!
//! Worker 0 often leads the others.
//!
//! # Source
//!
//! Volcano: TaskOrderFn.
//!
//! # Options
//!
//! `spec.priority`, `volcano.sh/task-priority` and `volcano.sh/task-index` of the pods.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Law, LawText, PodCompareFn, page};
use crate::model::{Cluster, PodInfo};

/// The law.
pub const LAW: Law<PodCompareFn> = Law::comparator(
    LawText {
        name: "earlier-task-first",
        sentence: "within a job the pod of higher priority comes first, then the one of lower index",
        templates: &[],
        file: page!("earlier_task_first.rs"),
    },
    compare,
);

/// Compares two pods of a job: which comes first.
fn compare(_: &Cluster, a: &PodInfo, b: &PodInfo) -> Ordering {
    let key = |pod: &PodInfo| {
        (Reverse(pod.priority()), pod.attributes.task.index.unwrap_or(u32::MAX), pod.times.created, pod.rank)
    };
    key(a).cmp(&key(b))
}
