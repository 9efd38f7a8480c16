//! Pods of a gang stand together in the queue, and a gang that failed goes behind those that did not.
//!
//! Higher priority first. Of equal priority, a pod stands at its time: a pod of no gang at its creation, a pod of a gang at the gang's
//! time, which is the last failure of the gang, or, before any, the creation of its first member. Gangs of the same time are told
//! apart by name, so that their pods do not interleave; within a gang the older pod is first.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Law, Question};
use crate::model::{Cluster, Pod};

/// See the module.
pub const LAW: Law = Law {
    name: "gang-members-together",
    question: Question::Order,
    sentence: "pods of a gang stand together in the queue, at the time of the gang's last failure",
    file: include_str!("gang_members_together.rs"),
};

/// Which of two pending pods is tried first.
pub fn compare(cluster: &Cluster, a: &Pod, b: &Pod) -> Ordering {
    let key = |pod: &Pod| {
        let job = pod.attributes.job.and_then(|job| cluster.job(job)).filter(|job| job.gang().is_some());
        let time = job.map_or(pod.created, |job| job.failed_at.or(job.first_created).unwrap_or(pod.created));
        (Reverse(pod.priority()), time, job.map(|job| job.key.clone()))
    };
    key(a).cmp(&key(b)).then_with(|| (a.created, a.rank).cmp(&(b.created, b.rank)))
}
