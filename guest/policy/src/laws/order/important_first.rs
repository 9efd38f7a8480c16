//! # What it demands
//!
//! Of two candidates the one of higher priority is reprieved first. At equal priority pods that are evicted together come before a
//! pod that leaves alone, and the larger group comes first; then the one that started earlier, then the one whose job was evicted more
//! often before, then the older one, then the name. A
//! pod without a start time comes after all that have one, a group starts with its first pod. Candidates that cannot be reprieved are the
//! victims.
//!
//! # Example
//!
//! A node has candidates of priority 3 and 5, and room for the preemptor and one of them. The one of priority 5 stays, the one of
//! priority 3 is evicted.
//!
//! # Why
//!
//! The more important pod should stay. Koordinator calls this to assign back, kube-scheduler to reprieve.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator), PostFilter 5. kube-scheduler util, MoreImportantPod; framework/preemption, MoreImportantVictim.
//!
//! # Options
//!
//! `spec.priority` of the pods and of their PodGroup.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Law, LawText, PodCompareFn, page};
use crate::model::{Cluster, PodInfo};

/// The law.
pub const LAW: Law<PodCompareFn> = Law::comparator(
    LawText {
        name: "important-first",
        sentence: "the more important candidate is reprieved first",
        templates: &[],
        file: page!("important_first.rs"),
    },
    compare,
);

/// Compares two pods: which is reprieved first. A pod without a start time counts as starting now (GetPodStartTime), so after all others.
fn compare(cluster: &Cluster, a: &PodInfo, b: &PodInfo) -> Ordering {
    let started = |pod: &PodInfo| pod.times.started.unwrap_or(i64::MAX);
    let group = |pod: &PodInfo| {
        let together = cluster.disruption_group_of(pod).unwrap_or_default();
        let first = together.iter().filter_map(|ix| cluster.pod(*ix)).map(started).min();
        (Reverse(together.len()), first.unwrap_or_else(|| started(pod)))
    };
    let by_start = || match cluster.has_disruption_groups() {
        true => group(a).cmp(&group(b)),
        false => started(a).cmp(&started(b)),
    };
    let rest = |pod: &PodInfo| (Reverse(pod.past_evictions), pod.times.created, pod.rank);
    b.priority().cmp(&a.priority()).then_with(by_start).then_with(|| rest(a).cmp(&rest(b)))
}
