//! What is wrong with a plan of upstream by the laws of the policy, and why upstream lacks a plan of the policy.

use std::collections::BTreeMap;

use serde_json::Value;

use super::answer::UpstreamPlan;
use super::books::{QuotaTerm, TERMS};
use super::view::{KoordinatorSituation, gang, has_opted_out, priority, requests};
use crate::object::{is_terminating, text};

impl<'s> KoordinatorSituation<'s> {
    /// Returns the pods of a list of names.
    pub(super) fn all(&self, names: &[String]) -> Vec<&'s Value> {
        names.iter().filter_map(|name| self.named(name)).collect()
    }
}

/// Returns whether a victim has no class, and an argument makes it non-preemptible.
pub(super) fn takes_unlabelled(it: &KoordinatorSituation<'_>, _: &str, plan: &UpstreamPlan) -> bool {
    it.all(&plan.victims).into_iter().any(|victim| it.is_non_preemptible(victim))
}

/// Returns whether a victim opted out of preemption.
pub(super) fn takes_opted_out(it: &KoordinatorSituation<'_>, _: &str, plan: &UpstreamPlan) -> bool {
    it.all(&plan.victims).into_iter().any(has_opted_out)
}

/// Returns whether a victim waits at Permit.
pub(super) fn evicts_waiting_pod(it: &KoordinatorSituation<'_>, _: &str, plan: &UpstreamPlan) -> bool {
    it.all(&plan.victims).into_iter().any(|victim| it.waits(victim))
}

/// Returns whether a victim leaves already.
pub(super) fn takes_leaving(it: &KoordinatorSituation<'_>, _: &str, plan: &UpstreamPlan) -> bool {
    it.all(&plan.victims).into_iter().any(is_terminating)
}

/// Returns whether a victim is of the gang group, or not below each pod that is planned.
pub(super) fn takes_from_the_group(it: &KoordinatorSituation<'_>, _: &str, plan: &UpstreamPlan) -> bool {
    let group = it.group(it.pod);
    let least = it.planned().into_iter().map(priority).min().unwrap_or_else(|| priority(it.pod));
    it.all(&plan.victims).into_iter().any(|victim| group.contains(gang(victim)) || priority(victim) >= least)
}

/// Returns whether the quotas do not hold afterwards, by upstream's own formula.
pub(super) fn exceeds_quota(it: &KoordinatorSituation<'_>, _: &str, plan: &UpstreamPlan) -> bool {
    !it.admits(&[], &it.all(&plan.victims))
}

/// Returns whether the quotas do not hold afterwards by the formula of the policy, and do by that of upstream.
pub(super) fn leaves_too_little(it: &KoordinatorSituation<'_>, _: &str, plan: &UpstreamPlan) -> bool {
    let victims = it.all(&plan.victims);
    let terms: Vec<QuotaTerm> = TERMS.into_iter().filter(|term| *term != QuotaTerm::Promised).collect();
    it.admits(&[], &victims) && !it.admits(&terms, &victims)
}

/// Returns whether the quotas do not hold afterwards with what is promised, and do without.
pub(super) fn breaks_promises(it: &KoordinatorSituation<'_>, _: &str, plan: &UpstreamPlan) -> bool {
    let victims = it.all(&plan.victims);
    let terms: Vec<QuotaTerm> = TERMS.into_iter().filter(|term| *term != QuotaTerm::Promised).collect();
    it.admits(&terms, &victims) && !it.admits(&TERMS, &victims)
}

/// Returns whether the plan of the policy does no more harm than a plan of upstream: the priority of the most important victim, then the
/// gangs that are broken, then the part of the cluster that stops. What comes then depends on the past.
pub(super) fn is_no_worse(it: &KoordinatorSituation<'_>, _: &str, plan: &UpstreamPlan) -> bool {
    let (ours, theirs) = (it.harm(&it.policy.victims), it.harm(&plan.victims));
    // Each part of the cluster is rounded down.
    let rounding = i64::try_from(it.question.objects.len()).unwrap_or(0);
    it.policy.nominated.len() == 1 && ours <= (theirs.0, theirs.1, theirs.2 + rounding)
}

impl KoordinatorSituation<'_> {
    /// Returns the harm that victims are.
    fn harm(&self, victims: &[String]) -> (Option<i64>, usize, i64) {
        let (mut gangs, mut stopped, mut evicted) = (BTreeMap::<&str, Vec<&Value>>::new(), Vec::new(), Vec::new());
        let victims: Vec<&Value> = self.all(victims).into_iter().filter(|pod| !is_terminating(pod)).collect();
        for victim in &victims {
            match self.needed(gang(victim)) {
                0 | 1 => {
                    stopped.push(*victim);
                    evicted.push(*victim);
                }
                needed if self.running(gang(victim)).len() >= needed => {
                    evicted.push(*victim);
                    gangs.entry(gang(victim)).or_default().push(victim);
                }
                _ => {}
            }
        }
        let mut broken = 0;
        for (gang, pods) in gangs {
            let running = self.running(gang);
            let breaks = running.len() - pods.len() < self.needed(gang);
            broken += usize::from(breaks);
            stopped.extend(if breaks { running } else { pods });
        }
        let highest = evicted.into_iter().map(priority).max();
        (highest, broken, stopped.into_iter().map(|pod| self.part(pod)).sum())
    }

    /// Returns how many pods a gang needs; none for no gang.
    fn needed(&self, gang: &str) -> usize {
        let minimum = self.object("PodGroup", gang).and_then(|group| group.pointer("/spec/minMember")?.as_u64());
        minimum.and_then(|minimum| usize::try_from(minimum).ok()).unwrap_or(0)
    }

    /// Returns the pods of a gang that run and stay.
    fn running(&self, of: &str) -> Vec<&Value> {
        self.pods().filter(|pod| gang(pod) == of && !self.is_pending(pod) && !is_terminating(pod)).collect()
    }

    /// Returns the part of the cluster that a pod requests, in billionths.
    fn part(&self, pod: &Value) -> i64 {
        let nodes = || self.question.objects.iter().filter(|object| text(object, "/kind") == "Node");
        let all = |resource: &str| nodes().map(|node| super::view::allocatable(node, resource)).sum::<i64>();
        let part = |(resource, amount): (&String, &i64)| match all(resource) {
            0 => 0,
            all => i64::try_from(i128::from(*amount) * 1_000_000_000 / i128::from(all)).unwrap_or(i64::MAX),
        };
        requests([pod]).iter().map(part).sum()
    }
}
