//! A victim is of a queue that is over its guarantee.
//!
//! Judged for each resource the preemptor asks for, by the nearest queue that guarantees some of it, from the victim's up to, and
//! without, the lowest one that is above the preemptor, too: that queue uses more than it is guaranteed. Where there is none, whatever
//! that side uses is over its guarantee if the preemptor's side has one. Where neither has one, the queues they share are asked: the
//! nearest that guarantees the resource must use more than that, else siblings that share one guarantee would take from each
//! other for ever. A resource that nobody guarantees is over with any use, unless a shared guarantee speaks against it.
//! One resource that is over is enough.
//!
//! A pod of a DaemonSet is owed its node, whatever that takes.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Pod, PodIx, QueueIx, ResourceIx};

/// See the module.
pub const LAW: Law = Law {
    name: "victim-queue-is-over-guarantee",
    question: Question::Guard,
    sentence: "a victim is of a queue that is over its guarantee",
    file: include_str!("victim_queue_is_over_guarantee.rs"),
};

/// What a resource says of the side of the victim.
enum Judgement {
    /// It is over what itself is guaranteed, or what the other side alone is.
    Over,
    /// It is within its guarantee.
    Within,
    /// It is within the guarantee that both sides share.
    WithinShared,
    /// Nobody guarantees the resource, and it uses some.
    Unguaranteed,
}

/// Whether the candidate may make way as far as this law goes.
pub fn admits(case: &Case<'_>, _: PodIx, candidate: &Pod) -> Result<(), Denial> {
    let Some((own, theirs)) =
        case.preemptor.queue.zip(candidate.queue).filter(|_| case.preemptor.required_node_reservation.is_none())
    else {
        return Ok(());
    };
    let (mut over, mut shared, mut unguaranteed) = (false, false, false);
    for (resource, _) in case.unplaced.iter() {
        match judge(case, own, theirs, resource) {
            Judgement::Over => over = true,
            Judgement::Within => {}
            Judgement::WithinShared => shared = true,
            Judgement::Unguaranteed => unguaranteed = true,
        }
    }
    if over || unguaranteed && !shared {
        return Ok(());
    }
    let within = case.unplaced.iter().find_map(|(resource, _)| {
        let (queue, guarantor, guaranteed) = case.cluster.guarantor(Some(theirs), resource)?;
        let (parts, bound) = (vec![("used", guarantor.used.total(resource))], ("guaranteed", guaranteed));
        Some(Denial::Amount { queue, resource, parts, relation: "is no more than", bound })
    });
    Err(within.unwrap_or(Denial::Fact("its queue uses nothing of what the preemptor asks for")))
}

fn judge(case: &Case<'_>, own: QueueIx, theirs: QueueIx, resource: ResourceIx) -> Judgement {
    let cluster = case.cluster;
    let common = cluster.common_ancestor(own, theirs);
    let is_shared = |ix: QueueIx| common.is_none_or(|common| cluster.is_below(Some(common), ix));
    // The side of the victim as a whole: the queue just below the shared ones.
    let side = cluster.path(Some(theirs)).take_while(|(ix, _)| Some(*ix) != common).last();
    let uses = side.is_some_and(|(_, queue)| queue.used.total(resource) > 0);
    match (cluster.guarantor(Some(own), resource), cluster.guarantor(Some(theirs), resource)) {
        (_, Some((ix, queue, guaranteed))) if !is_shared(ix) => match queue.used.total(resource) > guaranteed {
            true => Judgement::Over,
            false => Judgement::Within,
        },
        (Some((ix, ..)), _) if !is_shared(ix) => {
            if uses {
                Judgement::Over
            } else {
                Judgement::Within
            }
        }
        (_, Some((_, queue, guaranteed))) => match queue.used.total(resource) > guaranteed {
            true => Judgement::Over,
            false => Judgement::WithinShared,
        },
        _ => {
            if uses {
                Judgement::Unguaranteed
            } else {
                Judgement::Within
            }
        }
    }
}
