//! # What it demands
//!
//! Asked where every queue that guarantees a requested resource is above the victim, too. For each such resource that neither
//! side is guaranteed below the shared queue: `used + promised + requested` of the queue of the preemptor is at most `used -
//! victims` of the queue of the victims.
//!
//! # Example
//!
//! `root.a` and `root.b` share a guarantee of 10 cpu; `a` uses 2 and `b` uses 8. A pod of 2 in `a` may evict a pod of 2 in `b`,
//! and they end with 4 and 6. The next pod of 2 may not: `a` would end with 6 and `b` with 4.
//!
//! # Why
//!
//! The shared guarantee belongs to both. A queue that took more than it leaves would give it back in the next preemption, without
//! end. A preemption that evens out is never reversed.
//!
//! # Source
//!
//! Seed 002 (YuniKorn preemption), The Laws of Preemption (no follow-up preemption) and Preemption Loop Prevention.
//!
//! # Options
//!
//! `resources.guaranteed` of the shared queue.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, Sum, page};
use crate::model::{Max, Preemptibility, QueueIx, Requested, ResourceIx, Used};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "taker-ends-no-larger-than-giver",
        sentence: "of two queues that share one guarantee, the taking queue ends with no more than the giving one",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: used {used}[ + promised {promised}] + requested {requested} is more than {left} that is left to the @queue of the victims>",
        )],
        file: page!("taker_ends_no_larger_than_giver.rs"),
    },
    holds,
);

/// Checks whether the queue of the preemptor ends with no more than each queue of the victims, where both share a guarantee.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some(own) = case.preemptor.part.queue else { return Ok(()) };
    let queues = case.victims.iter().filter_map(|ix| case.cluster.pod(*ix)?.queue);
    for theirs in queues.filter(|theirs| *theirs != own) {
        let common = case.cluster.common_ancestor(own, theirs);
        let is_shared = |ix: QueueIx| common.is_some_and(|common| case.cluster.is_below(Some(common), ix));
        let guarantor = |leaf, resource| Some(case.cluster.nearest_guaranteeing_queue(Some(leaf), resource)?.0);
        let judged = || {
            case.pending_request
                .iter()
                .filter_map(|(resource, n)| Some((resource, Requested(n), guarantor(own, resource)?)))
        };
        if judged().any(|(_, _, ix)| !is_shared(ix)) {
            continue;
        }
        for (resource, asked, ix) in judged() {
            if guarantor(theirs, resource) == Some(ix) {
                evens_out(case, (own, theirs), resource, asked)?;
            }
        }
    }
    Ok(())
}

fn evens_out(
    case: &LawContext<'_>,
    (own, theirs): (QueueIx, QueueIx),
    resource: ResourceIx,
    asked: Requested,
) -> Result<(), Denial> {
    let used = |ix: QueueIx| case.cluster.queue(ix).map_or(Used(0), |queue| queue.used.total(resource));
    // The own queue may use at most what is left to the other queue.
    let left = Max(used(theirs).0.saturating_sub(case.freed_in_queue(theirs, resource).0));
    let sum = Sum::of("used", used(own))
        .plus("promised", case.nominated_request(own, Preemptibility::Preemptible, resource))
        .plus("requested", asked);
    sum.at_most("left", left).map_err(Denial::amount("", own, resource))
}
