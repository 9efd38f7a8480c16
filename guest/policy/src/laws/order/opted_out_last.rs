//! A pod that asked not to be preempted is taken last; the wish is a strong suggestion, not a guarantee.
//!
//! A group without such pods is preferred, on whichever node; of those, a group without originators, the pods the rest of their application
//! depends on. Only where no other group does is one with them taken. For a pod of a DaemonSet originators
//! are spared before pods that opted out.

use crate::laws::{Case, Law, Question};
use crate::model::{Pod, PodIx};

/// See the module.
pub const LAW: Law = Law {
    name: "opted-out-last",
    question: Question::Order,
    sentence: "a pod that opted out of preemption goes only where no other does",
    file: include_str!("opted_out_last.rs"),
};

/// The reasons to spare a pod, one bit each, the weightier one higher.
pub fn reasons(case: &Case<'_>, ix: PodIx, pod: &Pod) -> u8 {
    let job = pod.attributes.job.and_then(|job| case.cluster.job(job));
    let originator = u8::from(job.is_some_and(|job| job.originator == Some(ix)));
    let opted_out = u8::from(pod.attributes.opted_out);
    match case.preemptor.required_node_reservation {
        None => opted_out << 1 | originator,
        Some(_) => originator << 1 | opted_out,
    }
}
