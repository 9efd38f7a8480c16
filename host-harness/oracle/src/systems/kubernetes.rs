//! kube-scheduler: Filter, and default preemption (`DefaultPreemption`, KEP-268, KEP-1923).

mod search;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::json;

use crate::ReadError;
use crate::amounts::Amounts;
use crate::outcome::{Ended, Outcome};
use crate::puzzle::{Asker, Mover, Puzzle};
use crate::tally::Verdict;
use crate::world::{Node, Pod, World};
use search::{Hope, Plan, hope, possible};
pub(crate) use search::{Mates, waits_for_victims};

/// Pods stand by priority, then by the time at which they came, then by name.
pub(crate) fn order(world: &World, order: &[String], verdict: &mut Verdict) {
    let mut expected: Vec<&Pod> = world.pods.values().filter(|pod| pod.pending()).collect();
    expected.sort_by_key(|pod| (Reverse(pod.priority), pod.entered, pod.created, &pod.name));
    if !expected.iter().map(|pod| &pod.name).eq(order) {
        verdict.breach("higher-priority-first", format!("the queue is {order:?}"));
    }
}

/// What is free on a node for a pod: the room of those of its priority or a higher one who are nominated there is kept.
pub(crate) fn free_for(world: &World, pod: &Pod, node: &Node, priority: fn(&Pod) -> i64) -> Amounts {
    let mut free = world.free(node);
    let kept = |other: &&Pod| {
        other.pending() && other.nominated.as_deref() == Some(&node.name) && priority(other) >= priority(pod)
    };
    world.pods.values().filter(kept).filter(|other| other.name != pod.name).for_each(|other| free.take(&other.request));
    free
}

/// The priority in the spec of a pod.
pub(crate) fn stated(pod: &Pod) -> i64 {
    pod.priority
}

/// The nodes that take a pod as things are.
pub(crate) fn takers<'w>(world: &'w World, pod: &Pod) -> Vec<&'w Node> {
    takers_by(world, pod, stated)
}

/// The same with priorities that stand elsewhere.
pub(crate) fn takers_by<'w>(world: &'w World, pod: &Pod, priority: fn(&Pod) -> i64) -> Vec<&'w Node> {
    let takes = |node: &&Node| world.may_run(pod, node) && pod.request.fits(&free_for(world, pod, node, priority));
    world.nodes.values().filter(takes).collect()
}

/// Judges one attempt.
pub(crate) fn attempt(world: &World, name: &str, outcome: &Outcome, verdict: &mut Verdict) -> Result<(), ReadError> {
    let pod = world.pods.get(name).ok_or_else(|| ReadError(format!("there is no pod `{name}`")))?;
    nominations(world, pod, &|_| false, outcome, verdict);
    let takers = takers(world, pod);
    if takers.is_empty() {
        without_room(world, pod, &|_| false, outcome, verdict);
    } else {
        filter(pod, &takers, outcome, verdict);
    }
    Ok(())
}

/// A pod that no node takes preempts, if that helps.
pub(crate) fn without_room(world: &World, pod: &Pod, mates: Mates<'_>, outcome: &Outcome, verdict: &mut Verdict) {
    let name = &pod.name;
    if outcome.ended == Some(Ended::Scheduled) {
        let text = format!("`{name}` was bound to {:?}, which has no room for it", outcome.node);
        return verdict.breach("bound-where-there-is-room", text);
    }
    let plans = match hope(world, pod, mates) {
        Hope::Barred(why) => {
            if !outcome.victims.is_empty() || !outcome.nominated.is_empty() {
                verdict.breach("may-preempt", format!("`{name}` preempted although: {why}"));
            }
            return verdict.excuse(why);
        }
        Hope::Plans(plans) => plans,
    };
    if outcome.ended == Some(Ended::Nominated) {
        legal(world, pod, mates, outcome, verdict);
    }
    best(world, pod, &plans, outcome, verdict);
}

/// A pod that a node takes is bound, to its nominated node where that takes it.
fn filter(pod: &Pod, takers: &[&Node], outcome: &Outcome, verdict: &mut Verdict) {
    let names: Vec<&str> = takers.iter().map(|node| node.name.as_str()).collect();
    let node = outcome.node.as_deref().unwrap_or_default();
    if outcome.ended != Some(Ended::Scheduled) || !names.contains(&node) {
        let text = format!("`{}` fits {names:?}, and the attempt ended {:?} {node}", pod.name, outcome.ended);
        return verdict.breach_expecting(
            "bound-where-there-is-room",
            text,
            json!({"result": "Scheduled", "nodeIn": names}),
        );
    }
    if let Some(nominated) = pod.nominated.as_deref().filter(|nominated| names.contains(nominated))
        && nominated != node
    {
        let text = format!("`{}` was bound to `{node}`, not to its nominated node `{nominated}`", pod.name);
        verdict.breach_expecting("nominated-node-first", text, json!({"node": nominated}));
    }
}

