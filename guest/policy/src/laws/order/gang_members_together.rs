//! # What it demands
//!
//! Higher priority comes first. The pods of a gang stand together with the lowest priority among them. While a pod within the min of its
//! quota waits, a pod that would take another quota over its min comes behind: otherwise the pod within its min would evict it in the same cycle. Last come pods that would do so whatever becomes of the others
//! of their quota. At equal priority the gang comes first whose turn it is: some of its pods hold nodes at Permit, and others were not tried
//! yet. Then a pod without a gang stands at its creation. A pod of a gang stands at the last failure of the gang or, before any, at the
//! creation of its PodGroup; without one, of its first member. Gangs of the same time are ordered by name, and within a gang the more
//! important pod is first, then the older one.
//!
//! # Example
//!
//! Gang `g` failed at 60s. A single pod was created at 50s. The single pod is tried before all pods of `g`.
//!
//! # Why
//!
//! What is bound and evicted in one cycle should not have been bound. If the pods of two gangs alternated, both gangs would hold half of
//! what they need. A gang that failed goes behind those that did not. A gang may evict only what each of its planned pods may evict, so its rank is that of its least important pod.
//!
//! # Source
//!
//! Seed 20200116 (coscheduling), QueueSort 1 to 4; a gang whose pods differ in priority: reference R85. The creation of a PodGroup: scheduler-plugins, Less:
//! <https://github.com/kubernetes-sigs/scheduler-plugins/blob/903da7df/pkg/coscheduling/coscheduling.go>.
//!
//! # Options
//!
//! None.

use crate::contract::KeyBuilder;
use crate::laws::{Law, LawText, QueueSortKey, page};
use crate::model::{Borrowing, Cluster, Job, PodInfo};

/// The law.
pub const LAW: Law<QueueSortKey> = Law::comparator(
    LawText {
        name: "gang-members-together",
        sentence: "pods of a gang stand together in the queue, at the time of the last failure of the gang",
        templates: &[],
        file: page!("gang_members_together.rs"),
    },
    QueueSortKey {
        key_start: first,
        key_before_job: |_, key| key,
        key_of_job: job,
        key_after_job: |pod, key| key.descending(pod.priority()).ascending(pod.times.created),
        job_values: |job| [time(job), job.least_priority().map(i64::from)],
    },
);

/// Begins the key of a pending pod: pods that would borrow come last, then the more important pods and gangs come first.
fn first(cluster: &Cluster, pod: &PodInfo) -> KeyBuilder {
    let borrows = match cluster.borrows(pod) {
        None => 0,
        Some(Borrowing::AfterOthers) => 1,
        Some(Borrowing::Always) => 2,
    };
    let gang = pod.attributes.job.and_then(|job| cluster.job(job)).filter(|job| job.gang().is_some());
    let priority = gang.and_then(Job::least_priority).unwrap_or(pod.priority());
    KeyBuilder::new().ascending(borrows).descending(priority)
}

/// Adds the turn, the time and the name of the gang.
fn job(cluster: &Cluster, pod: &PodInfo, key: KeyBuilder) -> KeyBuilder {
    let gang = pod.attributes.job.and_then(|job| cluster.job(job)).filter(|job| job.gang().is_some());
    let time = gang.and_then(time).unwrap_or(pod.times.created);
    let waits_for_a_turn = cluster.turn().is_none_or(|turn| pod.attributes.job != Some(turn));
    let key = key.flag(waits_for_a_turn).ascending(time).flag(gang.is_some());
    gang.iter().fold(key, |key, gang| key.text(&gang.key.0).text(&gang.key.1))
}

/// Returns the time of a gang: that of its last failure, else of its PodGroup, else of its first pod. `None`: the job is no gang, or has no pod.
fn time(job: &Job) -> Option<i64> {
    job.gang().and_then(|_| job.failed_at.or(job.declared_at).or(job.first_created))
}
