//! The situations in which a ruling applies, in terms of what the judge says of the cluster.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::Value;

use super::answer::{Amounts, YunikornDecision, YunikornResult};
use super::plan::{frees_enough, priority, protected};
use super::view::{YunikornPod, YunikornSituation, amount, chain, is_within};
use crate::object::{is_terminating, name, text};

/// Returns whether these pods leave a queue below its guarantee, in a resource that one of them uses.
fn leaves_below(it: &YunikornSituation<'_>, path: &str, victims: &[YunikornPod<'_>]) -> bool {
    let of_it: Vec<&YunikornPod<'_>> = victims.iter().filter(|victim| is_within(&victim.core.queue, path)).collect();
    let guaranteed = it.answer.guaranteed.get(path).into_iter().flatten();
    guaranteed
        .filter(|(resource, _)| of_it.iter().any(|victim| amount(Some(&victim.core.uses), resource) > 0))
        .any(|(resource, guaranteed)| it.usage_without(path, victims, resource) < *guaranteed)
}

/// Returns whether the victims leave a leaf below its guarantee.
pub(super) fn takes_leaf_below_guarantee(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    !it.is_of_daemon_set() && victims.iter().any(|victim| leaves_below(it, &victim.core.queue, victims))
}

/// Returns whether the victims leave a parent that is none of the pod's below its guarantee.
pub(super) fn takes_parent_below_guarantee(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    let parents = victims.iter().flat_map(|victim| chain(&victim.core.queue).skip(1));
    let mut others = parents.filter(|path| !is_within(&it.core_pod.queue, path));
    !it.is_of_daemon_set() && others.any(|path| leaves_below(it, path, victims))
}

/// Returns whether a victim is on another node than the pod will be.
pub(super) fn evicts_elsewhere(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    victims.iter().any(|victim| text(victim.object, "/spec/nodeName") != it.upstream().node)
}

/// Returns whether a DaemonSet pod may not preempt, or a victim is of its application.
pub(super) fn breaks_laws_of_daemon_sets(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    let may_not = text(it.pod, "/spec/preemptionPolicy") == "Never";
    it.is_of_daemon_set() && (may_not || victims.iter().any(|victim| victim.core.app == it.core_pod.app))
}

/// Returns whether the node selector of a DaemonSet pod does not select the node of upstream's plan.
pub(super) fn is_no_node_of_the_daemon_set_pod(it: &YunikornSituation<'_>, _: &[YunikornPod<'_>]) -> bool {
    let is_it =
        |object: &&Value| text(object, "/kind") == "Node" && text(object, "/metadata/name") == it.upstream().node;
    let labels = it.objects.iter().find(is_it).and_then(|node| node.pointer("/metadata/labels"));
    let wanted = it.pod.pointer("/spec/nodeSelector").and_then(Value::as_object);
    let has = |(key, value): (&String, &Value)| labels.and_then(|labels| labels.get(key)) == Some(value);
    it.is_of_daemon_set() && !wanted.into_iter().flatten().all(has)
}

/// Returns whether the node of upstream's plan has too little room for the pod with the victims gone.
pub(super) fn frees_too_little(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    let node = &it.upstream().node;
    it.requested().any(|(resource, request)| {
        let there = victims.iter().filter(|victim| text(victim.object, "/spec/nodeName") == node);
        let made: i64 = there.map(|victim| amount(Some(&victim.core.uses), resource)).sum();
        amount(it.answer.free.get(node), resource) + made < request
    })
}

/// Returns whether a queue of a DaemonSet pod, or the cluster, has less left than the pod requests.
pub(super) fn daemon_set_is_at_a_maximum(it: &YunikornSituation<'_>, _: &[YunikornPod<'_>]) -> bool {
    it.is_of_daemon_set() && chain(&it.core_pod.queue).any(|path| it.exceeds_maximum(path, false))
}

/// Returns whether nominated pods count for a maximum that the pod exceeds with them, and with them only.
pub(super) fn is_promised_the_maximum(it: &YunikornSituation<'_>) -> bool {
    chain(&it.core_pod.queue).any(|path| it.exceeds_maximum(path, true) && !it.exceeds_maximum(path, false))
}

/// Returns whether the nearest guarantee of the pod's queue is used up in a resource that the pod requests, nominated pods included.
fn uses_up(it: &YunikornSituation<'_>, with_promised: bool) -> bool {
    it.requested().any(|(resource, _)| {
        let mut queues = chain(&it.core_pod.queue);
        let nearest = queues.find_map(|path| Some((path, it.guarantee(path, resource)?)));
        nearest.is_some_and(|(path, guaranteed)| {
            let promised = if with_promised { it.promised(path, resource) } else { 0 };
            it.usage_without(path, &[], resource) + promised >= guaranteed
        })
    })
}

