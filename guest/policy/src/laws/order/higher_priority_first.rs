//! Of two pending pods the one of higher priority is tried first; of equal ones, the one that has been waiting longer.
//!
//! kube-scheduler's PrioritySort: priority, then the time of entry into the queue. Pods that entered together are told apart by
//! their creation, then by name.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Law, Question};
use crate::model::{Cluster, Pod};

/// See the module.
pub const LAW: Law = Law {
    name: "higher-priority-first",
    question: Question::Order,
    sentence: "the pod of higher priority is tried first, of equal ones the one that has been waiting longer",
    file: include_str!("higher_priority_first.rs"),
};

/// Which of two pending pods is tried first.
pub fn compare(_: &Cluster, a: &Pod, b: &Pod) -> Ordering {
    let key = |pod: &Pod| (Reverse(pod.priority()), pod.entered, pod.created, pod.rank);
    key(a).cmp(&key(b))
}
