//! Rulings that are recognised by another question to the judge: what upstream decides where the cluster is as the ruling reads it.

use serde_json::{Value, json};

use super::answer::KoordinatorResponse;
use super::plans::is_no_worse;
use super::situations::{awaits_its_victims, releases_permit_hold};
use super::stops::takes_others;
use super::view::{CLASS, KoordinatorResult, KoordinatorSituation, are_of_one_job, gang, is_labelled_fixed, priority};
use crate::object::{is_constrained, is_terminating, name, text};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError};

/// Returns whether room that is promised to pods which the policy may not evict for the pod keeps the pod out: with these pods as
/// important as the pod, upstream finds no node either, and no plan, or the plan of the policy, or none where the policy evicts a pod that upstream
/// does not consider.
pub(super) fn is_promised_firmly(it: &KoordinatorSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let firm = it.firmly_promised();
    if firm.is_empty() {
        return Ok(false);
    }
    let mut objects = it.question.objects.clone();
    for object in &mut objects {
        if text(object, "/kind") == "Pod" && firm.contains(&name(object)) && priority(object) < priority(it.pod) {
            put(object, "priority", json!(priority(it.pod)));
        }
    }
    let answer: KoordinatorResponse = ask.request(&JudgeRequest { objects, ..it.question.clone() })?;
    let is_about_a_node = !it.answer.feasible.is_empty();
    let evicts_others =
        it.policy.result == KoordinatorResult::Plans && answer.preemption.plans.is_empty() && takes_others(it);
    Ok(answer.feasible.is_empty() && (is_about_a_node || it.agrees(&answer) || evicts_others))
}

/// Returns whether upstream has a plan on the node of the policy's once the pods that leave are gone.
pub(super) fn relies_on_what_leaves(
    it: &KoordinatorSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let mut objects = it.question.objects.clone();
    objects.retain(|object| text(object, "/kind") != "Pod" || !is_terminating(object));
    if it.policy.result != KoordinatorResult::Plans || objects.len() == it.question.objects.len() {
        return Ok(false);
    }
    let answer: KoordinatorResponse = ask.request(&JudgeRequest { objects, ..it.question.clone() })?;
    Ok(it.agrees(&answer))
}

/// Returns whether the planned pods do not all find a node when each pod that the policy may evict for them has left, and what leaves already.
pub(super) fn do_not_fit_together(
    it: &KoordinatorSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    Ok(it.planned().len() > 1 && !fit_without(it, |pod| it.may_be_evicted(pod) || is_terminating(pod), ask)?)
}

/// Returns whether the nominations that end are those of the job, for whose pods the policy plans together: these do not all find a node.
pub(super) fn ends_a_plan_together(
    it: &KoordinatorSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let lost = it.ended_nominations();
    let are_own = !lost.is_empty() && lost.into_iter().all(|pod| are_of_one_job(pod, it.pod));
    Ok(are_own && it.policy.result == KoordinatorResult::Nothing && do_not_fit_together(it, ask)?)
}

/// Returns whether the pod needs one that the policy may evict for it and upstream may not: it finds no node once all of those have left.
pub(super) fn needs_evictable_pod(
    it: &KoordinatorSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let is_alone = it.policy.result == KoordinatorResult::Nothing && it.planned().len() == 1;
    let mut others = it.pods().filter(|pod| it.may_be_evicted(pod) && it.quota(pod) != it.quota(it.pod));
    Ok(is_alone
        && others.next().is_some()
        && !fit_without(it, |pod| it.may_be_evicted(pod) || is_terminating(pod), ask)?)
}

/// Returns whether the pods at Permit keep their nodes as the room comes that their group lacks: its pods all find a node once what leaves has left.
pub(super) fn waits_for_its_capacity(
    it: &KoordinatorSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let says_so = it.policy.laws.iter().any(|law| law == "engine/room-is-coming");
    Ok(says_so && !releases_permit_hold(it) && it.leaving().next().is_some() && fit_without(it, is_terminating, ask)?)
}

/// Returns whether the pods at Permit keep their nodes while pods leave for others of the group, or will: these all find a node then.
pub(super) fn waits_for_the_rest(it: &KoordinatorSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let has_a_plan = it.policy.result == KoordinatorResult::Plans || awaits_its_victims(it);
    let is_gone = |pod: &Value| is_terminating(pod) || it.policy.victims.contains(&name(pod));
    Ok(has_a_plan && !releases_permit_hold(it) && fit_without(it, is_gone, ask)?)
}

