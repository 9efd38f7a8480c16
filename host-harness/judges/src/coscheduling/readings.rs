//! Rulings that read the cluster in another way than upstream: upstream is asked about the cluster as the ruling reads it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::compare::lost;
use super::groups::{group, least_resources, leave_group, minimum, namespace};
use super::quotas::{counting_once, is_firm, might_evict, with_all_promises};
use super::view::{CoschedulingSituation, may_be_tried, priority};
use crate::departure::UpstreamDeparture;
use crate::object::{is_constrained, is_terminating, name, pods, text};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError};

/// A ruling, and the cluster as it reads it.
pub(super) struct CoschedulingReading {
    pub(super) departure: UpstreamDeparture,
    /// Returns the cluster as the ruling reads it; none where upstream reads it alike.
    pub(super) read: fn(&CoschedulingSituation<'_>, &mut JudgeClient<'_>) -> Result<Option<JudgeRequest>, TrialError>,
}

/// The rulings that change pods.
pub(super) const READINGS: &[CoschedulingReading] = &[
    CoschedulingReading {
        departure: UpstreamDeparture {
            id: "R4",
            upstream: "a group keeps its nodes at Permit when a pod of another group is tried",
            policy: "a group that is incomplete gives up its nodes at Permit when a pod of another group is tried",
        },
        read: |it, _| Ok(without_the_last_group(it)),
    },
    CoschedulingReading {
        departure: UpstreamDeparture {
            id: "R3",
            upstream: "counts members that are being deleted",
            policy: "does not count members that are being deleted",
        },
        read: |it, _| Ok(without_leaving_members(it)),
    },
    CoschedulingReading {
        departure: UpstreamDeparture {
            id: "R18",
            upstream: "counts members with scheduling gates and members of other schedulers",
            policy: "does not try a group that needs members with scheduling gates or of other schedulers",
        },
        read: |it, _| Ok(without_members_that_are_not_tried(it)),
    },
    CoschedulingReading {
        departure: UpstreamDeparture {
            id: "R38",
            upstream: "rejects a group whose time at Permit runs out, and its room is anybody's",
            policy: "keeps its nodes for it while its plan is under way",
        },
        read: |it, _| Ok(it.question.with_retained_nominated()),
    },
    CoschedulingReading {
        departure: UpstreamDeparture {
            id: "R36",
            upstream: "gives the room of a nominated pod to each pod of higher priority",
            policy: "keeps the room of a nominated pod from more important pods that may not evict for it, or would borrow what it takes back",
        },
        read: with_firm_promises,
    },
];

/// The rulings on what counts for the quotas.
pub(super) const COUNTS: &[CoschedulingReading] = &[
    CoschedulingReading {
        departure: UpstreamDeparture {
            id: "R51",
            upstream: "counts nominated pods of other quotas where these are within their min",
            policy: "counts all nominated pods of other quotas for a pod that would borrow",
        },
        read: with_all_promises,
    },
    CoschedulingReading {
        departure: UpstreamDeparture {
            id: "R39",
            upstream: "counts both the pods that are leaving and the pods for which they leave",
            policy: "counts what is promised as far as it is more than what is leaving",
        },
        read: counting_once,
    },
];

/// The ruling on pods that are leaving. It is read where the policy plans or refuses: what it changes, other rulings must still see.
pub(super) const LEAVING: CoschedulingReading = CoschedulingReading {
    departure: UpstreamDeparture {
        id: "R55",
        upstream: "counts pods that are leaving where it plans, and may evict them again",
        policy: "plans with the room, and the quota, of pods that are leaving",
    },
    read: without_leaving_pods,
};

/// Changes the cluster of a question.
fn changed(it: &CoschedulingSituation<'_>, change: impl FnOnce(&mut JudgeRequest)) -> Option<JudgeRequest> {
    let mut question = it.question.clone();
    change(&mut question);
    (question != *it.question).then_some(question)
}

/// Changes pods of the cluster.
fn with_pods(
    it: &CoschedulingSituation<'_>,
    which: impl Fn(&Value) -> bool,
    change: impl Fn(&mut Value),
) -> Option<JudgeRequest> {
    changed(it, |question| {
        let pods = question.objects.iter_mut().filter(|object| text(object, "/kind") == "Pod");
        pods.filter(|pod| which(pod)).for_each(change);
    })
}

