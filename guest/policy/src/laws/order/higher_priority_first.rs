//! # What it demands
//!
//! Higher priority comes first. At equal priority the pod that entered the queue earlier, then the older pod, then the name. The pods
//! of a PodGroup of Kubernetes stand together, where the oldest of them stands.
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
//! kube-scheduler plugins/queuesort, PrioritySort; a PodGroup is one entry of the queue.
//!
//! # Options
//!
//! `spec.priority` of the pods and of their PodGroup.

use crate::contract::KeyBuilder;
use crate::laws::{Law, SortBy, Text, page};
use crate::model::{Cluster, Job, Pod};

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
fn key(cluster: &Cluster, pod: &Pod) -> KeyBuilder {
    let group =
        pod.attributes.job.filter(|job| cluster.scheduling_group(*job).is_some()).and_then(|job| cluster.job(job));
    let (entered, created) = group.and_then(first).unwrap_or((pod.entered, pod.created));
    let key = KeyBuilder::new().descending(pod.priority()).ascending(entered).ascending(created).flag(group.is_some());
    let key = group.iter().fold(key, |key, group| key.text(&group.key.0).text(&group.key.1));
    key.ascending(pod.entered).ascending(pod.created)
}

/// When the first pod of a group entered, and when the first was created.
fn first(group: &Job) -> Option<(i64, i64)> {
    group.first_entered.zip(group.first_created)
}
