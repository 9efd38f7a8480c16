//! Of two jobs the one of higher priority comes first, then the one whose gang does not run yet.
//!
//! Then the older job, then the name. A pod without a job is a job of its own.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Law, Question};
use crate::model::{Cluster, Job, Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "waiting-gang-first",
    question: Question::Order,
    sentence: "the job of higher priority comes first, then the one whose gang does not run yet",
    file: include_str!("waiting_gang_first.rs"),
};

/// The priority of the job of a pod.
pub fn job_priority(cluster: &Cluster, pod: &Pod) -> i32 {
    let Some(job) = job(cluster, pod) else { return pod.priority() };
    job.pod_group.as_ref().map_or(0, |pod_group| pod_group.priority)
}

/// Whether the gang of a pod runs.
pub fn runs(cluster: &Cluster, pod: &Pod) -> bool {
    let Some(job) = job(cluster, pod) else { return pod.place.node().is_some() };
    let member: Option<PodIx> = job.members.first().copied();
    member.is_some_and(|member| cluster.shortage(member).is_over())
}

/// Which of the jobs of two pods comes first.
pub fn compare(cluster: &Cluster, a: &Pod, b: &Pod) -> Ordering {
    let standing = |pod: &Pod| (Reverse(job_priority(cluster, pod)), runs(cluster, pod));
    let birth = |pod: &Pod| {
        let job = job(cluster, pod);
        let created = job.and_then(|job| job.pod_group.as_ref()).map_or(pod.created, |pod_group| pod_group.created);
        let own = || (pod.name.namespace.clone(), pod.name.name.clone());
        (created, job.map_or_else(own, |job| job.key.clone()))
    };
    standing(a).cmp(&standing(b)).then_with(|| birth(a).cmp(&birth(b)))
}

fn job<'a>(cluster: &'a Cluster, pod: &Pod) -> Option<&'a Job> {
    pod.attributes.job.and_then(|job| cluster.job(job))
}
