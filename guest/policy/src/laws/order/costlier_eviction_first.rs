//! # What it demands
//!
//! Of two candidates the one of higher priority is reprieved first. At equal priority one whose eviction would break its gang comes
//! before one whose eviction would not; then the one whose eviction stops more; then the one whose job was evicted more often before;
//! then the one that started earlier, then the older one, then the name. A pod that has not started counts as started now. Candidates that cannot be reprieved are the victims.
//!
//! # Example
//!
//! A node has three candidates of equal priority and size: a pod of a gang of two that runs with two pods, a pod of a gang of two that
//! runs with three, and a pod alone. One must be evicted. The pod of the first gang stays, because both its pods would stop.
//!
//! # Why
//!
//! A gang that loses a pod it needs stops as a whole.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator), PostFilter 5 and Key Concept 3; rulings C33 and C37, for coscheduling R29 and R30.
//!
//! # Options
//!
//! `spec.priority` of the pods, `spec.minMember` of the PodGroup.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;

use crate::laws::harm::{gang_loss, lost_size, started};
use crate::laws::{Law, LawText, PodCompareFn, page};
use crate::model::{Cluster, PodInfo, PodKind};

/// The law.
pub const LAW: Law<PodCompareFn> = Law::comparator(
    LawText {
        name: "costlier-eviction-first",
        sentence: "the more important candidate is reprieved first, then the one whose eviction stops more",
        templates: &[],
        file: page!("costlier_eviction_first.rs"),
    },
    compare,
);

/// Compares two candidates: the one that is reprieved first comes first.
fn compare(cluster: &Cluster, a: &PodInfo, b: &PodInfo) -> Ordering {
    let earlier = BTreeSet::new();
    let loss = |pod: &PodInfo| gang_loss(cluster, pod, &earlier);
    let is_pod = |pod: &PodInfo| pod.name.kind == PodKind::Pod;
    let is_as_large = || a.requirements.class == b.requirements.class || a.request() == b.request();
    let is_alike = || a.attributes.job == b.attributes.job && is_as_large() && is_pod(a) && is_pod(b);
    let by_loss = || match is_alike() {
        true => Ordering::Equal,
        false => loss(a).cmp(&loss(b)).then_with(|| lost_size(cluster, b).cmp(&lost_size(cluster, a))),
    };
    let rest = |pod: &PodInfo| (Reverse(pod.past_evictions), started(cluster, pod), pod.times.created, pod.rank);
    match b.priority().cmp(&a.priority()) {
        Ordering::Equal => by_loss().then_with(|| rest(a).cmp(&rest(b))),
        by_priority => by_priority,
    }
}
