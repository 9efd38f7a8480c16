//! # What it demands
//!
//! All pods that the gang lacks are counted together with all pods of the queue. Of one requested resource the queue then uses no more than
//! it deserves. Any other requested resource may be beyond the deserved amount of the queue only while it is plentiful: the nodes that the
//! pods may use have enough of it free for the whole gang and for all that other queues lack of what they deserve. A resource without a
//! deserved amount is not looked at. With `ancestorReclaimLevel: N`, the deserved amounts of the N nearest ancestors count, too; those of
//! the root do not.
//!
//! # Example
//!
//! A queue deserves 4 cpu and uses 2. A gang of two pods with 1 each may reclaim: 2 + 1 + 1 is not more than 4. A gang of two
//! pods with 2 each may not.
//!
//! A queue deserves 4 cpu and 2 GPUs and uses 6 cpu. A pod of 1 cpu and 1 GPU may reclaim the GPU while cpu is free for all. If another
//! queue lacks 2 of its deserved cpu and 2 are free, the pod may not.
//!
//! A leaf deserves nothing. Its parent deserves 4 cpu, and all pods below use 2. With `ancestorReclaimLevel: 1` a pod of the leaf that
//! requests 2 may reclaim.
//!
//! # Why
//!
//! A queue takes back what is its own and no more. A queue that deserves nothing lives on idle room. Its own elastic pods may
//! still be evicted: that takes nothing from other queues.
//!
//! With these demands reclaim ends. A reclaim lowers what all queues together use beyond their deserved amounts of a short resource. It
//! raises that sum only for resources that are plentiful for all others. So no queue can claim the freed room again, neither the
//! queue of the victim nor a third one. The argument stands in `laws/claim.rs`.
//!
//! # Source
//!
//! Volcano capacity plugin, PreemptiveFn:
//! <https://github.com/volcano-sh/volcano/blob/ed72c7c8/pkg/scheduler/plugins/capacity/capacity.go>. There one resource within the deserved
//! amount is enough, whether or not it is short, and queues evict each other without end (issues 561, 4947, 4949). That the others
//! must be plentiful is our ruling (2.5b).
//!
//! # Options
//!
//! `deserved` of the Queue; `ancestorReclaimLevel` of the capacity plugin.

use crate::contract::ChangeKind;
use crate::laws::claim::{self, EntitlementStatus, GangEntitlement};
use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};
use crate::model::{AmountKind, ResourceIx};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "reclaimer-stays-within-deserved",
        sentence: "a queue reclaims within what it deserves; what it uses beyond that is plentiful",
        templates: &[
            (
                "",
                "@queue `{queue}`<, {resource}: used {used} + requested {requested} is more than @deserved {deserved}>",
            ),
            (
                "contested",
                "@queue `{queue}`<, {resource}: used {used} + requested {requested} is more than @deserved {deserved}>, and other queues need what is free",
            ),
            ("nothing", "the pod requests nothing"),
        ],
        file: page!("reclaimer_stays_within_deserved.rs"),
    },
    holds,
)
.retry_after(ChangeKind::ALL);

/// Checks that the queue of the preemptor, or an ancestor that counts for it, deserves what the gang requests, or that the rest is spare.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let (cluster, own, pods) = (case.cluster, case.preemptor.part.queue, &case.preemptor.pods);
    if own.is_none() {
        return Ok(());
    }
    let claim = GangEntitlement::of(cluster, own, pods);
    let is_owed = claim.statuses().any(|(_, standing)| matches!(standing, EntitlementStatus::Entitled(_)));
    let mut beyond = claim.statuses().filter(|(_, standing)| *standing == EntitlementStatus::ExceedsEntitlement);
    let contested = beyond.find(|(resource, _)| !claim::is_spare(cluster, own, pods, *resource));
    match (is_owed, contested) {
        (true, None) => Ok(()),
        (true, Some((resource, _))) => Err(denial(case, "contested", resource)),
        (false, contested) => {
            let has_amount =
                |(_, standing): &(ResourceIx, EntitlementStatus)| *standing == EntitlementStatus::ExceedsEntitlement;
            let first = contested.or_else(|| claim.statuses().find(has_amount)).or_else(|| claim.statuses().next());
            Err(first.map_or(Denial::Case("nothing"), |(resource, _)| denial(case, "", resource)))
        }
    }
}

/// Returns the denial with the amounts of the own queue.
fn denial(case: &LawContext<'_>, text: &'static str, resource: ResourceIx) -> Denial {
    let Some((ix, queue)) = case.cluster.path(case.preemptor.part.queue).next() else { return Denial::Case("nothing") };
    let asked = claim::pending_request(case.cluster, &case.preemptor.pods).get(resource);
    let (used, deserved) = (queue.used.total(resource), queue.entitlement(resource).unwrap_or_default());
    let parts = [("used", used.amount()), ("requested", asked), ("deserved", deserved.amount())];
    Denial::BoundViolated { case: text, queue: ix, resource, parts: parts.into() }
}
