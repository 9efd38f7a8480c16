//! A victim has lower or equal priority than the preemptor, as the queues between them let it count.
//!
//! From the preemptor's queue up, each queue adds its priority offset to the preemptor's priority, or puts the offset in its place where
//! its priority policy is `fence`. From the lowest queue above both down to the victim's, each queue takes its offset off again; one with
//! a fence compares its offset instead, and then all pods below it count as no higher. The offset of that lowest queue counts for the
//! preemptor, as upstream has it; those of queues above it count for neither.
//!
//! For a pod of a DaemonSet the bare priorities are compared: the queues have no say about its node.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx, Queue, QueueIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-ranks-no-higher",
    question: Question::Guard,
    sentence: "a victim has lower or equal priority than the preemptor",
    file: include_str!("victim_ranks_no_higher.rs"),
};

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let (priority, rank) = (i64::from(candidate.priority()), i64::from(case.preemptor.priority));
    let holds = match case
        .preemptor
        .queue
        .zip(candidate.queue)
        .filter(|_| case.preemptor.required_node_reservation.is_none())
    {
        Some((own, theirs)) => reaches(case, own, theirs, rank, priority),
        None => priority <= rank,
    };
    match holds {
        true => Ok(()),
        false => Err(Denial::Ranks { victim: candidate.priority(), preemptor: case.preemptor.priority }),
    }
}

fn reaches(case: &Case<'_>, own: QueueIx, theirs: QueueIx, rank: i64, priority: i64) -> bool {
    let common = case.cluster.common_ancestor(own, theirs);
    let mut rank = rank;
    for (ix, queue) in case.cluster.path(Some(own)) {
        let offset = i64::from(queue.policy.priority_offset);
        rank = if queue.policy.priority_fenced { offset } else { rank.saturating_add(offset) };
        if Some(ix) == common {
            break;
        }
    }
    let mut down: Vec<&Queue> =
        case.cluster.path(Some(theirs)).take_while(|(ix, _)| Some(*ix) != common).map(|(_, queue)| queue).collect();
    down.reverse();
    let mut fenced = false;
    for queue in down {
        let offset = i64::from(queue.policy.priority_offset);
        if !queue.policy.priority_fenced {
            rank = rank.saturating_sub(offset);
        } else if offset > rank {
            return false;
        } else {
            fenced = true;
        }
    }
    fenced || priority <= rank
}
