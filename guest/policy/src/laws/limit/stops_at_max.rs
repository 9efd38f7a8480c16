//! # What it demands
//!
//! For every resource of which the queue uses more than its maximum: `used - victims >= max`. Pods that are leaving already are not
//! used any more. A pod that is larger than what is left to give back stays.
//!
//! # Example
//!
//! A queue uses 9 cpu in pods of 2 cpu and one of 1, and its maximum is lowered to 4. Two pods of 2 and the one of 1 are evicted: it
//! uses 4. With pods of 3 only one is evicted, and the queue still uses 6.
//!
//! # Why
//!
//! Evicting more than is held over the maximum would take from the queue what is its due.
//!
//! # Source
//!
//! Upstream quota_preemptor.go, version 1.8 and later: <https://github.com/apache/yunikorn-core/blob/be3bb487/pkg/scheduler/objects/quota_preemptor.go>.
//!
//! # Options
//!
//! `resources.max` of the queue.

use crate::laws::{Denial, ExcessCheckFn, ExcessContext, Law, LawText, Sum, page};

/// The law.
pub const LAW: Law<ExcessCheckFn> = Law::excess_invariant(
    LawText {
        name: "stops-at-max",
        sentence: "no queue gives back more than it holds over its maximum",
        templates: &[("", "@queue `{queue}`<, {resource}: used {used}[ - victims {victims}] is less than @max {max}>")],
        file: page!("stops_at_max.rs"),
    },
    holds,
);

/// Checks whether the queue still uses at least its maximum without the victims.
fn holds(case: &ExcessContext<'_>) -> Result<(), Denial> {
    let Some(queue) = case.cluster.queue(case.queue) else { return Ok(()) };
    for (resource, _) in case.excess.iter() {
        if let Some(max) = queue.bounds.max.get(resource) {
            let left =
                Sum::of("used", case.used(case.queue, resource)).minus("victims", case.freed(case.queue, resource));
            left.at_least("max", max).map_err(Denial::amount("", case.queue, resource))?;
        }
    }
    Ok(())
}
