//! # What it demands
//!
//! For each resource the pod requests and the queue deserves: `normal used + requested <= deserved`. Elastic pods do not count. A
//! resource that the queue deserves nothing of is not bounded, whatever is guaranteed.
//!
//! # Example
//!
//! A queue deserves 4 cpu, and normal pods use 3. A normal pod of 2 waits; an elastic pod of 2 may use idle room.
//!
//! # Why
//!
//! Elastic pods are evicted when other queues need the room. Normal pods stay within what is due, so none of them ever has to be
//! reclaimed.
//!
//! # Source
//!
//! Seed *Elastic scheduling based on AI scenarios*, Proposal: normal tasks will not exceed Deserved.
//!
//! # Options
//!
//! `deserved` of the Queue; in force with `capacity.reclaim.mode: elastic`.

use crate::contract::ChangeKind;
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, Sum, page};
use crate::model::Preemptibility;

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "normal-pods-fit-deserved",
        sentence: "the normal pods of a queue use no more than it deserves",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: normal used {used} + requested {requested} is more than @deserved {deserved}> (queue resource quota insufficient)",
        )],
        file: page!("normal_pods_fit_deserved.rs"),
    },
    holds,
)
.retry_after(ChangeKind::ALL);

/// Checks whether the preemptor, if it is no elastic pod, fits into what its queue deserves.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some((ix, queue)) = case.cluster.path(case.preemptor.part.queue).next() else { return Ok(()) };
    if case.preemptor.part.preemptibility == Preemptibility::Preemptible {
        return Ok(());
    }
    for (resource, _) in case.preemptor.part.pending_request.iter() {
        let Some(bound) = queue.entitlement(resource).filter(|_| queue.bounds.deserved.get(resource).is_some()) else {
            continue;
        };
        let used = queue.used.of(Preemptibility::NonPreemptible, resource);
        let sum = Sum::of("used", used).plus("requested", case.request(resource));
        sum.at_most("deserved", bound).map_err(Denial::exceeds(ix, resource))?;
    }
    Ok(())
}
