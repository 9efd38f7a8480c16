//! Of two queues that share one guarantee, the one whose pod makes others leave ends with no more than the one that gives.
//!
//! Asked where nothing else speaks for the preemptor: every queue that guarantees something it asks for is above the victim, too. Then, for
//! each resource that it asks for and that neither side is guaranteed below that shared queue, the leaf of the preemptor ends with no more
//! than the leaf of the victim: `used + promised + asked <= used - victims`.
//!
//! What is shared belongs to both. A leaf that took more than it leaves would be the giver of the next preemption, in which the
//! pods that come back take it again, and so for ever: one that evens out is never turned back. Where the preemptor's side has a guarantee of
//! its own the taking ends there by itself, and the other laws suffice; where the victim's side has one, it keeps that.
//!
//! A pod of a DaemonSet is owed its node, whatever that takes.

use crate::laws::{Case, Denial, Law, Question};
use crate::model::{Class, QueueIx, ResourceIx};

/// See the module.
pub const LAW: Law = Law {
    name: "taker-ends-no-larger-than-giver",
    question: Question::Limit,
    sentence: "of two queues that share one guarantee the taker ends with no more than the giver",
    file: include_str!("taker_ends_no_larger_than_giver.rs"),
};

/// Whether the asking pod takes no more than evens out when the group goes.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Some(own) = case.preemptor.queue.filter(|_| case.preemptor.required_node_reservation.is_none()) else {
        return Ok(());
    };
    let queues = case.group.iter().filter_map(|ix| case.cluster.pod(*ix)?.queue);
    for theirs in queues.filter(|theirs| *theirs != own) {
        let common = case.cluster.common_ancestor(own, theirs);
        let is_shared = |ix: QueueIx| common.is_some_and(|common| case.cluster.is_below(Some(common), ix));
        let guarantor = |leaf, resource| Some(case.cluster.guarantor(Some(leaf), resource)?.0);
        let judged = || case.unplaced.iter().filter_map(|(resource, n)| Some((resource, n, guarantor(own, resource)?)));
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
    case: &Case<'_>,
    (own, theirs): (QueueIx, QueueIx),
    resource: ResourceIx,
    asked: i64,
) -> Result<(), Denial> {
    let used = |ix: QueueIx| case.cluster.queue(ix).map_or(0, |queue| queue.used.total(resource));
    let promised = case.promised(own, Class::Preemptible, resource);
    let left = used(theirs).saturating_sub(case.given_up(theirs, resource));
    if crate::model::within(&[used(own), promised, asked], left) {
        return Ok(());
    }
    let parts = vec![("used", used(own)), ("+ promised", promised), ("+ asked", asked)];
    let bound = ("what the queue that gives is left with", left);
    Err(Denial::Amount { queue: own, resource, parts, relation: "is more than", bound })
}
