//! The cluster's own pods make way for nobody.
//!
//! Those of the namespace `kube-system`, and those of the priority classes `system-cluster-critical` and `system-node-critical`,
//! whatever the priority of their job.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-is-no-system-pod",
    question: Question::Guard,
    sentence: "the cluster's own pods make way for nobody",
    file: include_str!("victim_is_no_system_pod.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(_: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match candidate.attributes.task.critical {
        true => Err(Denial::Fact("it is one of the cluster's own pods")),
        false => Ok(()),
    }
}
