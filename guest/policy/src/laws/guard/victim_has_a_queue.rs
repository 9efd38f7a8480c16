//! # What it demands
//!
//! The victim belongs to a known queue.
//!
//! # Example
//!
//! A pod of the default scheduler uses 2 cpu of a node. It is no victim; its room counts as used.
//!
//! # Why
//!
//! A policy evicts only pods that it is responsible for.
//!
//! # Source
//!
//! YuniKorn: handleForeignAllocation; foreign pods only reduce the room of a node.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-has-a-queue",
        sentence: "a victim is in a queue",
        templates: &[("", "the pod is in no queue: another scheduler placed it, or its queue is not known")],
        file: page!("victim_has_a_queue.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(_: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match candidate.queue {
        Some(_) => Ok(()),
        None => Err(Denial::Case("")),
    }
}