/// The victims may go, it then fits, and none of them could stay.
fn legal(world: &World, pod: &Pod, mates: Mates<'_>, outcome: &Outcome, verdict: &mut Verdict) {
    let Some(node) = outcome.node.as_ref().and_then(|node| world.nodes.get(node)) else { return };
    let possible = possible(world, pod, node, mates);
    for victim in &outcome.victims {
        if !possible.iter().any(|other| other.name == *victim) {
            let text = format!("`{victim}` is of no lower priority than `{}` on `{}`", pod.name, node.name);
            verdict.breach("victim-ranks-lower", text);
        }
    }
    let movers = possible.iter().map(|other| Mover { name: &other.name, node: 0, request: &other.request }).collect();
    let asker = Asker { request: &pod.request, nodes: vec![0] };
    let puzzle = Puzzle { free: vec![free_for(world, pod, node, stated)], movers, askers: vec![asker] };
    let leaving = |name: &str| world.pods.get(name).is_some_and(|pod| pod.leaving);
    let victims = puzzle.set(|name| outcome.victims.contains(name) || leaving(name));
    if !puzzle.solved_by(victims) {
        let text = format!("`{}` does not fit `{}` when {:?} have left", pod.name, node.name, outcome.victims);
        verdict.breach("nobody-is-evicted-in-vain", text);
    }
    for victim in &outcome.victims {
        if puzzle.solved_by(victims & !puzzle.set(|name| name == victim)) {
            verdict.breach("who-can-stay-stays", format!("`{victim}` need not go for `{}`", pod.name));
        }
    }
    let leaves = puzzle.set(leaving);
    let fewest = puzzle.fewest(victims.count_ones() as usize, |set| set & leaves == leaves);
    let already = leaves.count_ones() as usize;
    verdict.planned(outcome.victims.len(), fewest.map(|fewest| fewest.saturating_sub(already)));
}

/// The plan is the one that kube-scheduler would choose.
fn best(world: &World, pod: &Pod, plans: &[Plan], outcome: &Outcome, verdict: &mut Verdict) {
    let Some(best) = plans.first() else {
        if outcome.ended == Some(Ended::Nominated) {
            let text = format!("`{}` was nominated although nobody can make enough room", pod.name);
            verdict.breach_expecting(
                "nobody-is-evicted-in-vain",
                text,
                json!({"result": "Unschedulable", "victims": []}),
            );
        }
        return;
    };
    let stays = |name: &&String| world.pods.get(*name).is_some_and(|pod| !pod.leaving);
    let victims: BTreeSet<String> = best.victims.iter().filter(stays).cloned().collect();
    if outcome.node.as_ref() != Some(&best.node) || outcome.victims != victims {
        let text = format!(
            "`{}` was to be nominated to `{}` with the victims {victims:?}; it ended {:?} {:?} {:?}",
            pod.name, best.node, outcome.ended, outcome.node, outcome.victims
        );
        let expect = json!({"result": "Nominated", "nominated": {&pod.name: best.node}, "victims": victims});
        verdict.breach_expecting("best-node-first", text, expect);
    }
}

/// Those of lower priority who are nominated to a node lose that when somebody preempts there; a pod that can hope for nothing
/// loses its own; every other nomination stands.
pub(crate) fn nominations(world: &World, pod: &Pod, mates: Mates<'_>, outcome: &Outcome, verdict: &mut Verdict) {
    let Some(standing) = &outcome.standing else { return };
    let waits = waits_for_victims(world, pod) || is_held_up(world, pod, mates, stated);
    let hopeless = outcome.ended == Some(Ended::Unschedulable) && !pod.never_preempts && !waits;
    for other in world.pods.values().filter(|other| other.pending() && other.nominated.is_some()) {
        let own = other.name == pod.name;
        let planned = outcome.nominated.values().any(|node| other.nominated.as_ref() == Some(node));
        let displaced = planned && other.priority < pod.priority && !mates(other);
        let lost = displaced && !own || own && hopeless;
        let moved = outcome.bound.contains_key(&other.name)
            || outcome.waiting.contains(&other.name)
            || outcome.nominated.contains_key(&other.name);
        if !moved && lost == standing.contains_key(&other.name) {
            let text = format!("`{}` should {} its nomination", other.name, if lost { "lose" } else { "keep" });
            verdict.breach("nomination-is-kept", text);
        }
    }
}

/// Whether those who are held at permit, and rank no lower, are all that keeps a pod from the node that it is nominated to. They may be
/// rejected yet. It has lost nothing for good, so its promise stands and it evicts nobody else: who went for it would be created anew,
/// take the room behind it, and be evicted for it again, for ever.
pub(crate) fn is_held_up(world: &World, pod: &Pod, mates: Mates<'_>, priority: fn(&Pod) -> i64) -> bool {
    let Some(node) = pod.nominated.as_ref().and_then(|node| world.nodes.get(node)) else { return false };
    let mut free = free_for(world, pod, node, priority);
    let full = !pod.request.fits(&free);
    let held = world.on(&node.name).filter(|other| other.held.is_some() && priority(other) >= priority(pod));
    held.filter(|other| !mates(other)).for_each(|other| free.add(&other.request));
    full && world.may_run(pod, node) && pod.request.fits(&free)
}