/// Returns the objects of the question without pods that are gone.
pub(super) fn objects_without(it: &KoordinatorSituation<'_>, is_gone: impl Fn(&Value) -> bool) -> Vec<Value> {
    let is_kept = |object: &&Value| text(object, "/kind") != "Pod" || !is_gone(object);
    it.question.objects.iter().filter(is_kept).cloned().collect()
}

/// Returns whether the planned pods find a node one after the other, that which is tried first, without pods that are gone. A pod takes the node that
/// it is promised if it may.
fn fit_without(
    it: &KoordinatorSituation<'_>,
    is_gone: impl Fn(&Value) -> bool,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let mut objects = objects_without(it, is_gone);
    let others = it.planned().into_iter().filter(|pod| name(pod) != it.question.pod);
    for pod in std::iter::once(it.pod).chain(others) {
        let question = JudgeRequest { objects: objects.clone(), pod: name(pod), ..it.question.clone() };
        let answer: KoordinatorResponse = ask.request(&question)?;
        let earlier = text(pod, "/status/nominatedNodeName");
        let promised = it.policy.nominated.get(&name(pod)).map_or(earlier, String::as_str);
        let mut there = answer.feasible.iter().filter(|node| *node == promised);
        let Some(node) = there.next().or(answer.feasible.first()) else { return Ok(false) };
        for object in &mut objects {
            if text(object, "/kind") == "Pod" && name(object) == name(pod) {
                put(object, "nodeName", json!(node));
            }
        }
    }
    Ok(true)
}

/// Returns whether upstream has the plan of the policy, or none either, once a label says of each pod what an argument says of it.
pub(super) fn reads_the_class(it: &KoordinatorSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    let mut objects = it.question.objects.clone();
    for object in objects.iter_mut().filter(|object| text(object, "/kind") == "Pod") {
        if it.is_non_preemptible(object) && !is_labelled_fixed(object) {
            let labels = object.pointer_mut("/metadata/labels").and_then(Value::as_object_mut);
            labels.into_iter().for_each(|labels| drop(labels.insert(CLASS.to_owned(), json!("false"))));
        }
    }
    if objects == it.question.objects {
        return Ok(false);
    }
    let answer: KoordinatorResponse = ask.request(&JudgeRequest { objects, ..it.question.clone() })?;
    Ok(answer.feasible.is_empty() && it.agrees(&answer))
}

/// Returns whether a nominated pod keeps the pod out that upstream lets in: once it runs where it is nominated, so does upstream.
pub(super) fn is_near_a_nomination(
    it: &KoordinatorSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let Some(answer) = with_nominated_pods(it, ask)? else { return Ok(false) };
    let keeps_out = answer.pre_filter.is_none() && answer.feasible.is_empty() && !it.policy.is_placed();
    if keeps_out && is_between_pods(it) { Ok(true) } else { would_break_constraints(it, ask) }
}

