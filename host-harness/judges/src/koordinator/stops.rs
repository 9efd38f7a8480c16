//! Why the policy makes no plan for a pod, and why upstream makes none.

use std::collections::BTreeSet;

use serde_json::Value;

use super::BOUNDS;
use super::answer::{Amounts, QuotaAccount};
use super::books::TERMS;
use super::view::{KoordinatorSituation, gang, requests};
use crate::object::{is_nominated, name, text};

/// Returns whether a pod of the tried job may not preempt by its labels.
pub(super) fn may_not_preempt(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.cites("may-preempt") && it.pending_job(it.pod).into_iter().any(|pod| !it.triggers(pod))
}

/// Returns whether another gang of the group prevents the plan: its pods may not preempt, or its quota does not hold.
pub(super) fn another_gang_forbids(it: &KoordinatorSituation<'_>) -> bool {
    let others: Vec<_> = it.planned().into_iter().filter(|pod| gang(pod) != gang(it.pod)).collect();
    let may_not = it.policy.cites("may-preempt") && others.iter().any(|pod| !it.triggers(pod));
    // What is said of the quota of the pod itself comes first, where PreFilter refuses it.
    let own = usize::from(it.is_refused_by_quota());
    let is_bound = |law: &String| BOUNDS.iter().any(|bound| law.strip_prefix("koordinator/") == Some(bound));
    may_not || !others.is_empty() && it.policy.laws.iter().skip(own).any(is_bound)
}

/// Returns whether a gang of the group is not complete even with all planned pods at Permit, though none lacks pods.
pub(super) fn could_not_start(it: &KoordinatorSituation<'_>) -> bool {
    let planned = it.planned();
    let more = |of: &str| planned.iter().filter(|pod| gang(pod) == of).count();
    let gangs = it.gangs();
    it.policy.cites("gang-is-complete")
        && gangs.iter().any(|gang| !it.is_complete(gang, more(&gang.name)))
        && !gangs.iter().any(|gang| it.lacks_pods(gang))
}

/// Returns whether a non-preemptible job exceeds the min of its quota.
pub(super) fn is_over_min(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.cites("non-preemptible-job-fits-min") && it.is_non_preemptible(it.pod) && !it.admits(&TERMS, &[])
}

/// Returns whether a preemptible job exceeds what is left of its quota.
pub(super) fn is_over_max(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.cites("preemptible-job-leaves-min") && !it.is_non_preemptible(it.pod) && !it.admits(&TERMS, &[])
}

/// Returns whether the pod is nominated, and its room is held at Permit.
pub(super) fn is_blocked_at_permit(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.cites("its-room-is-not-held-at-permit")
        && it.planned().into_iter().any(|pod| {
            is_nominated(pod) && it.question.waiting.values().any(|node| node == text(pod, "/status/nominatedNodeName"))
        })
}

/// Returns whether the policy plans for several pods.
pub(super) fn plans_for_several(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.nominated.len() > 1
}

/// Returns whether a victim of the policy is of another quota than the pod, or on a node that the plan does not use. One on such a node has to go for
/// a quota: it is of the quota of a planned pod, or of one above that is checked, too, or of one that lends to it.
pub(super) fn takes_others(it: &KoordinatorSituation<'_>) -> bool {
    let is_used = |victim: &Value| it.policy.nominated.values().any(|node| node == text(victim, "/spec/nodeName"));
    let planned = it.planned();
    let counts_above = it.is_on("enableCheckParentQuota");
    let quotas = planned.iter().chain([&it.pod]).flat_map(|pod| {
        let chain = it.quotas(pod).into_iter().enumerate();
        chain.filter(|(above, _)| *above == 0 || counts_above).map(|(_, quota)| quota)
    });
    let quotas: BTreeSet<&str> = quotas.collect();
    let gives = |victim: &'_ &Value| {
        quotas.iter().any(|quota| it.quotas(victim).contains(quota)) || planned.iter().any(|pod| it.lends(victim, pod))
    };
    let victims = it.all(&it.policy.victims);
    let (used, unused): (Vec<&Value>, Vec<&Value>) = victims.into_iter().partition(|victim| is_used(victim));
    let others = used.into_iter().filter(|victim| it.quota(victim) != it.quota(it.pod)).count();
    let are_bound = unused.iter().all(|victim| !text(victim, "/spec/nodeName").is_empty());
    (others > 0 || !unused.is_empty()) && are_bound && unused.iter().all(gives)
}

impl KoordinatorSituation<'_> {
    /// Returns whether a pod gives room in a quota above to a job that stays within the min of its own quota: the quota of the pod uses more than its
    /// own min of a resource that the pod requests (ruling C34).
    fn lends(&self, victim: &Value, to: &Value) -> bool {
        let (Some(own), Some(lender)) = self.account_of(to).zip(self.account_of(victim)).unzip() else { return false };
        let of = |list: &Amounts, resource: &String| list.get(resource).copied().unwrap_or(0);
        let requested = requests(self.pending_job(to));
        let is_within =
            !own.min.is_empty() && own.min.iter().all(|(name, min)| of(&own.used, name) + of(&requested, name) <= *min);
        let given = requests([victim]);
        let borrows = |name: &String| of(&given, name) > 0 && of(&lender.used, name) > of(&lender.min, name);
        self.is_on("enableCheckParentQuota") && is_within && own.min.keys().any(borrows)
    }

    /// Returns the account of the quota of a pod.
    fn account_of(&self, pod: &Value) -> Option<&QuotaAccount> {
        let named = self.pods().find(|other| name(other) == name(pod))?;
        self.answer.quotas.get(self.quota(named))
    }
}

/// Returns whether the policy evicts no pod: the pods that leave make the room.
pub(super) fn waits_for_what_leaves(it: &KoordinatorSituation<'_>) -> bool {
    it.policy.victims.is_empty() && it.leaving().next().is_some()
}

/// Returns whether the search of upstream ends in an error.
pub(super) fn ends_in_an_error(it: &KoordinatorSituation<'_>) -> bool {
    let error = it.answer.failed.as_deref().unwrap_or_default();
    error.contains("expected at least one victim pod") || error.contains("no corresponding pod")
}
