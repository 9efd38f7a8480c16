//! # What it demands
//!
//! The victim is not in the queue of the preemptor.
//!
//! # Example
//!
//! `root.a` is under its guarantee because its own pods hold the wrong nodes. A pod of `root.a` evicts none of them.
//!
//! # Why
//!
//! This preemption moves resources between queues. Within one queue it would only swap pods.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), Non Goals: no intra-queue preemption.
//!
//! # Options
//!
//! None.

use crate::laws::{Admits, Case, Denial, Law, Text, page};
use crate::model::{Pod, PodIx};

/// The law.
pub const LAW: Law<Admits> = Law::guard(
    Text {
        name: "victim-is-of-another-queue",
        sentence: "a victim is of another queue than the preemptor",
        templates: &[("", "the pod is of the same queue")],
        file: page!("victim_is_of_another_queue.rs"),
    },
    admits,
);

/// Whether this law allows the eviction of the candidate.
fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    match candidate.queue == case.preemptor.queue {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}
