//! # What it demands
//!
//! A group of victims without pods that opted out is preferred, on any node; among those, a group without originators, the first
//! pods of their applications. For a DaemonSet pod with one node, originators are spared before pods that opted out.
//!
//! # Example
//!
//! On `n1` one pod that opted out would suffice, on `n2` three ordinary pods. The three pods on `n2` are evicted.
//!
//! # Why
//!
//! The wish not to be evicted is a strong suggestion, not a guarantee. The other pods of an application often depend on its
//! originator.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), law 1. The order for DaemonSets is that of upstream preemption_utilities.go, SortAllocations.
//!
//! # Options
//!
//! `yunikorn.apache.org/allow-preemption` on the PriorityClass or the pod.

use crate::laws::{Case, Law, Reluctance, Text, page};
use crate::model::{Pod, PodIx};

/// The law.
pub const LAW: Law<Reluctance> = Law::order(
    Text {
        name: "opted-out-last",
        sentence: "a pod that opted out of preemption is evicted only where no other suffices",
        templates: &[],
        file: page!("opted_out_last.rs"),
    },
    reasons,
);

/// The reasons to spare a pod, one bit each, the weightier one higher.
fn reasons(case: &Case<'_>, ix: PodIx, pod: &Pod) -> u8 {
    let originator = pod.attributes.job.and_then(|job| case.cluster.originator(job));
    let originator = u8::from(originator == Some(ix));
    let opted_out = u8::from(pod.attributes.opted_out);
    match case.preemptor.required_node_reservation {
        None => opted_out << 1 | originator,
        Some(_) => originator << 1 | opted_out,
    }
}