/// Returns whether nominated pods alone make the nearest guarantee of the pod's queue used up.
pub(super) fn is_promised_the_guarantee(it: &YunikornSituation<'_>, _: &[YunikornPod<'_>]) -> bool {
    !it.is_of_daemon_set() && uses_up(it, true) && !uses_up(it, false)
}

/// Returns whether the nearest guarantee of the pod's queue is used up.
pub(super) fn is_over_the_guarantee(it: &YunikornSituation<'_>, _: &[YunikornPod<'_>]) -> bool {
    !it.is_of_daemon_set() && uses_up(it, false)
}

/// Returns whether the pod's side of a shared guarantee has more of it afterwards than that of a victim.
pub(super) fn takes_more_than_an_even_share(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    let branch = |path: &str, parent: &str| chain(path).take_while(|path| *path != parent).last().map(str::to_owned);
    !it.is_of_daemon_set()
        && victims.iter().any(|victim| {
            let Some(shared) = chain(&victim.core.queue).find(|path| is_within(&it.core_pod.queue, path)) else {
                return false;
            };
            let (Some(mine), Some(theirs)) = (branch(&it.core_pod.queue, shared), branch(&victim.core.queue, shared))
            else {
                return false;
            };
            it.requested().any(|(resource, request)| {
                let is_shared = chain(shared).any(|path| it.guarantee(path, resource).is_some());
                let used = it.usage_without(&mine, &[], resource) + it.promised(&mine, resource) + request;
                is_shared && used > it.usage_without(&theirs, victims, resource)
            })
        })
}

/// Returns whether policy and upstream both let the pod look for such victims: no ruling explains a plan that one of them forbids from the start.
pub(super) fn may_be_made(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    let is_tried = it.answer.why.contains("Preemption") && !it.answer.why.contains("Preemption preconditions failed");
    // Running pods that the core does not know are of another scheduler.
    let are_known = victims.len() == it.policy.victims.len();
    are_known && (it.is_of_daemon_set() || is_tried && is_under_the_guarantee(it, victims))
}

/// Returns whether, of each requested resource, the nearest queue that guarantees it is under its guarantee, or is a parent that ends within it
/// by victims inside it, as ruling D7 says.
pub(super) fn is_under_the_guarantee(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    let mut judged = it.requested().filter_map(|(resource, request)| {
        let mut queues = chain(&it.core_pod.queue);
        let (path, guaranteed) = queues.find_map(|path| Some((path, it.guarantee(path, resource)?)))?;
        let held = |gone: &[YunikornPod<'_>]| it.usage_without(path, gone, resource) + it.promised(path, resource);
        let is_inside = victims.iter().all(|victim| is_within(&victim.core.queue, path));
        let ends_within = held(&[]) <= guaranteed && held(victims) + request <= guaranteed;
        Some(held(&[]) < guaranteed || path != it.core_pod.queue && is_inside && ends_within)
    });
    judged.next().is_some_and(|first| first && judged.all(|is_under| is_under))
}

/// Returns whether the victims are smaller than the pod, or upstream says that those of its plan are.
pub(super) fn victims_are_smaller(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    let is_short = it.answer.why.contains("Preemption helped but short of resources");
    is_short
        || it.requested().any(|(resource, request)| {
            let made: i64 = victims.iter().map(|victim| amount(Some(&victim.core.uses), resource)).sum();
            made < request
        })
}

/// Returns whether the candidates on the node use more than what is left of the guarantee. Where a node has room for the pod, and a maximum has
/// none, upstream looks for candidates on all nodes.
pub(super) fn meets_large_pods(it: &YunikornSituation<'_>, _: &[YunikornPod<'_>]) -> bool {
    let has_room = |free: &Amounts| it.requested().all(|(resource, request)| amount(Some(free), resource) >= request);
    let is_everywhere = it.answer.free.values().any(has_room);
    let there = |member: &YunikornPod<'_>| is_everywhere || text(member.object, "/spec/nodeName") == it.policy.node;
    let candidates: Vec<YunikornPod<'_>> =
        it.members().filter(there).filter(|member| it.answer.candidates.contains(&name(member.object))).collect();
    let guaranteed = chain(&it.core_pod.queue).filter_map(|path| it.answer.guaranteed.get(path)).flatten();
    guaranteed.map(|(resource, _)| resource).any(|resource| {
        let size: i64 = candidates.iter().map(|member| amount(Some(&member.core.uses), resource)).sum();
        let left = |path: &str| Some(it.guarantee(path, resource)? - it.usage_without(path, &[], resource));
        chain(&it.core_pod.queue).filter_map(left).any(|left| size > left)
    })
}

