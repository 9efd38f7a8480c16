//! # What it demands
//!
//! A pod that is evicted to bring its queue down to its maximum belongs to no DaemonSet and may run on more than one node.
//!
//! # Example
//!
//! A log collector of priority 0 runs in a queue over its maximum. It stays, and a pod of priority 1000 is evicted.
//!
//! # Why
//!
//! A node without its daemon serves no pod well, and the pod would be created again for the same node.
//!
//! # Source
//!
//! Upstream quota_preemptor.go, version 1.8 and later: <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/quota_preemptor.go>.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, ExcessContext, ExcessVictimFilterFn, Law, LawText, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<ExcessVictimFilterFn> = Law::excess_victim_filter(
    LawText {
        name: "giver-is-of-no-daemon-set",
        sentence: "a pod of a DaemonSet is not evicted to bring its queue down to its maximum",
        templates: &[("", "the pod belongs to a DaemonSet, or may run on one node only")],
        file: page!("giver_is_of_no_daemon_set.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the pod.
fn admits(_: &ExcessContext<'_>, _: PodIx, pod: &PodInfo) -> Result<(), Denial> {
    match pod.controller.is_daemon_set || pod.requirements.required_node.is_some() {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}
