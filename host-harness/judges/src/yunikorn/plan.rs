//! Whether the policy's rulings on candidates and on the choice among plans allow a plan: of no difference in which the policy evicts pods is
//! anything else explained before.

use super::situations::{
    breaks_laws_of_daemon_sets, is_under_the_guarantee, takes_leaf_below_guarantee, takes_more_than_an_even_share,
    takes_parent_below_guarantee,
};
use super::view::{YunikornPod, YunikornSituation, amount, chain, evicts, is_within};
use crate::object::{is_nominated, is_terminating, name, text};

/// The number of candidates on a node up to which all plans there are compared.
const MOST: usize = 12;

/// How much rounding may separate equal shares of the cluster, in parts per billion.
const ROUNDING: i128 = 16;

/// Returns whether the policy evicts no pod, or pods that the core may evict for the pod, too, and no plan is better by ruling A6.
pub(super) fn is_sound(it: &YunikornSituation<'_>) -> bool {
    let victims = it.named(&it.policy.victims);
    !evicts(it.policy)
        || victims.len() == it.policy.victims.len()
            && victims.iter().all(|victim| is_candidate(it, victim) || makes_the_rest(it, victim, &victims))
            && is_least(it, &victims)
}

/// Returns whether the core may evict a pod for the one that is tried, whatever else is evicted.
fn is_candidate(it: &YunikornSituation<'_>, member: &YunikornPod<'_>) -> bool {
    it.answer.candidates.contains(&name(member.object))
}

/// Returns whether a pod makes what its others leave to make: a place on the node, where it holds nothing else of what the pod requests, or the room
/// there, where others make that below the maximum of a queue.
fn makes_the_rest(it: &YunikornSituation<'_>, member: &YunikornPod<'_>, plan: &[YunikornPod<'_>]) -> bool {
    let holds = |resource: &str| resource != "pods" && amount(Some(&member.core.uses), resource) > 0;
    let holds_nothing = !it.requested().any(|(resource, _)| holds(resource));
    let is_inside = |path: &str, pod: &YunikornPod<'_>| is_within(&pod.core.queue, path);
    let is_made_inside = |path: &str| {
        it.exceeds_maximum(path, true) && !is_inside(path, member) && plan.iter().any(|other| is_inside(path, other))
    };
    holds_nothing || chain(&it.core_pod.queue).any(is_made_inside)
}

/// Returns whether no plan that the rulings allow is better.
fn is_least(it: &YunikornSituation<'_>, plan: &[YunikornPod<'_>]) -> bool {
    it.answer.free.keys().all(|node| {
        let there =
            |member: &YunikornPod<'_>| text(member.object, "/spec/nodeName") == node && is_candidate(it, member);
        let candidates: Vec<YunikornPod<'_>> = it.members().filter(there).collect();
        if candidates.len() > MOST || is_node_unusable(it, node) {
            return true;
        }
        (1u32..1 << candidates.len()).all(|set| {
            let is_in = |at: u32| set & (1 << at) != 0;
            let other: Vec<YunikornPod<'_>> =
                (0..).zip(&candidates).filter(|(at, _)| is_in(*at)).map(|(_, member)| *member).collect();
            !is_better(it, &other, plan) || !is_allowed(it, node, &other)
        })
    })
}

/// Returns whether a node is kept for a pod of a DaemonSet, or is not that of the pod that is tried.
fn is_node_unusable(it: &YunikornSituation<'_>, node: &str) -> bool {
    let is_other = it.is_of_daemon_set() && it.core_pod.required != node;
    is_other || it.waiting().any(|other| other.core.required == node)
}

/// Returns whether a plan is better than another one, in the words of ruling A6: fewest protected pods, fewest pods, least important, smallest
/// part of the cluster held, youngest. How often applications were evicted before is not known, so that the age is compared between plans with
/// the same applications.
fn is_better(it: &YunikornSituation<'_>, one: &[YunikornPod<'_>], other: &[YunikornPod<'_>]) -> bool {
    let worth = |plan: &[YunikornPod<'_>]| (protected(it, plan), plan.len(), plan.iter().map(priority).max());
    let (first, second) = (worth(one), worth(other));
    if first != second {
        return first < second;
    }
    let (first, second) = (share(it, one), share(it, other));
    if (first - second).abs() > ROUNDING {
        return first < second;
    }
    let apps = |plan: &[YunikornPod<'_>]| {
        let mut apps: Vec<String> = plan.iter().map(|victim| victim.core.app.clone()).collect();
        apps.sort();
        apps
    };
    let youngest = |plan: &[YunikornPod<'_>]| {
        plan.iter().map(|victim| text(victim.object, "/metadata/creationTimestamp").to_owned()).max()
    };
    apps(one) == apps(other) && youngest(one) > youngest(other)
}

/// Returns how many pods of a plan are protected: those that opted out and originators, the ones that are protected most first.
pub(super) fn protected(it: &YunikornSituation<'_>, plan: &[YunikornPod<'_>]) -> (usize, usize) {
    let opted_out = plan.iter().filter(|victim| victim.core.opted_out).count();
    let originators = plan.iter().filter(|victim| victim.core.originator).count();
    if it.is_of_daemon_set() { (originators, opted_out) } else { (opted_out, originators) }
}

