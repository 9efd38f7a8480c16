//! A cluster of Koordinator, with the decisions of policy and upstream about a pod of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::answer::{KoordinatorResponse, UpstreamPlan};
pub(super) use super::requests::{allocatable, amounts, requests};
use crate::object::{is_nominated, is_terminating, list, name, pods, text, texts};
use crate::question::JudgeRequest;

const QUOTA: &str = "quota.scheduling.koordinator.sh/name";
pub(super) const CLASS: &str = "quota.scheduling.koordinator.sh/preemptible";
const OPTED_OUT: &str = "scheduling.koordinator.sh/disable-preemptible";
const TRIGGER: &str = "quota.scheduling.koordinator.sh/can-preempt";
const JOB: &str = "pod-group.scheduling.sigs.k8s.io";
const GROUPS: &str = "gang.scheduling.koordinator.sh/groups";
const DEFAULT: &str = "koordinator-default-quota";

/// The decisions of policy and upstream, and the cluster that they are made in.
pub(super) struct KoordinatorSituation<'s> {
    pub(super) question: &'s JudgeRequest,
    pub(super) pod: &'s Value,
    /// The outcome of the policy.
    pub(super) outcome: &'s Value,
    pub(super) policy: KoordinatorDecision,
    pub(super) answer: &'s KoordinatorResponse,
}

/// The ending of an attempt of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KoordinatorResult {
    Bound,
    Waits,
    Plans,
    /// There is neither a node nor a plan.
    Nothing,
    /// The pod is refused before any node is looked at.
    Refused,
}

/// The decision of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KoordinatorDecision {
    pub(super) result: KoordinatorResult,
    pub(super) node: String,
    /// The pods that are evicted, sorted.
    pub(super) victims: Vec<String>,
    /// The node that each planned pod is nominated to.
    pub(super) nominated: BTreeMap<String, String>,
    /// The laws that stand in the way, the first one first.
    pub(super) laws: Vec<String>,
}

impl KoordinatorDecision {
    /// Reads an outcome.
    pub(super) fn of(outcome: &Value) -> KoordinatorDecision {
        let ended = match text(outcome, "/result") {
            "Scheduled" => KoordinatorResult::Bound,
            "Waiting" => KoordinatorResult::Waits,
            "Nominated" => KoordinatorResult::Plans,
            "Rejected" => KoordinatorResult::Refused,
            _ => KoordinatorResult::Nothing,
        };
        let mut victims = list(outcome, "victims");
        victims.sort();
        let reasons = outcome.get("reasons").and_then(Value::as_array).into_iter().flatten();
        let laws = reasons.map(|reason| text(reason, "/code").to_owned()).collect();
        let node = text(outcome, "/node").to_owned();
        KoordinatorDecision { result: ended, node, victims, nominated: texts(outcome, "nominated"), laws }
    }

    /// Returns whether the pod has a node.
    pub(super) fn is_placed(&self) -> bool {
        matches!(self.result, KoordinatorResult::Bound | KoordinatorResult::Waits)
    }

    /// Returns whether a law of a name after `koordinator/` is among the reasons.
    pub(super) fn cites(&self, law: &str) -> bool {
        self.laws.iter().any(|code| code.strip_prefix("koordinator/") == Some(law))
    }

    /// Returns the name of the first law after `koordinator/`.
    pub(super) fn first(&self) -> &str {
        self.laws.first().and_then(|code| code.strip_prefix("koordinator/")).unwrap_or_default()
    }
}

impl<'s> KoordinatorSituation<'s> {
    /// Returns whether an argument is on; all that the policy reads here are off by default.
    pub(super) fn is_on(&self, argument: &str) -> bool {
        self.question.arguments.get(argument).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Returns the pods that have not ended.
    pub(super) fn pods(&self) -> impl Iterator<Item = &'s Value> {
        let ended = |pod: &&Value| matches!(text(pod, "/status/phase"), "Succeeded" | "Failed");
        pods(&self.question.objects).filter(move |pod| !ended(pod))
    }

