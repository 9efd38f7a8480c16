//! # What it demands
//!
//! Take the queues below one parent, or without a parent all queues of the cluster. Each of them counts with what it uses or with its
//! guarantee, whichever is more, in each resource that one of the others is guaranteed. With the request, all of them together stay within
//! the real capability of the parent, or within the cluster. A queue that stays within its own guarantee always may. The same holds
//! for every ancestor of the queue.
//!
//! # Example
//!
//! A cluster has 8 cpu, and four queues are guaranteed 1 each. Two of them use 3 each, which leaves 2 for the guarantees of the other
//! two. A further pod of 1 is refused, although each of the two may use up to 5: the cluster less the guarantees of others.
//!
//! # Why
//!
//! A guarantee is kept free of all other queues together. If each of them is compared alone, several of them use up what is reserved.
//!
//! # Source
//!
//! Volcano, Queue: `guarantee` is reserved for the queue; issues 4995 and 4996, in which queues together take the guarantee of
//! another one.
//!
//! # Options
//!
//! `guarantee.resource` of the Queues.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, Sum, page};
use crate::model::{Cluster, Max, Queue, QueueIx, ResourceIx, Used};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "guarantees-are-left-free",
        sentence: "all queues together leave free what is guaranteed to each of them",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: used {used} + requested {requested} + used by or guaranteed to the queues beside it {others} is more than {capacity}> (queue resource quota insufficient)",
        )],
        file: page!("guarantees_are_left_free.rs"),
    },
    holds,
)
.retry_after(ChangeKind::ALL);

/// Checks that the siblings of each queue of the preemptor keep their guarantees with what the preemptor requests.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    for (ix, queue) in case.cluster.path(case.preemptor.part.queue) {
        for (resource, _) in case.preemptor.part.pending_request.iter() {
            let own = Sum::of("used", queue.used.total(resource)).plus("requested", case.request(resource));
            let within = |guaranteed| own.at_most("guaranteed", guaranteed).is_ok();
            if queue.bounds.guaranteed.get(resource).is_some_and(within) {
                continue;
            }
            let Some(others) = used_by_siblings(case.cluster, ix, queue, resource) else { continue };
            let all = own.plus("others", Used(others));
            let capacity = Max(capacity(case.cluster, queue.parent, resource));
            let denial = |parts| Denial::SiblingsOverBound { queue: ix, resource, parts };
            all.at_most("capacity", capacity).map_err(denial)?;
        }
    }
    Ok(())
}

/// Returns what the siblings of a queue use or are guaranteed, whichever is more. `None`: none of them has a guarantee of the resource.
fn used_by_siblings(cluster: &Cluster, own: QueueIx, queue: &Queue, resource: ResourceIx) -> Option<i64> {
    let guaranteed = |other: &Queue| other.bounds.guaranteed.get(resource).map_or(0, |guaranteed| guaranteed.0);
    let beside = || cluster.queues().filter(|(ix, other)| *ix != own && other.parent == queue.parent);
    beside().any(|(_, other)| guaranteed(other) > 0).then(|| {
        let taken = beside().map(|(_, other)| other.used.total(resource).0.max(guaranteed(other)));
        taken.fold(0, i64::saturating_add)
    })
}

/// Returns what the queues below a parent may use together. Without a parent, that is what all nodes have.
fn capacity(cluster: &Cluster, parent: Option<QueueIx>, resource: ResourceIx) -> i64 {
    match parent.and_then(|parent| cluster.queue(parent)) {
        Some(parent) => parent.effective_max().1.get(resource).map_or(i64::MAX, |max| max.0),
        None => cluster.allocatable(resource),
    }
}
