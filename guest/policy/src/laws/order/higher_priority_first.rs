//! # What it demands
//!
//! Higher priority comes first. At equal priority the pod that entered the queue earlier, then the older pod, then the name. The pods
//! of a gang stand together, where the oldest of them stands; so do the pods of a gang group.
//!
//! # Example
//!
//! Pods of priority 10, 5 and 10 enter in this order: the first, the third, then the second is tried.
//!
//! # Why
//!
//! This is the order of kube-scheduler. If other pods of the same priority were tried between the members of a gang that cannot start,
//! they would find its room held at every turn, and the gang would give it up behind them.
//!
//! # Source
//!
//! kube-scheduler plugins/queuesort, PrioritySort; a PodGroup is one entry of the queue. Koordinator queues one pod of a gang group,
//! and takes the others after it: coscheduling, NextPod.
//!
//! # Options
//!
//! `spec.priority` of the pods and of their PodGroup.

use crate::contract::KeyBuilder;
use crate::laws::{Law, LawText, QueueSortKey, page};
use crate::model::{Cluster, PodInfo};

/// The law.
pub const LAW: Law<QueueSortKey> = Law::comparator(
    LawText {
        name: "higher-priority-first",
        sentence: "the pod of higher priority is tried first, then the one that has waited longer",
        templates: &[],
        file: page!("higher_priority_first.rs"),
    },
    QueueSortKey {
        key_start: |_, _| KeyBuilder::new(),
        key_before_job: before,
        key_of_job: job,
        key_after_job: after,
        job_values: |_| [None; 2],
    },
);

/// Adds the priority of a pod: the more important ones come first.
fn before(pod: &PodInfo, key: KeyBuilder) -> KeyBuilder {
    key.descending(pod.priority())
}

/// Adds the position of the first pod of the gang group, and the name of its gang.
fn job(cluster: &Cluster, pod: &PodInfo, key: KeyBuilder) -> KeyBuilder {
    let gang = pod.attributes.job.and_then(|job| cluster.first_of_gang_group(job));
    let (entered, created) =
        gang.as_ref().map_or((pod.times.entered, pod.times.created), |(entered, created, _)| (*entered, *created));
    let key = key.ascending(entered).ascending(created).flag(gang.is_some());
    gang.iter().fold(key, |key, (_, _, (namespace, name))| key.text(namespace).text(name))
}

/// Adds where the pod itself stands.
fn after(pod: &PodInfo, key: KeyBuilder) -> KeyBuilder {
    key.ascending(pod.times.entered).ascending(pod.times.created)
}
