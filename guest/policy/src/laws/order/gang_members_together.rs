//! # What it demands
//!
//! Higher priority comes first. At equal priority a pod without a gang stands at its creation. A pod of a gang stands at the last
//! failure of the gang or, before any, at the creation of its PodGroup; without one, of its first member. Gangs of the same time
//! are ordered by name, and within a gang the older pod is first.
//!
//! # Example
//!
//! Gang `g` failed at 60s. A single pod was created at 50s. The single pod is tried before all pods of `g`.
//!
//! # Why
//!
//! If the pods of two gangs alternated, both gangs would hold half of what they need. A gang that failed goes behind those that
//! did not.
//!
//! # Source
//!
//! Seed 20200116 (coscheduling), QueueSort 1 to 4. The creation of a PodGroup: scheduler-plugins, Less:
//! <https://github.com/kubernetes-sigs/scheduler-plugins/blob/903da7df/pkg/coscheduling/coscheduling.go>.
//!
//! # Options
//!
//! None.

use std::cmp::{Ordering, Reverse};

use crate::laws::{Compare, Law, Text, page};
use crate::model::{Cluster, Job, Pod};

/// The law.
pub const LAW: Law<Compare> = Law::order(
    Text {
        name: "gang-members-together",
        sentence: "pods of a gang stand together in the queue, at the time of the last failure of the gang",
        templates: &[],
        file: page!("gang_members_together.rs"),
    },
    compare,
);

/// Which of two pending pods is tried first.
fn compare(cluster: &Cluster, a: &Pod, b: &Pod) -> Ordering {
    let key = |pod: &Pod| {
        let job = pod.attributes.job.and_then(|job| cluster.job(job)).filter(|job| job.gang().is_some());
        let declared = |job: &Job| job.pod_group.as_ref().map(|group| group.created).filter(|created| *created > 0);
        let first = |job: &Job| job.failed_at.or(declared(job)).or(job.first_created);
        let time = job.and_then(first).unwrap_or(pod.created);
        (Reverse(pod.priority()), time, job.map(|job| job.key.clone()))
    };
    key(a).cmp(&key(b)).then_with(|| (a.created, a.rank).cmp(&(b.created, b.rank)))
}
