//! # What it demands
//!
//! The victim is of the class preemptible, and did not opt out with `disable-preemptible: "true"`.
//!
//! # Example
//!
//! A pod with the label `preemptible: "false"` and priority 0 stays when a pod of priority 9000 waits.
//!
//! # Why
//!
//! Non-preemptible pods pay for that with the guarantee of their quota. The same class decides how a pod counts against its
//! quota.
//!
//! # Source
//!
//! Seed 20240115 (Koordinator), Key Concept 1. Upstream: IsPodNonPreemptible in apis/extension,
//! <https://github.com/koordinator-sh/koordinator/blob/a7a1b76b/pkg/scheduler/plugins/elasticquota/preempt.go>.
//!
//! # Options
//!
//! `disableDefaultPreemptiable` decides about pods without the label `preemptible`.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx, Preemptibility};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-preemptible",
        sentence: "a victim is preemptible",
        templates: &[
            ("opted-out", "the pod opted out of preemption"),
            ("non-preemptible", "the pod is non-preemptible"),
        ],
        file: page!("victim_is_preemptible.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(_: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    match candidate.attributes {
        ref attributes if attributes.opted_out => Err(Denial::Case("opted-out")),
        ref attributes if attributes.preemptibility == Preemptibility::NonPreemptible => {
            Err(Denial::Case("non-preemptible"))
        }
        _ => Ok(()),
    }
}
