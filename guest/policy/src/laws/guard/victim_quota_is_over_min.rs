//! # What it demands
//!
//! A victim of another quota is taken while that quota uses more than its minimum of cpu, memory or ephemeral storage, or of another resource
//! that both the victim and the preemptor request. What pods request that are nominated before the preemptor counts as requested by it, and so
//! does a resource of which all quotas together use more than all minimums: it keeps every pod out. The least important pods are taken first, and
//! what was taken before is no longer used. Nor is what leaves the quota already, as far as none of it is promised to waiting pods of the quota.
//! The last victim may leave the quota below its minimum.
//!
//! For a pod the candidates of one node are counted, for a gang those of all nodes on which it may run.
//!
//! # Example
//!
//! A quota has min 4 cpu and uses 7, in pods of 2, 2 and 3 cpu of priorities 1, 2 and 3. The first two may be taken: 7 and then 5 are
//! more than 4. The third may not: 3 is not.
//!
//! Another quota has min 4 cpu and no GPUs, and uses 3 cpu and a GPU. It borrows the GPU. For a pod that requests cpu alone it gives nothing.
//!
//! # Why
//!
//! Only what was borrowed is taken back. A victim that is created again would borrow, so it cannot take its room back, and quotas do not evict
//! each other's pods in turn without end.
//!
//! # Source
//!
//! scheduler-plugins pkg/capacityscheduling: SelectVictimsOnNode, usedOverMin, which looks at any resource; ruling R71 of coscheduling.
//!
//! # Options
//!
//! `spec.min` of the ElasticQuotas.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page, quota};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-quota-is-over-min",
        sentence: "a victim of another quota is taken while that quota is over its minimum",
        templates: &[(
            "",
            "@queue `{queue}` is within its @guaranteed of what both pods need, without the pods that come before this one",
        )],
        file: page!("victim_quota_is_over_min.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let Some(theirs) = candidate.queue.filter(|theirs| Some(*theirs) != case.preemptor.part.queue) else {
        return Ok(());
    };
    let gone = |resource| case.freed_in_queue(theirs, resource).0.saturating_add(quota::leaves(case, theirs, resource));
    match quota::gives_up(case, (candidate, theirs), gone) {
        true => Ok(()),
        false => Err(Denial::Queue("", theirs)),
    }
}
