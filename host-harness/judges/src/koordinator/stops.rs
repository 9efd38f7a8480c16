//! Why the policy makes no plan for a pod, and why upstream makes none.

use super::BOUNDS;
use super::books::TERMS;
use super::view::{View, gang};
use crate::object::{is_nominated, text};

/// Returns whether a pod of the tried job may not preempt by its labels.
pub(super) fn may_not_preempt(it: &View<'_>) -> bool {
    it.policy.cites("may-preempt") && it.pending_job(it.pod).into_iter().any(|pod| !it.triggers(pod))
}

/// Returns whether another gang of the group stands in the way: its pods may not preempt, or its quota does not hold.
pub(super) fn another_gang_forbids(it: &View<'_>) -> bool {
    let others: Vec<_> = it.planned().into_iter().filter(|pod| gang(pod) != gang(it.pod)).collect();
    let may_not = it.policy.cites("may-preempt") && others.iter().any(|pod| !it.triggers(pod));
    // What is said of the quota of the pod itself comes first, where PreFilter refuses it.
    let own = usize::from(it.is_refused_by_quota());
    let is_bound = |law: &String| BOUNDS.iter().any(|bound| law.strip_prefix("koordinator/") == Some(bound));
    may_not || !others.is_empty() && it.policy.laws.iter().skip(own).any(is_bound)
}

/// Returns whether a gang of the group is not complete even with all planned pods at Permit, though none lacks pods.
pub(super) fn could_not_start(it: &View<'_>) -> bool {
    let planned = it.planned();
    let more = |of: &str| planned.iter().filter(|pod| gang(pod) == of).count();
    let gangs = it.gangs();
    it.policy.cites("gang-is-complete")
        && gangs.iter().any(|gang| !it.is_complete(gang, more(&gang.name)))
        && !gangs.iter().any(|gang| it.lacks_pods(gang))
}

/// Returns whether a non-preemptible job exceeds the min of its quota.
pub(super) fn is_over_min(it: &View<'_>) -> bool {
    it.policy.cites("non-preemptible-job-fits-min") && it.stays(it.pod) && !it.admits(&TERMS, &[])
}

/// Returns whether a preemptible job exceeds what is left of its quota.
pub(super) fn is_over_max(it: &View<'_>) -> bool {
    it.policy.cites("preemptible-job-leaves-min") && !it.stays(it.pod) && !it.admits(&TERMS, &[])
}

/// Returns whether the pod is nominated, and its room is held at Permit.
pub(super) fn is_held_up(it: &View<'_>) -> bool {
    it.policy.cites("its-room-is-not-held-at-permit")
        && it.planned().into_iter().any(|pod| {
            is_nominated(pod) && it.question.waiting.values().any(|node| node == text(pod, "/status/nominatedNodeName"))
        })
}

/// Returns whether the policy plans for several pods.
pub(super) fn plans_for_several(it: &View<'_>) -> bool {
    it.policy.nominated.len() > 1
}

/// Returns whether a victim of the policy is of another quota than the pod, or on a node that the plan does not use.
pub(super) fn takes_others(it: &View<'_>) -> bool {
    it.all(&it.policy.victims).into_iter().any(|victim| {
        let is_used = it.policy.nominated.values().any(|node| node == text(victim, "/spec/nodeName"));
        it.quota(victim) != it.quota(it.pod) || !is_used
    })
}

/// Returns whether the policy evicts no pod: the pods that leave make the room.
pub(super) fn waits_for_what_leaves(it: &View<'_>) -> bool {
    it.policy.victims.is_empty() && it.leaving().next().is_some()
}

/// Returns whether the search of upstream ends in an error.
pub(super) fn ends_in_an_error(it: &View<'_>) -> bool {
    let error = it.answer.failed.as_deref().unwrap_or_default();
    error.contains("expected at least one victim pod") || error.contains("no corresponding pod")
}
