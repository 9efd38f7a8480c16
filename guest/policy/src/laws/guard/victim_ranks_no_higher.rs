//! # What it demands
//!
//! The priority of the victim is not higher, after the queues have changed it. From the queue of the preemptor upward each queue
//! adds its offset to the priority of the preemptor, or sets it to the offset where its priority policy is `fence`. From the
//! lowest common ancestor down to the victim each queue takes its offset off again. A fence there compares its offset instead,
//! and then all pods below it count as no higher. The offset of the common ancestor counts for the preemptor. For a DaemonSet pod
//! with one node the bare priorities are compared.
//!
//! # Example
//!
//! The preemptor has priority 5 in a queue with offset 10: it counts as 15 for pods of sibling queues without an offset. A victim
//! of priority 15 may go, one of 16 may not.
//!
//! # Why
//!
//! Queues can make all of their pods more or less important than those of their siblings.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), law 6. Upstream: findEligiblePreemptionVictims in
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/queue.go>.
//!
//! # Options
//!
//! `priority.offset` and `priority.policy` of the queues.

use crate::laws::{Denial, Law, LawContext, LawText, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx, QueueIx, QueuePreemptionPolicy};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-ranks-no-higher",
        sentence: "a victim has lower or equal priority than the preemptor",
        templates: &[("", "priority {priority} counts as higher than {preemptor-priority} of the preemptor")],
        file: page!("victim_ranks_no_higher.rs"),
    },
    admits,
);

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let (priority, rank) = (i64::from(candidate.priority()), i64::from(case.preemptor.priority));
    let holds = match case
        .preemptor
        .part
        .queue
        .zip(candidate.queue)
        .filter(|_| case.preemptor.required_node_reservation.is_none())
    {
        Some((own, theirs)) => reaches(case, own, theirs, rank, priority),
        None => priority <= rank,
    };
    match holds {
        true => Ok(()),
        false => Err(Denial::Priority { victim: candidate.priority(), preemptor: case.preemptor.priority }),
    }
}

fn reaches(case: &LawContext<'_>, own: QueueIx, theirs: QueueIx, rank: i64, priority: i64) -> bool {
    let common = case.cluster.common_ancestor(own, theirs);
    let mut rank = rank;
    for (ix, _) in case.cluster.path(Some(own)) {
        let policy = case.cluster.policy(ix);
        let offset = i64::from(policy.priority_offset);
        rank = if policy.priority_fenced { offset } else { rank.saturating_add(offset) };
        if Some(ix) == common {
            break;
        }
    }
    let path = case.cluster.path(Some(theirs)).take_while(|(ix, _)| Some(*ix) != common);
    let mut down: Vec<QueuePreemptionPolicy> = path.map(|(ix, _)| case.cluster.policy(ix)).collect();
    down.reverse();
    let mut fenced = false;
    for policy in down {
        let offset = i64::from(policy.priority_offset);
        if !policy.priority_fenced {
            rank = rank.saturating_sub(offset);
        } else if offset > rank {
            return false;
        } else {
            fenced = true;
        }
    }
    fenced || priority <= rank
}
