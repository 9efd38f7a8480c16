//! # What it demands
//!
//! As few pods that opted out as possible are evicted, on whatever node; then as few originators as possible. An originator is
//! the first pod of its application. For a DaemonSet pod with one node, originators are counted before pods that opted out.
//!
//! # Example
//!
//! On `n1` one pod that opted out would suffice, on `n2` three ordinary pods. The three pods on `n2` are evicted. Where one pod that
//! opted out has to be evicted, a second one is evicted only if no ordinary pods make the rest of the room.
//!
//! # Why
//!
//! The wish not to be evicted is a strong suggestion, not a guarantee. The other pods of an application often depend on its
//! originator.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), law 1 (a last resort, if no other solution is available) and YuniKorn (preempting an originator
//! should be prevented as much as possible). The order for DaemonSets is that of upstream preemption_utilities.go, SortAllocations.
//!
//! # Options
//!
//! `yunikorn.apache.org/allow-preemption` on the PriorityClass or the pod.

use crate::laws::{EvictionPenaltyFn, Law, LawContext, LawText, WEIGHTY_REASON, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<EvictionPenaltyFn> = Law::comparator(
    LawText {
        name: "opted-out-last",
        sentence: "a pod that opted out of preemption is evicted only where no other suffices",
        templates: &[],
        file: page!("opted_out_last.rs"),
    },
    reasons,
);

/// Returns the sum of the reasons to spare a pod.
fn reasons(case: &LawContext<'_>, ix: PodIx, pod: &PodInfo) -> i64 {
    let originator = pod.attributes.job.and_then(|job| case.cluster.originator(job));
    let is_originator = originator == Some(ix);
    let (weighty, light) = match case.preemptor.required_node_reservation {
        None => (pod.attributes.opted_out, is_originator),
        Some(_) => (is_originator, pod.attributes.opted_out),
    };
    let weighty = if weighty { WEIGHTY_REASON } else { 0 };
    weighty.saturating_add(light.into())
}
