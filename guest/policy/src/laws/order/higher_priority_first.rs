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

use crate::contract::KeyBuilder;
use crate::laws::{Law, SortBy, Text, page};
use crate::model::{Cluster, Pod};

/// The law.
pub const LAW: Law<SortBy> = Law::order(
    Text {
        name: "higher-priority-first",
        sentence: "the pod of higher priority is tried first, then the one that has waited longer",
        templates: &[],
        file: page!("higher_priority_first.rs"),
    },
    SortBy { key, of_job: |_| None },
);

/// The place of a pending pod.
fn key(_: &Cluster, pod: &Pod) -> KeyBuilder {
    KeyBuilder::new().descending(pod.priority()).ascending(pod.entered).ascending(pod.created)
}