/// Puts the group that was tried last back into the queue, if it is incomplete.
fn without_the_last_group(it: &CoschedulingSituation<'_>) -> Option<JudgeRequest> {
    let own = group(it.pod)?;
    let displaced: BTreeSet<String> = it.policy.victims.iter().filter_map(|victim| group(it.find(victim)?)).collect();
    let lost: BTreeSet<String> = lost(it)
        .into_iter()
        .filter(|pod| {
            let named = it.find(pod).and_then(group);
            named.is_some_and(|named| named != own && !displaced.contains(&named))
        })
        .collect();
    let groups: BTreeSet<String> = lost.iter().filter_map(|pod| group(it.find(pod)?)).collect();
    let is_whole = |named: &String| {
        let mut waiting = it.question.waiting.keys().filter(|pod| it.find(pod).and_then(group).as_ref() == Some(named));
        waiting.all(|pod| lost.contains(pod)) && it.lacks(named) > 0
    };
    if groups.len() != 1 || !groups.iter().all(is_whole) {
        return None;
    }
    changed(it, |question| question.waiting.retain(|pod, _| !lost.contains(pod)))
}

/// Takes away the members that are being deleted. What they hold is free for the least resources of their group, as upstream has it with them: a group
/// that upstream tries with them is asked for no least resources without them.
fn without_leaving_members(it: &CoschedulingSituation<'_>) -> Option<JudgeRequest> {
    let mut question = with_pods(it, |pod| is_terminating(pod) && group(pod).is_some(), leave_group)?;
    let own = group(it.pod).filter(|_| it.answer.pre_filter.is_none());
    if let Some(least) = own.and_then(|own| least_resources(&mut question.objects, &own)) {
        *least = json!({});
    }
    Some(question)
}

/// Takes away the members that are not tried.
fn without_members_that_are_not_tried(it: &CoschedulingSituation<'_>) -> Option<JudgeRequest> {
    with_pods(it, |pod| text(pod, "/spec/nodeName").is_empty() && !may_be_tried(pod), leave_group)
}

/// Makes nominated pods whose promise holds against the pod as important as the pod.
fn with_firm_promises(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<Option<JudgeRequest>, TrialError> {
    let mut firm = BTreeSet::new();
    for pod in it.promised().filter(|pod| priority(pod) < priority(it.pod)) {
        if is_firm(it, pod, ask)? {
            firm.insert(name(pod));
        }
    }
    let raised = |pod: &mut Value| {
        if let Some(spec) = pod.pointer_mut("/spec").and_then(Value::as_object_mut) {
            spec.insert("priority".to_owned(), json!(priority(it.pod)));
        }
    };
    Ok(with_pods(it, |pod| firm.contains(&name(pod)), raised))
}

/// Takes away the pods that are leaving: all of them for a group and for a pod with a quota, for another pod those that it might evict. No quota
/// counts the others.
fn without_leaving_pods(
    it: &CoschedulingSituation<'_>,
    ask: &mut JudgeClient<'_>,
) -> Result<Option<JudgeRequest>, TrialError> {
    if it.policy.places() {
        return Ok(None);
    }
    let counts_all = it.lacking().is_some() || it.answer.quotas.contains_key(namespace(it.pod));
    // The room of a pod that the plan could not evict is free on its own node. A pod that waits for leaving pods gets no plan.
    let has_plan = it.policy.plans() && !it.awaits_leaving();
    let makes_room = |pod: &Value| has_plan && text(pod, "/spec/nodeName") == it.policy.node;
    // A constraint between pods ends with the pod that leaves, on whichever node it is.
    let repels = |pod: &Value| has_plan && (is_constrained(it.pod) || is_constrained(pod));
    let mut gone = BTreeSet::new();
    for pod in pods(&it.question.objects).filter(|pod| is_terminating(pod)) {
        if counts_all || makes_room(pod) || repels(pod) || might_evict(it, &[it.pod], pod, ask)? {
            gone.insert(name(pod));
        }
    }
    Ok(changed(it, |question| {
        question.objects.retain(|object| text(object, "/kind") != "Pod" || !gone.contains(&name(object)));
        let others =
            question.objects.iter_mut().filter(|object| text(object, "/kind") == "Pod" && is_terminating(object));
        others.for_each(|pod| {
            if let Some(metadata) = pod.pointer_mut("/metadata").and_then(Value::as_object_mut) {
                metadata.insert("namespace".to_owned(), json!("leaving"));
            }
        });
    }))
}

/// Returns whether the PodGroup of a pod is missing.
pub(super) fn is_lost(it: &CoschedulingSituation<'_>) -> bool {
    group(it.pod).is_some_and(|named| minimum(&it.question.objects, &named).is_none())
}
