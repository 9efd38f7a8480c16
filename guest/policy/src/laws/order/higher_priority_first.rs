//! # What it demands
//!
//! Higher priority comes first. At equal priority the pod that entered the queue earlier, then the older pod, then the name.
//!
//! # Example
//!
//! Pods of priority 10, 5 and 10 enter in this order: the first, the third, then the second is tried.
//!
//! # Why
//!
//! This is the order of kube-scheduler.
//!
//! # Source
//!
//! kube-scheduler plugins/queuesort, PrioritySort.
//!
//! # Options
//!
//! `spec.priority` of the pods.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Compare, Law, Text, page};
use crate::model::{Cluster, Pod};

/// The law.
pub const LAW: Law<Compare> = Law::order(
    Text {
        name: "higher-priority-first",
        sentence: "the pod of higher priority is tried first, then the one that has waited longer",
        templates: &[],
        file: page!("higher_priority_first.rs"),
    },
    compare,
);

/// Which of two pending pods is tried first.
fn compare(_: &Cluster, a: &Pod, b: &Pod) -> Ordering {
    let key = |pod: &Pod| (Reverse(pod.priority()), pod.entered, pod.created, pod.rank);
    key(a).cmp(&key(b))
}