    /// Returns a pod by `namespace/name`.
    pub(super) fn named(&self, of: &str) -> Option<&'s Value> {
        self.pods().find(|pod| name(pod) == of)
    }

    /// Returns an object of a kind.
    pub(super) fn object(&self, kind: &str, of: &str) -> Option<&'s Value> {
        let mut objects = self.question.objects.iter();
        objects.find(|object| text(object, "/kind") == kind && text(object, "/metadata/name") == of)
    }

    /// Returns whether a pod waits at Permit.
    pub(super) fn waits(&self, pod: &Value) -> bool {
        self.question.waiting.contains_key(&name(pod))
    }

    /// Returns the node that a pod holds, at Permit too; empty where it holds none.
    pub(super) fn place(&self, pod: &'s Value) -> &'s str {
        let held = self.question.waiting.get(&name(pod)).map(String::as_str);
        held.unwrap_or_else(|| text(pod, "/spec/nodeName"))
    }

    /// Returns whether a pod holds no node.
    pub(super) fn is_pending(&self, pod: &'s Value) -> bool {
        self.place(pod).is_empty()
    }

    /// Returns whether the policy holds a pod for non-preemptible.
    pub(super) fn is_non_preemptible(&self, pod: &Value) -> bool {
        match label(pod, CLASS) {
            "" => self.is_on("disableDefaultPreemptiable"),
            class => class == "false",
        }
    }

    /// Returns whether the policy never evicts a pod.
    pub(super) fn is_safe(&self, pod: &Value) -> bool {
        let is_protected = self.is_on("disableDefaultQuotaPreemption") && self.quota(pod) == DEFAULT;
        self.is_non_preemptible(pod) || has_opted_out(pod) || is_protected
    }

    /// Returns whether the policy lets a pod preempt.
    pub(super) fn triggers(&self, pod: &Value) -> bool {
        match label(pod, TRIGGER) {
            _ if text(pod, "/spec/preemptionPolicy") == "Never" => false,
            "" => !self.is_on("disableDefaultTriggerPreemption"),
            may => may == "true",
        }
    }

    /// Returns the name of the quota of a pod.
    pub(super) fn quota(&self, pod: &'s Value) -> &'s str {
        let named = label(pod, QUOTA);
        if self.object("ElasticQuota", named).is_some() { named } else { DEFAULT }
    }

    /// Returns the quotas of a pod, its own first, without the root.
    pub(super) fn quotas(&self, pod: &'s Value) -> Vec<&str> {
        let above = |of: &&str| Some(self.answer.quotas.get(*of)?.parent.as_str());
        let chain = std::iter::successors(Some(self.quota(pod)), above);
        chain.take_while(|quota| !quota.is_empty() && *quota != "koordinator-root-quota").take(9).collect()
    }

    /// Returns the pods of the job of a pod, itself among them.
    pub(super) fn job(&self, of: &'s Value) -> Vec<&'s Value> {
        self.pods().filter(|pod| are_of_one_job(pod, of)).collect()
    }

    /// Returns the pods of a job that hold no node.
    pub(super) fn pending_job(&self, of: &'s Value) -> Vec<&'s Value> {
        self.job(of).into_iter().filter(|pod| self.is_pending(pod)).collect()
    }

    /// Returns the names of the gangs that start together with that of a pod, its own among them; none for a pod of no gang.
    pub(super) fn group(&self, pod: &Value) -> BTreeSet<String> {
        let gang = gang(pod);
        if gang.is_empty() {
            return BTreeSet::new();
        }
        let annotations = self.object("PodGroup", gang).and_then(|group| group.pointer("/metadata/annotations"));
        let groups = annotations.and_then(|tags| tags.get(GROUPS)).and_then(Value::as_str);
        let groups: Vec<String> = groups.and_then(|groups| serde_json::from_str(groups).ok()).unwrap_or_default();
        let names = groups.iter().filter_map(|name| Some(name.split_once('/')?.1.to_owned()));
        names.chain([gang.to_owned()]).collect()
    }

    /// Returns the other pods of the gang group of the pod that is tried.
    pub(super) fn companions(&self) -> impl Iterator<Item = &'s Value> {
        let (group, tried) = (self.group(self.pod), self.question.pod.clone());
        self.pods().filter(move |pod| group.contains(gang(pod)) && name(pod) != tried)
    }

    /// Returns the other nominated pods.
    pub(super) fn promised(&self) -> impl Iterator<Item = &'s Value> {
        let tried = self.question.pod.clone();
        self.pods().filter(move |pod| is_nominated(pod) && self.is_pending(pod) && name(pod) != tried)
    }

    /// Returns the nominated pods whose nominations the policy ends in the attempt.
    pub(super) fn ended_nominations(&self) -> Vec<&'s Value> {
        let standing = texts(self.outcome, "standing");
        let stands = |pod: &str| standing.contains_key(pod) || self.question.kept.contains_key(pod);
        self.promised().filter(|pod| !stands(&name(pod))).collect()
    }

    /// Returns the pods that are leaving.
    pub(super) fn leaving(&self) -> impl Iterator<Item = &'s Value> {
        self.pods().filter(|pod| is_terminating(pod))
    }

    /// Returns the plans that upstream may choose, each with its node.
    pub(super) fn possible(&self) -> Vec<(&'s str, &'s UpstreamPlan)> {
        let plans = self.answer.preemption.plans.iter();
        let sets =
            plans.flat_map(|plan| std::iter::once(plan).chain(&plan.alternatives).map(|set| (plan.node.as_str(), set)));
        sets.filter(|(_, set)| set.possible).collect()
    }

    /// Returns whether upstream refuses the pod by a quota.
    pub(super) fn is_refused_by_quota(&self) -> bool {
        self.answer.pre_filter.as_ref().is_some_and(|refusal| refusal.plugin == "ElasticQuota")
    }

    /// Returns whether upstream refuses the pod for the devices that it requests.
    pub(super) fn is_refused_by_devices(&self) -> bool {
        self.answer.pre_filter.as_ref().is_some_and(|refusal| refusal.plugin == "DeviceShare")
    }

    /// Returns whether upstream does not try the pod, for its gang.
    pub(super) fn is_refused_by_gang(&self) -> bool {
        self.answer.untried.is_some()
            || self.answer.pre_filter.as_ref().is_some_and(|refusal| refusal.plugin == "Coscheduling")
    }
}

