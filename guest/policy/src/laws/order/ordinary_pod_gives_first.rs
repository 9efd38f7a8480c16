//! # What it demands
//!
//! Of two pods of a queue over its maximum this one is evicted first: the one that is no originator, then the one that did not opt out,
//! then the one of whose resources more are over the maximum, then the one of lower priority, then the one created in a later hour, then
//! the smaller one, then the name.
//!
//! # Example
//!
//! A queue has a pod of priority 5 and a pod of priority 0 that opted out, and gives back one. The pod of priority 5 is evicted.
//!
//! # Why
//!
//! The other pods of an application often depend on its originator, and the wish not to be evicted is a strong suggestion.
//!
//! # Source
//!
//! Upstream preemption_utilities.go, SortAllocationsBasedOnAsk; yunikorn-site docs/design/quota_preemptor.md. Upstream had the protection inverted at first: YUNIKORN-3445.
//!
//! # Options
//!
//! `yunikorn.apache.org/allow-preemption` on the PriorityClass or the pod; `spec.priority`.

use std::cmp::{Ordering, Reverse};

use crate::laws::{ExcessContext, ExcessVictimCompareFn, Law, LawText, page};
use crate::model::{PodInfo, PodIx};

/// An hour in nanoseconds: pods that were created in the same hour are of the same age.
const HOUR: i64 = 3_600_000_000_000;

/// The law.
pub const LAW: Law<ExcessVictimCompareFn> = Law::comparator(
    LawText {
        name: "ordinary-pod-gives-first",
        sentence: "originators and pods that opted out are evicted last to bring their queue down to its maximum",
        templates: &[],
        file: page!("ordinary_pod_gives_first.rs"),
    },
    compare,
);

/// Compares two pods: which is evicted first.
fn compare(case: &ExcessContext<'_>, a: (PodIx, &PodInfo), b: (PodIx, &PodInfo)) -> Ordering {
    let protection = |(ix, pod): (PodIx, &PodInfo)| {
        let originator = pod.attributes.job.and_then(|job| case.cluster.originator(job));
        (originator == Some(ix), pod.attributes.opted_out)
    };
    let rest = |pod: &PodInfo| (pod.priority(), Reverse(pod.times.created.div_euclid(HOUR)));
    let by_class = protection(a).cmp(&protection(b));
    let by_fit = by_class.then_with(|| larger_fraction(matching(case, b.1), matching(case, a.1)));
    let by_rest = by_fit.then_with(|| rest(a.1).cmp(&rest(b.1)));
    by_rest.then_with(|| larger_fraction(size(case, a.1), size(case, b.1))).then_with(|| a.1.rank.cmp(&b.1.rank))
}

/// Returns the number of requested resources that are over the maximum, and the number of all requested resources.
fn matching(case: &ExcessContext<'_>, pod: &PodInfo) -> (i64, i64) {
    let held = pod.request().iter();
    held.fold((0, 0), |(matching, all): (i64, i64), (resource, _)| {
        (matching.saturating_add(i64::from(case.excess.get(resource) > 0)), all.saturating_add(1))
    })
}

/// Returns the largest share of the maximum that a pod uses of a resource over it, as a fraction.
fn size(case: &ExcessContext<'_>, pod: &PodInfo) -> (i64, i64) {
    let max = |resource| case.cluster.queue(case.queue).and_then(|queue| queue.bounds.max.get(resource));
    let shares =
        case.excess.iter().filter_map(|(resource, _)| Some((pod.request().get(resource), max(resource)?.0.max(1))));
    shares.max_by(|a, b| larger_fraction(*a, *b)).unwrap_or((0, 1))
}

/// Compares two fractions exactly.
fn larger_fraction((a, of_a): (i64, i64), (b, of_b): (i64, i64)) -> Ordering {
    let cross = |n: i64, d: i64| i128::from(n).saturating_mul(i128::from(d));
    cross(a, of_b).cmp(&cross(b, of_a))
}
