//! # What it demands
//!
//! At least the cooldown time of the pod has passed since it was placed. At exactly the end it may be evicted. A pod without a
//! cooldown time has that of its job. A pod without a time of placement is not protected.
//!
//! # Example
//!
//! A pod has a cooldown time of 10m and was placed 4m ago. It may be evicted in 6m.
//!
//! # Why
//!
//! A pod should do some work before it is stopped.
//!
//! # Source
//!
//! Seed *Elastic scheduling based on AI scenarios*, API design: cooldown-time. Volcano: the cdp plugin.
//!
//! # Options
//!
//! Label or annotation `volcano.sh/cooldown-time` of the pod, else annotation of its PodGroup or Job.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-past-its-cooldown",
        sentence: "a victim has run for its cooldown time",
        templates: &[("", "the cooldown time of the pod is not over")],
        file: page!("victim_is_past_its_cooldown.rs"),
    },
    admits,
)
.depends_on_pod_identity();

/// Checks that the cooldown time of the candidate, or of its job, is over.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let of_job = || {
        let cooldown = case.cluster.pod_group(candidate.attributes.job?)?.cooldown?;
        Some(candidate.times.scheduled?.saturating_add(cooldown))
    };
    match candidate.protected_until().or_else(of_job) {
        Some(until) if case.cluster.now() < until => Err(Denial::NotBefore(until)),
        _ => Ok(()),
    }
}