/// Returns what upstream answers once the pods run whose room is kept from the pod, each where it is nominated; none where there are none.
fn with_nominated_pods(
    it: &KoordinatorSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<Option<KoordinatorResponse>, TrialError> {
    let firm = it.firmly_promised();
    if firm.is_empty() {
        return Ok(None);
    }
    let mut objects = it.question.objects.clone();
    for object in &mut objects {
        if text(object, "/kind") == "Pod" && firm.contains(&name(object)) {
            let node = text(object, "/status/nominatedNodeName").to_owned();
            put(object, "nodeName", json!(node));
        }
    }
    ask.request(&JudgeRequest { objects, ..it.question.clone() }).map(Some)
}

/// Returns whether there may be constraints between the pod and nominated ones.
fn is_between_pods(it: &KoordinatorSituation<'_>) -> bool {
    is_constrained(it.pod) || it.promised().any(is_constrained)
}

/// Returns whether, wherever upstream places the pod, a nominated pod would no longer be allowed on its node by constraints between pods, once
/// the pods that leave are gone.
fn would_break_constraints(it: &KoordinatorSituation<'_>, ask: &mut JudgeClient<'_>) -> Result<bool, TrialError> {
    for node in &it.answer.feasible {
        if !breaks_constraints(it, node, is_terminating, ask)? {
            return Ok(false);
        }
    }
    Ok(!it.answer.feasible.is_empty() && !it.policy.is_placed())
}

/// Returns whether the same holds of each plan of upstream, once its victims are gone, too; or upstream makes none once the nominated pods run.
pub(super) fn plans_against_a_nomination(
    it: &KoordinatorSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let stops = |answer: KoordinatorResponse| answer.feasible.is_empty() && it.agrees(&answer) && is_between_pods(it);
    if it.policy.result == KoordinatorResult::Nothing && with_nominated_pods(it, ask)?.is_some_and(stops) {
        return Ok(true);
    }
    let possible = it.possible();
    for (node, plan) in &possible {
        if !breaks_constraints(it, node, |pod| is_terminating(pod) || plan.victims.contains(&name(pod)), ask)? {
            return Ok(false);
        }
    }
    Ok(!possible.is_empty() && it.policy.result == KoordinatorResult::Nothing)
}

/// Returns whether a nominated pod would not be allowed on its node by constraints between pods with the pod on this node, and without pods that are
/// gone.
fn breaks_constraints(
    it: &KoordinatorSituation<'_>,
    node: &str,
    is_gone: impl Fn(&Value) -> bool,
    ask: &mut JudgeClient<'_>,
) -> Result<bool, TrialError> {
    let mut objects = it.question.objects.clone();
    objects.retain(|object| text(object, "/kind") != "Pod" || !is_gone(object));
    let is_pod = |object: &&mut Value| text(object, "/kind") == "Pod" && name(object) == it.question.pod;
    objects.iter_mut().filter(is_pod).for_each(|object| put(object, "nodeName", json!(node)));
    let firm = it.firmly_promised();
    for other in it.promised().filter(|other| is_constrained(other) && firm.contains(&name(other))) {
        let question = JudgeRequest { objects: objects.clone(), pod: name(other), ..it.question.clone() };
        let answer: KoordinatorResponse = ask.request(&question)?;
        let refusal = answer.refused.get(text(other, "/status/nominatedNodeName"));
        if refusal.is_some_and(|refusal| INTER_POD_PLUGINS.contains(&refusal.plugin.as_str())) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The plugins that judge constraints between pods.
pub(super) const INTER_POD_PLUGINS: [&str; 2] = ["InterPodAffinity", "PodTopologySpread"];

impl KoordinatorSituation<'_> {
    /// Returns the nominated pods whose room is kept from the pod: of other jobs those that are as important as the least of its planned pods, or
    /// that the policy may not evict for it; of its own job, if it is promised a node itself, those that are promised other nodes.
    pub(super) fn firmly_promised(&self) -> Vec<String> {
        let planned = self.planned();
        let least = planned.iter().map(|pod| priority(pod)).min().unwrap_or_else(|| priority(self.pod));
        let triggers = planned.into_iter().chain([self.pod]).all(|pod| self.triggers(pod));
        let own = text(self.pod, "/status/nominatedNodeName");
        let is_firm = |other: &&Value| {
            let may_go = triggers && !self.is_safe(other);
            let is_elsewhere = !own.is_empty() && text(other, "/status/nominatedNodeName") != own;
            if are_of_one_job(other, self.pod) { is_elsewhere } else { priority(other) >= least || !may_go }
        };
        self.promised().filter(is_firm).map(name).collect()
    }

    /// Returns whether the policy makes a plan as upstream does in another cluster, or one that is no worse on the same node; or both make none.
    pub(super) fn agrees(&self, other: &KoordinatorResponse) -> bool {
        let mut there = other.preemption.plans.iter().filter(|plan| plan.node == self.policy.node);
        match self.policy.result {
            KoordinatorResult::Plans => there.any(|plan| is_no_worse(self, &plan.node, plan)),
            _ => other.preemption.plans.is_empty(),
        }
    }

    /// Returns whether a pod may be a victim of the pods that are planned.
    pub(super) fn may_be_evicted(&self, other: &Value) -> bool {
        let planned = self.planned();
        let least = planned.iter().map(|pod| priority(pod)).min().unwrap_or_else(|| priority(self.pod));
        let group = self.group(self.pod);
        !text(other, "/spec/nodeName").is_empty()
            && !self.is_safe(other)
            && priority(other) < least
            && !group.contains(gang(other))
    }
}

/// Sets a field of the spec of an object.
fn put(object: &mut Value, field: &str, value: Value) {
    if let Some(spec) = object.pointer_mut("/spec").and_then(Value::as_object_mut) {
        spec.insert(field.to_owned(), value);
    }
}
