//! # What it demands
//!
//! A pod that holds a node at Permit is no victim while pods leave for its gang, if what is promised to the gang is closed to the
//! preemptor: the preemptor is of another quota, or a nominated pod of the gang is no less important, or takes back what the preemptor
//! would borrow. Pods leave for a gang as long as the pods of it that hold a node and those that are nominated reach its minimum.
//!
//! # Example
//!
//! Gang `g` of two pods would take its quota over its minimum. One pod holds a free node at Permit, and for the other one a less important pod
//! of the quota is leaving. A pod of another quota, within the minimum there, waits or evicts other pods.
//!
//! # Why
//!
//! What the gang holds in the meantime is part of its plan, as the node is that it was promised. Without one of them the gang does not
//! start, and pods have left for it in vain.
//!
//! # Source
//!
//! The sources are silent: scheduler-plugins pkg/capacityscheduling preempts pod by pod. Seed 20240115 (Koordinator), PostFilter 7: a plan is
//! carried out before the next one. References R36, R38 and R54.
//!
//! # Options
//!
//! None.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx, PodLocation};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-no-part-of-a-plan",
        sentence: "a victim holds no node at Permit that is part of a plan under way, whose room is closed to the preemptor",
        templates: &[("", "the pod holds its node at permit, and pods are leaving for its gang")],
        file: page!("victim_is_no_part_of_a_plan.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let Some(job) = candidate.attributes.job.filter(|_| matches!(candidate.state.location, PodLocation::Reserved(_)))
    else {
        return Ok(());
    };
    let preemptor = case.preemptor;
    let is_closed = |ix: &PodIx| preemptor.closed_nominations.contains(ix) || is_nominated_above(case, *ix);
    let members = case.cluster.job(job).map(|job| job.members.as_slice()).unwrap_or_default();
    let is_part_of_a_plan = case.cluster.has_plan_in_flight(job);
    match is_part_of_a_plan && (candidate.queue != preemptor.part.queue || members.iter().any(is_closed)) {
        true => Err(Denial::Case("")),
        false => Ok(()),
    }
}

/// Checks whether a pod is nominated, and no less important than the preemptor.
fn is_nominated_above(case: &LawContext<'_>, ix: PodIx) -> bool {
    let pod = case.cluster.pod(ix);
    pod.is_some_and(|pod| {
        pod.is_pending() && pod.state.nominated.is_some() && pod.priority() >= case.preemptor.priority
    })
}