/// Returns the priority of a pod, without offsets of queues.
pub(super) fn priority(member: &YunikornPod<'_>) -> i64 {
    member.core.priority
}

/// Returns the part of the cluster that pods hold, summed over the resources, in parts per billion.
fn share(it: &YunikornSituation<'_>, plan: &[YunikornPod<'_>]) -> i128 {
    let total = it.answer.max.get("root").into_iter().flatten().filter(|(_, total)| **total > 0);
    let of = |(resource, total): (&String, &i64)| -> i128 {
        let held: i64 = plan.iter().map(|victim| amount(Some(&victim.core.uses), resource)).sum();
        i128::from(held) * 1_000_000_000 / i128::from(*total)
    };
    total.map(of).sum()
}

/// Returns whether the rulings allow a plan on a node: it makes the room there and below the maxima, and laws 2 and 4 hold.
fn is_allowed(it: &YunikornSituation<'_>, node: &str, plan: &[YunikornPod<'_>]) -> bool {
    let fits = |path: &str| {
        it.requested().all(|(resource, request)| {
            let freed: i64 = plan
                .iter()
                .filter(|victim| is_within(&victim.core.queue, path))
                .map(|victim| amount(Some(&victim.core.uses), resource))
                .sum();
            let then = amount(it.answer.usage.get(path), resource) + it.promised(path, resource) + request - freed;
            it.answer.max.get(path).and_then(|max| max.get(resource)).is_none_or(|max| then <= *max)
        })
    };
    let is_inside = |path: &str| plan.iter().all(|victim| is_within(&victim.core.queue, path));
    frees_enough(it, node, plan)
        && !breaks_laws_of_daemon_sets(it, plan)
        && !plan.iter().any(|victim| shares_a_guarantee(it, victim))
        && chain(&it.core_pod.queue).all(|path| fits(path) && (!it.exceeds_maximum(path, true) || is_inside(path)))
        && (it.is_of_daemon_set() || is_under_the_guarantee(it, plan))
        && !takes_leaf_below_guarantee(it, plan)
        && !takes_parent_below_guarantee(it, plan)
        && !takes_more_than_an_even_share(it, plan)
}

/// Returns whether a victim and the pod share a guarantee that is not used up, of a resource of which neither has one nearer (law 5).
fn shares_a_guarantee(it: &YunikornSituation<'_>, victim: &YunikornPod<'_>) -> bool {
    let is_shared = |path: &&str| is_within(&victim.core.queue, path) && is_within(&it.core_pod.queue, path);
    let nearest = |queue: &str, resource: &str| {
        let mut guaranteed =
            chain(queue).filter(|path| it.answer.guaranteed.get(*path).is_some_and(|of| of.contains_key(resource)));
        guaranteed.next().map(str::to_owned)
    };
    it.requested().filter(|(resource, _)| *resource != "pods").any(|(resource, _)| {
        let (own, theirs) = (nearest(&it.core_pod.queue, resource), nearest(&victim.core.queue, resource));
        let shared = own.filter(|path| Some(path) == theirs.as_ref()).filter(|path| is_shared(&path.as_str()));
        shared.is_some_and(|path| {
            amount(it.answer.usage.get(&path), resource) <= amount(it.answer.guaranteed.get(&path), resource)
        })
    })
}

/// Returns whether a node has room for the pod, and for nominated ones, with these pods and those that leave gone.
pub(super) fn frees_enough(it: &YunikornSituation<'_>, node: &str, plan: &[YunikornPod<'_>]) -> bool {
    let on_node =
        |member: &YunikornPod<'_>| text(member.object, "/spec/nodeName") == node && is_terminating(member.object);
    let nominated =
        |other: &YunikornPod<'_>| is_nominated(other.object) && text(other.object, "/status/nominatedNodeName") == node;
    it.requested().all(|(resource, request)| {
        let of = |member: &YunikornPod<'_>| amount(Some(&member.core.uses), resource);
        let made: i64 = it.members().filter(on_node).chain(plan.iter().copied()).map(|member| of(&member)).sum();
        let promised: i64 = it.waiting().filter(nominated).map(|member| of(&member)).sum();
        amount(it.answer.free.get(node), resource) + made - promised >= request
    })
}