/// Returns whether the pods that upstream takes on the node of the policy's plan make no room for the pod: the youngest first, while their queue is
/// over its guarantee. By then the queue of another victim of the plan gives no more.
pub(super) fn gives_youngest_uselessly(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    let node = &it.policy.node;
    let is_candidate = |member: &YunikornPod<'_>| it.answer.candidates.contains(&name(member.object));
    let there = |member: &YunikornPod<'_>| text(member.object, "/spec/nodeName") == node && is_candidate(member);
    let mut candidates: Vec<YunikornPod<'_>> = it.members().filter(there).collect();
    candidates.sort_by_key(|member| {
        let created = text(member.object, "/metadata/creationTimestamp");
        (member.core.opted_out, member.core.originator, Reverse(created), name(member.object))
    });
    let mut taken: Vec<YunikornPod<'_>> = Vec::new();
    for candidate in candidates {
        if is_reclaimable(it, &candidate.core.queue, &taken) {
            taken.push(candidate);
        }
    }
    let is_taken = |victim: &YunikornPod<'_>| taken.iter().any(|other| name(other.object) == name(victim.object));
    !it.is_of_daemon_set() && !victims.iter().all(is_taken) && !frees_enough(it, node, &taken)
}

/// Returns whether a queue gives pods when these are gone: it, or a queue above it that is none of the pod's, is over its guarantee of a resource that
/// the pod requests, or none of them guarantees anything.
fn is_reclaimable(it: &YunikornSituation<'_>, queue: &str, gone: &[YunikornPod<'_>]) -> bool {
    let own = || chain(queue).filter(|path| !is_within(&it.core_pod.queue, path));
    let over = |path: &str, resource: &str| {
        it.guarantee(path, resource).is_some_and(|guaranteed| it.usage_without(path, gone, resource) > guaranteed)
    };
    own().all(|path| !it.answer.guaranteed.contains_key(path))
        || it.requested().any(|(resource, _)| own().any(|path| over(path, resource)))
}

/// Returns whether a victim is outside of a queue that would exceed its maximum or the size of the cluster.
pub(super) fn has_parent_as_large_as_the_cluster(it: &YunikornSituation<'_>, victims: &[YunikornPod<'_>]) -> bool {
    let mut full = chain(&it.core_pod.queue).filter(|path| it.exceeds_maximum(path, false));
    full.any(|path| victims.iter().any(|victim| !is_within(&victim.core.queue, path)))
}

/// Returns whether the pods that leave a node make the room of the pod, with what is free there.
pub(super) fn has_capacity_leaving(it: &YunikornSituation<'_>, _: &[YunikornPod<'_>]) -> bool {
    it.answer.free.iter().any(|(node, free)| {
        let leaving: Vec<YunikornPod<'_>> = it
            .members()
            .filter(|member| is_terminating(member.object) && text(member.object, "/spec/nodeName") == node)
            .collect();
        let made = |resource| leaving.iter().map(|member| amount(Some(&member.core.uses), resource)).sum::<i64>();
        !leaving.is_empty()
            && it.requested().all(|(resource, request)| amount(Some(free), resource) + made(resource) >= request)
    })
}

/// Returns whether a queue of the pod exceeds its guarantee with the pod.
pub(super) fn exceeds_the_guarantee(it: &YunikornSituation<'_>, _: &[YunikornPod<'_>]) -> bool {
    it.requested().any(|(resource, request)| {
        let over = |path: &str| {
            it.guarantee(path, resource)
                .is_some_and(|guaranteed| it.usage_without(path, &[], resource) + request > guaranteed)
        };
        chain(&it.core_pod.queue).any(over)
    })
}

/// Returns whether policy or upstream uses a node that is kept for another pod.
pub(super) fn uses_reserved_node(it: &YunikornSituation<'_>) -> bool {
    let uses = |decision: &YunikornDecision| {
        matches!(decision.result, YunikornResult::Bound | YunikornResult::Preempts | YunikornResult::Reserves)
    };
    let mut nodes: BTreeSet<&str> = BTreeSet::new();
    nodes.extend([it.policy, it.upstream()].into_iter().filter(|it| uses(it)).map(|it| it.node.as_str()));
    nodes.into_iter().any(|node| it.is_reserved(node))
}

/// Returns whether the policy's plan evicts fewer protected pods than upstream's, or as many and not more pods, of which none is more important than
/// all of upstream's.
pub(super) fn is_no_worse(it: &YunikornSituation<'_>) -> bool {
    let worth = |names: &[String]| {
        let victims = it.named(names);
        (protected(it, &victims), victims.len(), victims.iter().map(priority).max())
    };
    worth(&it.policy.victims) <= worth(&it.upstream().victims)
}

/// Returns whether the policy refuses the pod for task groups that start whole or not at all.
pub(super) fn is_refused_for_task_groups(it: &YunikornSituation<'_>) -> bool {
    let annotation = |name: &str| it.pod.pointer("/metadata/annotations").and_then(|all| all.get(name)?.as_str());
    let style = annotation("yunikorn.apache.org/schedulingPolicyParameters").unwrap_or_default();
    it.policy.result == YunikornResult::Refused
        && annotation("yunikorn.apache.org/task-groups").is_some()
        && style.contains("gangSchedulingStyle=Hard")
}
