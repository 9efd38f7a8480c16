//! # What it demands
//!
//! One resource that the preemptor requests is over. It is judged by the nearest queue that guarantees some of it, from the queue
//! of the victim up to the lowest common ancestor, which is not included: that queue uses more than its guarantee. If only the
//! side of the preemptor has a guarantee, any use is over. If neither side has one, the nearest shared queue that guarantees the
//! resource must use more than that. A resource without any guarantee is over with any use, unless a shared guarantee speaks
//! against it, or the side of the victim has guarantees and is within all of them: a queue that is within what it is guaranteed
//! gives no pod, not even one that holds none of it. Each pod requests one of `pods`, which few queues guarantee.
//!
//! # Example
//!
//! `root.a` is guaranteed 4 cpu and uses 6: its pods may be victims. `root.b` is guaranteed 4 and uses 4: its pods may not.
//!
//! # Why
//!
//! Pods above a guarantee run on lent room. Siblings that share one guarantee would otherwise take it from each other without
//! end.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), law 5. Upstream: GetPreemptableResource in
//! <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/preemption.go>.
//!
//! # Options
//!
//! `resources.guaranteed` of the queues.

use crate::laws::{Denial, Law, LawContext, LawText, Sum, VictimFilterFn, page};
use crate::model::{PodInfo, PodIx, Queue, QueueIx, ResourceIx};

/// The law.
pub const LAW: Law<VictimFilterFn> = Law::victim_filter(
    LawText {
        name: "victim-queue-is-over-guarantee",
        sentence: "a victim is in a queue that is over its guarantee",
        templates: &[
            ("within", "@queue `{queue}`<, {resource}: used {used} is not more than @guaranteed {guaranteed}>"),
            ("unused", "the queue of the pod uses none of the requested resources"),
        ],
        file: page!("victim_queue_is_over_guarantee.rs"),
    },
    admits,
);

/// The result for one resource on the side of the victim.
enum Judgement {
    /// The side is over its own guarantee, or over the guarantee of the other side alone.
    Over,
    /// The side is within its guarantee, or uses none of the resource.
    Within,
    /// The side is within the guarantee that both sides share.
    WithinShared,
    /// No queue guarantees the resource, and the side uses some.
    Unguaranteed,
}

/// Checks whether this law allows the eviction of the candidate.
fn admits(case: &LawContext<'_>, _: PodIx, candidate: &PodInfo) -> Result<(), Denial> {
    let Some((own, theirs)) = case.preemptor.part.queue.zip(candidate.queue) else { return Ok(()) };
    let (mut over, mut shared, mut unguaranteed) = (false, false, false);
    for (resource, _) in case.pending_request.iter() {
        match judge(case, own, theirs, resource) {
            Judgement::Over => over = true,
            Judgement::Within => {}
            Judgement::WithinShared => shared = true,
            Judgement::Unguaranteed => unguaranteed = true,
        }
    }
    if over || unguaranteed && !shared && !is_within_all(case, own, theirs) {
        return Ok(());
    }
    let requested = case.pending_request.iter().map(|(resource, _)| resource);
    let within = requested.chain(guaranteed(case, own, theirs)).find_map(|resource| {
        let (queue, guarantor, guaranteed) = case.cluster.nearest_guaranteeing_queue(Some(theirs), resource)?;
        let over = Sum::of("used", guarantor.used.total(resource)).more_than("guaranteed", guaranteed);
        over.map_err(Denial::amount("within", queue, resource)).err()
    });
    Err(within.unwrap_or(Denial::Case("unused")))
}

/// Returns the side of the victim: its queue and those above it, below the queues that are shared with the preemptor.
fn side<'a>(case: &'a LawContext<'_>, own: QueueIx, theirs: QueueIx) -> impl Iterator<Item = (QueueIx, &'a Queue)> {
    let common = case.cluster.common_ancestor(own, theirs);
    case.cluster.path(Some(theirs)).take_while(move |(ix, _)| Some(*ix) != common)
}

/// Returns the resources that the side of the victim guarantees, whatever the preemptor requests.
fn guaranteed(case: &LawContext<'_>, own: QueueIx, theirs: QueueIx) -> impl Iterator<Item = ResourceIx> {
    side(case, own, theirs).flat_map(|(_, queue)| queue.bounds.guaranteed.iter().map(|(resource, _)| resource))
}

/// Returns whether the side of the victim has guarantees and exceeds none of them.
fn is_within_all(case: &LawContext<'_>, own: QueueIx, theirs: QueueIx) -> bool {
    let is_within = |resource| {
        let nearest = case.cluster.nearest_guaranteeing_queue(Some(theirs), resource);
        nearest.is_some_and(|(_, queue, guaranteed)| queue.used.total(resource).0 <= guaranteed.0)
    };
    let mut resources = guaranteed(case, own, theirs).peekable();
    resources.peek().is_some() && resources.all(is_within)
}

fn judge(case: &LawContext<'_>, own: QueueIx, theirs: QueueIx, resource: ResourceIx) -> Judgement {
    let cluster = case.cluster;
    let common = cluster.common_ancestor(own, theirs);
    let is_shared = |ix: QueueIx| common.is_none_or(|common| cluster.is_below(Some(common), ix));
    // The side of the victim as a whole: the queue just below the shared ones.
    let uses = side(case, own, theirs).last().is_some_and(|(_, queue)| queue.used.total(resource).0 > 0);
    match (
        cluster.nearest_guaranteeing_queue(Some(own), resource),
        cluster.nearest_guaranteeing_queue(Some(theirs), resource),
    ) {
        (_, Some((ix, queue, guaranteed))) if !is_shared(ix) => match queue.used.total(resource).0 > guaranteed.0 {
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
        (_, Some((_, queue, guaranteed))) => match queue.used.total(resource).0 > guaranteed.0 {
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
