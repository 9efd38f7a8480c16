//! A cluster, with the decisions of policy and upstream about a pod of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::answer::CoschedulingResponse;
use super::groups::{group, minimum};
use crate::object::{is_nominated, is_rejected_early, is_terminating, list, name, pods, text, texts};
use crate::question::JudgeRequest;

/// The decision of the policy about a pod.
#[derive(Debug, Clone, Default)]
pub(super) struct CoschedulingDecision {
    /// `Scheduled`, `Waiting`, `Nominated`, `Unschedulable` or `Rejected`.
    pub(super) result: String,
    /// Where the pod is bound or waits, or the node that is promised to it.
    pub(super) node: String,
    /// The pods that are evicted.
    pub(super) victims: BTreeSet<String>,
    /// The pods that are bound, and their nodes.
    pub(super) bound: BTreeMap<String, String>,
    /// The pods that are promised a node, and these nodes.
    pub(super) nominated: BTreeMap<String, String>,
    /// The pods at Permit afterwards.
    pub(super) waiting: BTreeSet<String>,
    /// All nominations afterwards.
    pub(super) nominations_after: BTreeMap<String, String>,
    pub(super) reason: String,
    /// Whether the pod is turned away, because its group has failed in this round.
    pub(super) is_rejected_early: bool,
}

impl CoschedulingDecision {
    /// Reads an outcome.
    pub(super) fn of(outcome: &Value) -> CoschedulingDecision {
        CoschedulingDecision {
            result: text(outcome, "/result").to_owned(),
            node: text(outcome, "/node").to_owned(),
            victims: list(outcome, "victims").into_iter().collect(),
            bound: texts(outcome, "bound"),
            nominated: texts(outcome, "nominated"),
            waiting: list(outcome, "waiting").into_iter().collect(),
            nominations_after: texts(outcome, "standing"),
            reason: text(outcome, "/reason").to_owned(),
            is_rejected_early: is_rejected_early(outcome),
        }
    }

    /// Returns whether the pod gets a node, or waits for the others of its group on one.
    pub(super) fn places(&self) -> bool {
        matches!(self.result.as_str(), "Scheduled" | "Waiting")
    }

    /// Returns whether pods are evicted, or promised nodes.
    pub(super) fn plans(&self) -> bool {
        self.result == "Nominated"
    }
}

/// The decisions of policy and upstream, and the cluster that they are made in.
pub(super) struct CoschedulingSituation<'s> {
    /// The cluster as upstream was asked about it.
    pub(super) question: &'s JudgeRequest,
    pub(super) pod: &'s Value,
    pub(super) policy: &'s CoschedulingDecision,
    pub(super) answer: &'s CoschedulingResponse,
    /// Whether pods that are leaving count as gone.
    pub(super) has_left: bool,
    /// Whether the pod gets a node before these have left.
    pub(super) fits_now: bool,
}

impl<'s> CoschedulingSituation<'s> {
    /// Returns whether the policy gives the pod neither a node nor a plan.
    pub(super) fn refuses(&self) -> bool {
        !self.policy.places() && !self.policy.plans()
    }

    /// Returns whether the pod keeps the nomination that it has.
    pub(super) fn keeps(&self) -> bool {
        is_nominated(self.pod) && self.is_still_nominated(&self.question.pod)
    }

    /// Returns whether a node stays promised to a pod. Whether one is still kept for it, no outcome says.
    pub(super) fn is_still_nominated(&self, pod: &String) -> bool {
        self.policy.nominations_after.contains_key(pod) || self.question.kept.contains_key(pod)
    }

    /// Returns whether Coscheduling refuses the pod on all nodes.
    pub(super) fn is_refused_for_good(&self) -> bool {
        self.answer.pre_filter.as_ref().is_some_and(|refusal| refusal.code == "UnschedulableAndUnresolvable")
    }

    /// Returns whether the policy turns the pod away, and another attempt for its group was in vain before.
    pub(super) fn is_turned_away(&self) -> bool {
        let mut members =
            group(self.pod).into_iter().flat_map(|named| self.members(&named).map(name).collect::<Vec<_>>());
        self.policy.is_rejected_early && members.any(|member| self.question.memory.failed.contains(&member))
    }

    /// Returns the pod of a name.
    pub(super) fn find(&self, wanted: &str) -> Option<&'s Value> {
        pods(&self.question.objects).find(|pod| name(pod) == wanted)
    }

    /// Returns the other pods that are promised a node.
    pub(super) fn promised(&self) -> impl Iterator<Item = &'s Value> {
        let waits = |pod: &&Value| is_nominated(pod) && !self.question.waiting.contains_key(&name(pod));
        pods(&self.question.objects).filter(waits).filter(|pod| name(pod) != self.question.pod)
    }

    /// Returns the node that a pod is on, or holds at Permit.
    pub(super) fn place(&self, pod: &Value) -> Option<String> {
        let node = text(pod, "/spec/nodeName");
        let held = self.question.waiting.get(&name(pod));
        if node.is_empty() { held.cloned() } else { Some(node.to_owned()) }
    }

    /// Returns the pods of a group that are there to stay.
    pub(super) fn members(&self, named: &str) -> impl Iterator<Item = &'s Value> {
        let ended = |pod: &Value| matches!(text(pod, "/status/phase"), "Succeeded" | "Failed");
        pods(&self.question.objects)
            .filter(move |pod| group(pod).as_deref() == Some(named) && !is_terminating(pod) && !ended(pod))
    }

    /// Returns the pods of a group at Permit.
    pub(super) fn waiting(&self, named: &str) -> impl Iterator<Item = String> {
        let is_own = move |pod: &&String| self.find(pod).and_then(group).as_deref() == Some(named);
        self.question.waiting.keys().filter(is_own).cloned()
    }

    /// Returns whether pods of the group of the pod wait at Permit.
    pub(super) fn has_waiters(&self) -> bool {
        group(self.pod).is_some_and(|named| self.waiting(&named).next().is_some())
    }

    /// Returns how many pods a group lacks that are on nodes or hold them at Permit.
    pub(super) fn lacks(&self, named: &str) -> usize {
        let placed = self.members(named).filter(|pod| self.place(pod).is_some()).count();
        minimum(&self.question.objects, named).unwrap_or(0).saturating_sub(placed)
    }

    /// Returns the group of the pod, where it lacks more pods than this one.
    pub(super) fn lacking(&self) -> Option<String> {
        group(self.pod).filter(|named| self.lacks(named) > 1)
    }

    /// Returns the members of a group that may be tried.
    pub(super) fn pending(&self, named: &str) -> impl Iterator<Item = &'s Value> {
        self.members(named).filter(|pod| self.place(pod).is_none() && may_be_tried(pod))
    }

    /// Returns whether the pod waits for its nominated node, which pods are leaving.
    pub(super) fn awaits_leaving(&self) -> bool {
        let node = text(self.pod, "/status/nominatedNodeName");
        !node.is_empty()
            && pods(&self.question.objects).any(|pod| is_terminating(pod) && text(pod, "/spec/nodeName") == node)
    }
}

/// Returns whether a pod is one of this scheduler, and has no gates.
pub(super) fn may_be_tried(pod: &Value) -> bool {
    pod.pointer("/spec/schedulingGates").is_none()
        && matches!(text(pod, "/spec/schedulerName"), "" | "default-scheduler")
}

/// Returns the priority of a pod.
pub(super) fn priority(pod: &Value) -> i64 {
    pod.pointer("/spec/priority").and_then(Value::as_i64).unwrap_or(0)
}
