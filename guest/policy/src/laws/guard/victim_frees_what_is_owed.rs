//! # What it demands
//!
//! A pod of another queue is evicted only for resources that its node lacks for the preemptor. The queue of the preemptor, or an ancestor
//! that counts for it, deserves one of them with all pods of the gang, and none of them is beyond what they deserve. A resource
//! without a deserved amount is neither owed nor beyond. Where the node lacks nothing but places for pods, all that the preemptor requests counts. With
//! the pod alone on the node again, a resource that is owed would be short.
//!
//! # Example
//!
//! A queue deserves 4 cpu and 2 GPUs and uses 6 cpu. A pod of it requests 1 cpu and 1 GPU. On a node without a free GPU and with free cpu it
//! may evict for the GPU. On a node without free cpu it evicts nothing.
//!
//! A queue deserves 2 GPUs and has no amount of cpu. A pod of it lacks a GPU and cpu. It may evict pods that hold both, and no pod that holds
//! cpu alone.
//!
//! # Why
//!
//! A queue that takes a short resource beyond what it deserves can be reclaimed from in turn, without end.
//!
//! # Source
//!
//! Our rulings (2.5b and 2.5c). Volcano: issues 561, 4947 and 4949, in which queues evict each other without end; kueue issue 7393: a
//! queue that has borrowed cpu gets its own GPUs.
//!
//! # Options
//!
//! `deserved` of the Queue; `ancestorReclaimLevel` of the capacity plugin.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-frees-what-is-owed",
        sentence: "a pod of another queue is reclaimed only for short resources that the preemptor's queue deserves",
        templates: &[("", "its node is short of a resource that the preemptor's queue does not deserve")],
        file: page!("victim_frees_what_is_owed.rs"),
    },
    admits,
);

/// Checks that the claim of the preemptor covers the resources that are short on the node of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let covered = || case.short_resources.is_none_or(|short| case.preemptor.entitlement.covers(short));
    match candidate.queue == case.preemptor.part.queue || covered() {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
