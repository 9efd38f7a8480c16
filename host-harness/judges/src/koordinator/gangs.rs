//! What the gangs of a group need, and which of their pods could help.

use std::collections::BTreeSet;

use serde_json::Value;

use super::demands::is_not_judged;
use super::view::{KoordinatorSituation, gang, is_tryable};
use crate::object::{is_nominated, is_terminating, name, text, texts};

/// A gang of the group of the pod that is tried.
pub(super) struct GangGroupMember<'s> {
    pub(super) name: String,
    minimum: usize,
    pub(super) is_strict: bool,
    matching: &'s str,
    /// Its pods that stay; where victims are only marked, those that leave too.
    members: Vec<&'s Value>,
}

impl<'s> KoordinatorSituation<'s> {
    /// Returns the gangs that start together with the pod, its own among them; none for a pod of no gang.
    pub(super) fn gangs(&self) -> Vec<GangGroupMember<'s>> {
        let group = self.group(self.pod);
        let read = |name: String| {
            let object = self.object("PodGroup", &name)?;
            let said = |key: &str| {
                let path = format!("/metadata/annotations/gang.scheduling.koordinator.sh~1{key}");
                object.pointer(&path).and_then(Value::as_str).unwrap_or_default()
            };
            let minimum = object.pointer("/spec/minMember").and_then(Value::as_u64)?;
            let stays = |pod: &&Value| gang(pod) == name && !self.is_deleted(pod);
            let members = self.pods().filter(stays).collect();
            let minimum = usize::try_from(minimum).ok()?;
            Some(GangGroupMember {
                is_strict: said("mode") != "NonStrict",
                matching: said("match-policy"),
                minimum,
                members,
                name,
            })
        };
        group.into_iter().filter_map(read).collect()
    }

    /// Returns an annotation of a gang about gangs; empty where it has none.
    pub(super) fn annotation(&self, of: &GangGroupMember<'_>, key: &str) -> &'s str {
        let path = format!("/metadata/annotations/gang.scheduling.koordinator.sh~1{key}");
        let object = self.object("PodGroup", &of.name);
        object.and_then(|object| object.pointer(&path)?.as_str()).unwrap_or_default()
    }

    /// Returns whether a pod that leaves counts as gone: it does where victims are deleted.
    fn is_deleted(&self, pod: &Value) -> bool {
        is_terminating(pod) && self.is_on("podShouldBeDeletedWhenPreempted")
    }

    /// Returns whether a gang is complete with so many more pods at Permit.
    pub(super) fn is_complete(&self, gang: &GangGroupMember<'_>, more: usize) -> bool {
        let held = gang.members.iter().filter(|pod| self.waits(pod)).count() + more;
        let bound = gang.members.iter().filter(|pod| is_bound(pod)).count();
        match gang.matching {
            "only-waiting" => held >= gang.minimum,
            "waiting-and-running" => held + bound >= gang.minimum,
            _ => held >= gang.minimum || bound > 0,
        }
    }

    /// Returns whether a gang is complete only with one of the pods that are meant: those that wait and are not meant are too few.
    pub(super) fn needs_one_of(&self, gang: &GangGroupMember<'_>, is_meant: impl Fn(&Value) -> bool) -> bool {
        let waiting = gang.members.iter().filter(|pod| self.is_pending(pod) && is_tryable(pod));
        let (meant, others): (Vec<&Value>, Vec<&Value>) = waiting.partition(|pod| is_meant(pod));
        !meant.is_empty() && !self.is_complete(gang, others.len())
    }

    /// Returns whether a gang that is not complete has fewer pods than its minimum that hold a node or may be tried.
    pub(super) fn lacks_pods(&self, gang: &GangGroupMember<'_>) -> bool {
        let helps = |pod: &&&Value| is_bound(pod) || self.waits(pod) || is_tryable(pod);
        !self.is_complete(gang, 0) && gang.members.iter().filter(helps).count() < gang.minimum
    }

    /// Returns whether a gang cannot be complete with the pod that is tried, the pods that are nominated and those whose last attempt was not in
    /// vain.
    pub(super) fn is_short_in_round(&self, gang: &GangGroupMember<'_>) -> bool {
        let is_tried = |pod: &Value| name(pod) == self.question.pod;
        let has_failed = |pod: &Value| self.question.memory.failed.contains(&name(pod)) && !is_nominated(pod);
        let waiting = gang.members.iter().filter(|pod| self.is_pending(pod) && is_tryable(pod));
        !self.is_complete(gang, waiting.filter(|pod| is_tried(pod) || !has_failed(pod)).count())
    }

    /// Returns whether a gang could still be complete after the attempt: with the pod that is tried if that keeps its nomination, else without it.
    pub(super) fn may_still_complete(&self, gang: &GangGroupMember<'_>) -> bool {
        let stands = is_nominated(self.pod) && texts(self.outcome, "standing").contains_key(&self.question.pod);
        let others = gang.members.iter().filter(|pod| self.is_pending(pod) && is_tryable(pod));
        self.is_complete(gang, others.filter(|pod| stands || name(pod) != self.question.pod).count())
    }

    /// Returns whether a gang that need be complete once only has none of its pods on a node or at Permit.
    pub(super) fn has_lost_all_pods(&self, gang: &GangGroupMember<'_>) -> bool {
        let is_there = |pod: &&Value| is_bound(pod) || self.waits(pod);
        ["", "once-satisfied"].contains(&gang.matching) && !gang.members.iter().any(is_there)
    }

    /// Returns whether the pod is one more than its gang needs, while another gang of its group is not complete.
    pub(super) fn is_one_too_many(&self) -> bool {
        let gangs = self.gangs();
        let is_own = |it: &&GangGroupMember<'_>| it.name == gang(self.pod);
        gangs.iter().filter(is_own).all(|own| self.is_complete(own, 0))
            && gangs.iter().any(|other| !is_own(&other) && !self.is_complete(other, 0))
    }

    /// Returns the pods that the policy plans for: those of the tried job that wait, and of each gang of its group that is not complete. Pods whose
    /// demands are not judged are not planned where their gang can do without them (rulings C32 and C61).
    pub(super) fn planned(&self) -> Vec<&'s Value> {
        let gangs = self.gangs();
        let incomplete = gangs.iter().filter(|gang| !self.is_complete(gang, 0)).map(|gang| gang.name.clone());
        let jobs: BTreeSet<String> = incomplete.chain([gang(self.pod).to_owned()]).collect();
        let needs_each = |named: &str| {
            let mut of_name = gangs.iter().filter(|gang| gang.name == named);
            of_name.any(|gang| self.needs_one_of(gang, |pod| is_not_judged(self, pod)))
        };
        let is_planned = |pod: &&'s Value| match gang(pod) {
            "" => name(pod) == self.question.pod,
            gang => jobs.contains(gang) && (!is_not_judged(self, pod) || needs_each(gang)),
        };
        self.pods().filter(|pod| self.is_pending(pod) && is_tryable(pod)).filter(is_planned).collect()
    }
}

/// Returns whether a pod is bound.
fn is_bound(pod: &Value) -> bool {
    !text(pod, "/spec/nodeName").is_empty()
}