/// Returns a label of a pod; empty where it has none.
pub(super) fn label<'p>(pod: &'p Value, key: &str) -> &'p str {
    let labels = pod.pointer("/metadata/labels").and_then(|labels| labels.get(key));
    labels.and_then(Value::as_str).unwrap_or_default()
}

/// Returns the name of the gang of a pod; empty for a pod of none.
pub(super) fn gang(pod: &Value) -> &str {
    label(pod, JOB)
}

/// Returns whether two pods are of one job: a pod of no gang is a job alone.
pub(super) fn are_of_one_job(one: &Value, other: &Value) -> bool {
    if gang(one).is_empty() { name(one) == name(other) } else { gang(one) == gang(other) }
}

/// Returns whether a label has a pod opt out of preemption.
pub(super) fn has_opted_out(pod: &Value) -> bool {
    label(pod, OPTED_OUT) == "true"
}

/// Returns whether a label makes a pod non-preemptible.
pub(super) fn is_labelled_fixed(pod: &Value) -> bool {
    label(pod, CLASS) == "false"
}

/// Returns whether a pod may be tried where it holds no node: it is of this scheduler, has no gates, and stays.
pub(super) fn is_tryable(pod: &Value) -> bool {
    let gates = pod.pointer("/spec/schedulingGates").and_then(Value::as_array).is_some_and(|gates| !gates.is_empty());
    let is_foreign = !matches!(text(pod, "/spec/schedulerName"), "" | "default-scheduler" | "koord-scheduler");
    !gates && !is_foreign && !is_terminating(pod)
}

/// Returns the priority of a pod.
pub(super) fn priority(pod: &Value) -> i64 {
    pod.pointer("/spec/priority").and_then(Value::as_i64).unwrap_or(0)
}
