//! A cluster, with the decisions of policy and upstream about a pod of it.

use serde_json::Value;

use super::answer::{Amounts, CorePod, JudgedAttempt, YunikornDecision, YunikornResult};
use crate::object::{is_nominated, is_terminating, name, pods, text};

/// The decisions of policy and upstream, and the cluster that they are made in.
pub(super) struct YunikornSituation<'s> {
    pub(super) objects: &'s [Value],
    pub(super) pod: &'s Value,
    /// The pod as the core knows it.
    pub(super) core_pod: &'s CorePod,
    pub(super) answer: &'s JudgedAttempt,
    /// The decision of the policy.
    pub(super) policy: &'s YunikornDecision,
}

/// A pod of the cluster, as the core knows it.
#[derive(Clone, Copy)]
pub(super) struct YunikornPod<'s> {
    pub(super) object: &'s Value,
    pub(super) core: &'s CorePod,
}

impl<'s> YunikornSituation<'s> {
    /// Returns the decision of upstream.
    pub(super) fn upstream(&self) -> &'s YunikornDecision {
        &self.answer.decision
    }

    /// Returns the pods of the core.
    pub(super) fn members(&self) -> impl Iterator<Item = YunikornPod<'s>> {
        let known = &self.answer.pods;
        pods(self.objects).filter_map(|object| Some(YunikornPod { object, core: known.get(&name(object))? }))
    }

    /// Returns these pods.
    pub(super) fn named(&self, names: &[String]) -> Vec<YunikornPod<'s>> {
        self.members().filter(|member| names.contains(&name(member.object))).collect()
    }

    /// Returns the other pods that are nominated, or pods of DaemonSets that wait for their node.
    pub(super) fn waiting(&self) -> impl Iterator<Item = YunikornPod<'s>> {
        let tried = name(self.pod);
        let waits = |object: &Value| text(object, "/spec/nodeName").is_empty() && !is_terminating(object);
        self.members().filter(move |member| waits(member.object) && name(member.object) != tried)
    }

    /// Returns whether a node is kept for another pod.
    pub(super) fn is_reserved(&self, node: &str) -> bool {
        self.waiting().any(|other| {
            is_nominated(other.object) && text(other.object, "/status/nominatedNodeName") == node
                || other.core.required == node
        })
    }

    /// Returns what a queue uses with these pods gone and without what is leaving, of one resource.
    pub(super) fn usage_without(&self, path: &str, gone: &[YunikornPod<'_>], resource: &str) -> i64 {
        let leaving: Vec<YunikornPod<'_>> = self.members().filter(|member| is_terminating(member.object)).collect();
        let is_gone = gone.iter().filter(|victim| !is_terminating(victim.object)).chain(&leaving);
        amount(self.answer.usage.get(path), resource) - sum(is_gone, path, resource)
    }

    /// Returns what nominated pods below a queue will use, of one resource. The pod that is tried does not count.
    pub(super) fn promised(&self, path: &str, resource: &str) -> i64 {
        let nominated: Vec<YunikornPod<'_>> = self.waiting().filter(|other| is_nominated(other.object)).collect();
        sum(nominated.iter(), path, resource)
    }

    /// Returns the guarantee of a queue for a resource, where it has one.
    pub(super) fn guarantee(&self, path: &str, resource: &str) -> Option<i64> {
        self.answer.guaranteed.get(path)?.get(resource).copied()
    }

    /// Returns whether a queue would use more than its maximum with the pod, and with nominated pods if `counts_promised`.
    pub(super) fn exceeds_maximum(&self, path: &str, counts_promised: bool) -> bool {
        let max = self.answer.max.get(path);
        self.requested().any(|(resource, request)| {
            let promised = if counts_promised { self.promised(path, resource) } else { 0 };
            let used = amount(self.answer.usage.get(path), resource) + promised + request;
            max.and_then(|max| max.get(resource)).is_some_and(|max| used > *max)
        })
    }

    /// Returns whether the pod is one of a DaemonSet.
    pub(super) fn is_of_daemon_set(&self) -> bool {
        !self.core_pod.required.is_empty()
    }

    /// Returns the resources that the pod requests.
    pub(super) fn requested(&self) -> impl Iterator<Item = (&'s str, i64)> {
        self.core_pod
            .uses
            .iter()
            .filter(|(_, amount)| **amount > 0)
            .map(|(resource, amount)| (resource.as_str(), *amount))
    }
}

/// Returns the paths of a queue and its ancestors, from the leaf.
pub(super) fn chain(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(parent, _)| parent))
}

/// Returns whether a queue is another one, or below it.
pub(super) fn is_within(path: &str, queue: &str) -> bool {
    chain(path).any(|ancestor| ancestor == queue)
}

/// Returns an amount of a resource.
pub(super) fn amount(amounts: Option<&Amounts>, resource: &str) -> i64 {
    amounts.and_then(|amounts| amounts.get(resource)).copied().unwrap_or(0)
}

/// Returns what the pods below a queue use of a resource.
fn sum<'m>(members: impl Iterator<Item = &'m YunikornPod<'m>>, path: &str, resource: &str) -> i64 {
    let below = members.filter(|member| is_within(&member.core.queue, path));
    below.map(|member| amount(Some(&member.core.uses), resource)).sum()
}

/// Returns whether a decision evicts pods.
pub(super) fn evicts(decision: &YunikornDecision) -> bool {
    decision.result == YunikornResult::Preempts && !decision.victims.is_empty()
}
