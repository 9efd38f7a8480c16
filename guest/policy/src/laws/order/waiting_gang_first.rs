//! # What it demands
//!
//! Higher priority of the job comes first. Then a job whose gang lacks pods, then the older job, then the name. A pod without a
//! job is a job of its own.
//!
//! # Example
//!
//! Two jobs have equal priority. One runs with its minimum and wants more pods, the other waits for its first ones: the waiting
//! job is served first.
//!
//! # Why
//!
//! A gang that runs can wait for more pods; one that does not run does no work.
//!
//! # Source
//!
//! Volcano: JobOrderFn of the priority and gang plugins.
//!
//! # Options
//!
//! `priorityClassName` of the PodGroup.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Law, LawText, PodCompareFn, page};
use crate::model::{Cluster, Job, PodInfo, PodIx};

/// The law.
pub const LAW: Law<PodCompareFn> = Law::comparator(
    LawText {
        name: "waiting-gang-first",
        sentence: "the job of higher priority comes first, then the one whose gang does not run yet",
        templates: &[],
        file: page!("waiting_gang_first.rs"),
    },
    compare,
);

/// Returns the priority of the job of a pod. A pod without a job has its own.
pub fn job_priority(cluster: &Cluster, pod: &PodInfo) -> i32 {
    let Some(job) = pod.attributes.job else { return pod.priority() };
    cluster.pod_group(job).map_or(0, |group| group.priority)
}

/// Checks whether the gang of a pod runs.
pub fn is_gang_running(cluster: &Cluster, pod: &PodInfo) -> bool {
    let Some(job) = job(cluster, pod) else { return pod.node().is_some() };
    let member: Option<PodIx> = job.members.first().copied();
    member.is_some_and(|member| cluster.shortage(member).is_empty())
}

/// Compares the jobs of two pods: which comes first.
fn compare(cluster: &Cluster, a: &PodInfo, b: &PodInfo) -> Ordering {
    let standing = |pod: &PodInfo| (Reverse(job_priority(cluster, pod)), is_gang_running(cluster, pod));
    standing(a).cmp(&standing(b)).then_with(|| birth(cluster, a).cmp(&birth(cluster, b)))
}

/// Returns when the job of a pod was created, and the name of the job. A pod without a job has its own.
fn birth<'a>(cluster: &'a Cluster, pod: &'a PodInfo) -> (i64, (&'a str, &'a str)) {
    let group = pod.attributes.job.and_then(|job| cluster.pod_group(job));
    let created = group.map_or(pod.times.created, |group| group.created);
    let own = || (&*pod.name.namespace, &*pod.name.name);
    (created, job(cluster, pod).map_or_else(own, |job| (&*job.key.0, &*job.key.1)))
}

fn job<'a>(cluster: &'a Cluster, pod: &PodInfo) -> Option<&'a Job> {
    pod.attributes.job.and_then(|job| cluster.job(job))
}
