//! # What it demands
//!
//! The victim belongs to no DaemonSet, whatever its priority. This holds for preemptors of other DaemonSets, too.
//!
//! # Example
//!
//! A log collector of priority 0 runs on every node. It stays when a pod of priority 1000 needs its room.
//!
//! # Why
//!
//! The pod would be created again on the same node, and take the room back.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), law 1; upstream required_node_preemptor.go.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-of-no-daemon-set",
        sentence: "a pod of a DaemonSet is not evicted",
        templates: &[("", "the pod belongs to a DaemonSet")],
        file: page!("victim_is_of_no_daemon_set.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(_: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match candidate.controller.is_daemon_set {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}
