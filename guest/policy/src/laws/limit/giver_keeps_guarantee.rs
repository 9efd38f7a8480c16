//! # What it demands
//!
//! For the queue of each victim and every queue above it, and every guaranteed resource that the victims hold there:
//! `used - victims >= guaranteed`. Pods that are leaving already are not used any more.
//!
//! # Example
//!
//! The maximum of a parent is lowered to 6 cpu. Its child `a` uses 4 of a guarantee of 4, its child `b` uses 6 without a guarantee.
//! All 4 cpu that are given back come from `b`.
//!
//! # Why
//!
//! A queue that falls below its guarantee would preempt in turn.
//!
//! # Source
//!
//! Upstream quota_preemptor.go and yunikorn-site docs/design/quota_preemptor.md (guaranteed resources); as in law 2, the guarantee holds with the victims gone.
//!
//! # Options
//!
//! `resources.guaranteed` of the queues.

use crate::laws::{Denial, ExcessCheckFn, ExcessContext, Law, LawText, Sum, page};

/// The law.
pub const LAW: Law<ExcessCheckFn> = Law::excess_invariant(
    LawText {
        name: "giver-keeps-guarantee",
        sentence: "no queue that gives back falls below its guarantee",
        templates: &[(
            "",
            "@queue `{queue}`<, {resource}: used {used}[ - victims {victims}] is less than @guaranteed {guaranteed}>",
        )],
        file: page!("giver_keeps_guarantee.rs"),
    },
    holds,
);

/// Checks whether the queue of the candidate, and every queue above it, keeps its guarantee without the victims.
fn holds(case: &ExcessContext<'_>) -> Result<(), Denial> {
    for (ix, queue) in case.cluster.path(Some(case.victim_queue)) {
        for (resource, guaranteed) in queue.bounds.guaranteed.iter() {
            let victims = case.freed(ix, resource);
            if victims.0 > 0 {
                let left = Sum::of("used", case.used(ix, resource)).minus("victims", victims);
                left.at_least("guaranteed", guaranteed).map_err(Denial::amount("", ix, resource))?;
            }
        }
    }
    Ok(())
}
