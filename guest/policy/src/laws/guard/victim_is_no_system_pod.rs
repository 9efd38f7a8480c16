//! # What it demands
//!
//! The victim is not in the namespace `kube-system` and not of the priority class `system-cluster-critical` or
//! `system-node-critical`.
//!
//! # Example
//!
//! A DNS pod in `kube-system` has priority 0. It stays, even for a gang of priority 1000.
//!
//! # Why
//!
//! Without these pods the cluster does not work.
//!
//! # Source
//!
//! Volcano: the conformance plugin.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-no-system-pod",
        sentence: "pods of the cluster itself are not evicted",
        templates: &[("", "the pod belongs to the cluster itself")],
        file: page!("victim_is_no_system_pod.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(_: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match candidate.attributes.task.critical {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}
