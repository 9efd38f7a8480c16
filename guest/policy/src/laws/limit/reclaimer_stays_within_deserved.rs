//! # What it demands
//!
//! The pods of the gang are counted in one by one, beside all pods of the queue. For each of them one requested resource stays
//! within the deserved amount.
//!
//! # Example
//!
//! A queue deserves 4 cpu and uses 2. A gang of two pods with 1 each may reclaim: 2 + 1 + 1 is not more than 4. A gang of two
//! pods with 2 each may not.
//!
//! # Why
//!
//! A queue takes back what is its own and no more. A queue that deserves nothing lives on idle room. Its own elastic pods may
//! still be evicted: that takes nothing from other queues.
//!
//! # Source
//!
//! Volcano capacity plugin, PreemptiveFn:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/plugins/capacity/capacity.go>.
//!
//! # Options
//!
//! `deserved` of the Queue.

use crate::laws::{Case, Denial, Holds, Law, Sum, Text, page};
use crate::model::{Requested, ResourceIx};

/// The law.
pub const LAW: Law<Holds> = Law::limit(
    Text {
        name: "reclaimer-stays-within-deserved",
        sentence: "with what it reclaims, a queue uses no more than it deserves of a requested resource",
        templates: &[
            (
                "",
                "@queue `{queue}`<, {resource}: used {used} + requested {requested} is more than @deserved {deserved}>",
            ),
            ("nothing", "the pod requests nothing"),
        ],
        file: page!("reclaimer_stays_within_deserved.rs"),
    },
    holds,
);

/// Whether each pod of the preemptor, all of them holding their nodes, finds its queue within its due in some resource.
fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Some((ix, queue)) = case.cluster.path(case.preemptor.queue).next() else { return Ok(()) };
    let mut later = case.preemptor.unplaced.clone();
    for pod in case.preemptor.pods.iter().filter_map(|ix| case.cluster.pod(*ix)) {
        let fits = |(resource, amount): (ResourceIx, i64)| {
            let beyond = later.get(resource).saturating_sub(amount);
            let asked = Requested(case.unplaced.get(resource).saturating_sub(beyond));
            let sum = Sum::of("used", queue.used.total(resource)).plus("requested", asked);
            sum.at_most("deserved", queue.entitlement(resource).unwrap_or_default())
                .map_err(Denial::exceeds(ix, resource))
        };
        if !pod.request.iter().any(|part| fits(part).is_ok()) {
            let shown = pod.request.iter().min_by_key(|(resource, _)| queue.entitlement(*resource).is_none());
            shown.map_or(Err(Denial::Case("nothing")), fits)?;
        }
        later.subtract(&pod.request);
    }
    Ok(())
}
