//! Within a job the pod of higher priority comes first, then the one of lower index.
//!
//! Then the older pod, then the name. Who comes last is the first to make way.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Law, Question};
use crate::model::{Cluster, Pod};

/// See the module.
pub const LAW: Law = Law {
    name: "earlier-task-first",
    question: Question::Order,
    sentence: "within a job the pod of higher priority comes first, then the one of lower index",
    file: include_str!("earlier_task_first.rs"),
};

/// Which of two pods of a job comes first.
pub fn compare(_: &Cluster, a: &Pod, b: &Pod) -> Ordering {
    let key =
        |pod: &Pod| (Reverse(pod.priority()), pod.attributes.task.index.unwrap_or(u32::MAX), pod.created, pod.rank);
    key(a).cmp(&key(b))
}
