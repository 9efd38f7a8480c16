//! # What it demands
//!
//! A pod that takes its quota over its minimum evicts pods of its own quota only. A pod that stays within the minimum evicts pods of
//! other quotas only. A pod of a namespace without a quota evicts pods of such namespaces only.
//!
//! # Example
//!
//! A quota has min 4 cpu and uses 2. A pod of 2 takes back what other quotas have borrowed: it evicts their pods, of any priority.
//! A pod of 3 would borrow itself: it may evict pods of lower priority in its own quota.
//!
//! # Why
//!
//! The minimum is what a quota gets back from others. What it uses beyond is borrowed, and no pod of another quota is evicted for that.
//!
//! # Source
//!
//! scheduler-plugins pkg/capacityscheduling: SelectVictimsOnNode.
//!
//! # Options
//!
//! `spec.min` of the ElasticQuota of the namespace.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-is-of-the-quota-that-gives",
        sentence: "a pod within the minimum of its quota preempts in other quotas, any other pod in its own",
        templates: &[
            ("none", "one of the two pods has a @queue and the other one does not"),
            ("other", "the pod is of another @queue, and the preemptor exceeds the @guaranteed of its own"),
            (
                "own",
                "the pod is of the same @queue, and the preemptor is within the @guaranteed of it: others have borrowed",
            ),
        ],
        file: page!("victim_is_of_the_quota_that_gives.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let own = case.preemptor.part.queue;
    match (own == candidate.queue, case.preemptor.is_within_min) {
        _ if own.is_some() != candidate.queue.is_some() => Err(Denial::Case("none")),
        (true, false) | (false, true) => Ok(()),
        (false, false) => Err(Denial::Case("other")),
        (true, true) => Err(Denial::Case("own")),
    }
}
