//! # What it demands
//!
//! The gang has more pods on nodes than its minimum, and more of the role of the victim than it needs. Or the gang is below its
//! minimum already.
//!
//! # Example
//!
//! A gang with minimum 2 has 3 pods on nodes: one of them may go alone. The other two go together or not at all.
//!
//! # Why
//!
//! A gang below its minimum does no work, but still uses room. Below the minimum it has nothing to lose.
//!
//! # Source
//!
//! Volcano: the gang plugin; safe bundles in actions/utils/bundle.go.
//!
//! # Options
//!
//! `minMember` and `minTaskMember` of the PodGroup.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-above-gang-minimum",
        sentence: "a single pod is evicted only while its gang has more than it needs",
        templates: &[("", "the gang of the pod has no more than it needs")],
        file: page!("victim_is_above_gang_minimum.rs"),
    },
    admits,
)
.depends_on_pod_identity();

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, ix: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let cluster = case.cluster;
    let holders = || cluster.placed_members(ix).map(|(_, pod)| pod);
    let role = candidate.attributes.task.role;
    let need = cluster.roles(ix).iter().find(|(of, _)| Some(*of) == role).map_or(0, |(_, need)| *need);
    let (need, minimum) = (usize::try_from(need).unwrap_or(usize::MAX), cluster.minimum(ix));
    // Counting stops at one more than is needed: a large gang is checked for each of its pods.
    let all = holders().take(minimum.saturating_add(1)).count();
    let have = holders().filter(|pod| pod.attributes.task.role == role).take(need.saturating_add(1)).count();
    let spare = all > minimum && have > need;
    match spare || all < minimum {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}
