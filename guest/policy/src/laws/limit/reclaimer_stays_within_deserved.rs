//! # What it demands
//!
//! The pods of the gang are counted in one by one, beside all pods of the queue. For each of them one requested resource stays
//! within the deserved amount of the queue. With `ancestorReclaimLevel: N`, it is enough that it stays within that of one of the N
//! nearest ancestors; the root does not count.
//!
//! # Example
//!
//! A queue deserves 4 cpu and uses 2. A gang of two pods with 1 each may reclaim: 2 + 1 + 1 is not more than 4. A gang of two
//! pods with 2 each may not.
//!
//! A leaf deserves nothing. Its parent deserves 4 cpu, and all pods below use 2. With `ancestorReclaimLevel: 1` a pod of the leaf that
//! requests 2 may reclaim.
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
//! `deserved` of the Queue; `ancestorReclaimLevel` of the capacity plugin.

use crate::laws::claim::{self, Short};
use crate::laws::{Case, Denial, Holds, Law, Text, page};
use crate::model::Meaning;

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

/// Whether each pod of the preemptor finds its queue, or an ancestor that it may claim through, within what it deserves.
fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let Err(Short { pod, asked }) = claim::level(case.cluster, case.preemptor.queue, &case.preemptor.pods) else {
        return Ok(());
    };
    let Some((ix, queue)) = case.cluster.path(case.preemptor.queue).next() else { return Ok(()) };
    let requested = case.cluster.pod(pod).into_iter().flat_map(|pod| pod.request.iter().map(|(resource, _)| resource));
    let resource = requested.min_by_key(|resource| queue.entitlement(*resource).is_none());
    Err(resource.map_or(Denial::Case("nothing"), |resource| {
        let (used, deserved) = (queue.used.total(resource), queue.entitlement(resource).unwrap_or_default());
        let parts = [("used", used.amount()), ("requested", asked.get(resource)), ("deserved", deserved.amount())];
        Denial::Exceeds { queue: ix, resource, parts: parts.into() }
    }))
}
