//! kube-scheduler: Filter, and default preemption (`DefaultPreemption`, KEP-268, KEP-1923).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::ReadError;
use crate::amounts::Amounts;
use crate::outcome::{Ended, Outcome};
use crate::puzzle::{Asker, Mover, Puzzle};
use crate::tally::Verdict;
use crate::world::{Node, Pod, World, at, text};

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

/// A preemption on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Plan {
    node: String,
    victims: BTreeSet<String>,
    violations: usize,
}

/// What may come of a preemption by a pod that no node takes.
enum Hope {
    /// It may not preempt, for this reason.
    Barred(&'static str),
    /// It may, and these are the plans, the best first; none where nobody can make enough room.
    Plans(Vec<Plan>),
}

/// Which pods are of the group of the one that asks: a group does not preempt itself, nor wait for itself.
pub(crate) type Mates<'a> = &'a dyn Fn(&Pod) -> bool;

/// The plans that kube-scheduler would find for a pod.
fn hope(world: &World, pod: &Pod, mates: Mates<'_>) -> Hope {
    if pod.never_preempts {
        return Hope::Barred("preemptionPolicy Never");
    }
    if waits_for_victims(world, pod) {
        return Hope::Barred("victims on the nominated node are leaving");
    }
    if is_held_up(world, pod, mates, stated) {
        return Hope::Barred("its room is held at permit");
    }
    let mut plans: Vec<(Rank, Plan)> = Vec::new();
    for node in world.nodes.values().filter(|node| could(world, pod, node)) {
        plans.extend(victims_on(world, pod, node, mates).map(|plan| (rank(world, &plan), plan)));
    }
    plans.sort_by(|a, b| a.0.cmp(&b.0));
    Hope::Plans(plans.into_iter().map(|(_, plan)| plan).collect())
}

/// Whether a pod waits for its victims: pods of lower priority are leaving the node that it is nominated to.
pub(crate) fn waits_for_victims(world: &World, pod: &Pod) -> bool {
    let node = pod.nominated.as_ref().and_then(|node| world.nodes.get(node)).filter(|node| could(world, pod, node));
    node.is_some_and(|node| world.on(&node.name).any(|other| other.leaving && other.priority < pod.priority))
}

/// Whether preemption on the node can help at all: it fails for want of room alone, and is large enough.
fn could(world: &World, pod: &Pod, node: &Node) -> bool {
    world.may_run(pod, node) && pod.request.fits(&node.allocatable)
}

/// Those who may be victims of a pod on a node: of strictly lower priority, and not of its group.
fn possible<'w>(world: &'w World, pod: &Pod, node: &'w Node, mates: Mates<'_>) -> Vec<&'w Pod> {
    let priority = pod.priority;
    let lower = world.on(&node.name).filter(|other| other.priority < priority && !mates(other));
    let mut possible: Vec<&Pod> = lower.collect();
    // The most important first: higher priority, then the earlier start, where none said is now. Upstream leaves equals as it
    // finds them; the policy takes the older one, then the first by name, for the more important.
    possible.sort_by_key(|other| {
        (Reverse(other.priority), other.started.unwrap_or(world.now), other.created, other.name.clone())
    });
    possible
}

/// SelectVictimsOnNode: remove all, see whether it fits, put back who need not go.
fn victims_on(world: &World, pod: &Pod, node: &Node, mates: Mates<'_>) -> Option<Plan> {
    let possible = possible(world, pod, node, mates);
    if possible.is_empty() {
        return None;
    }
    let mut free = free_for(world, pod, node, stated);
    possible.iter().for_each(|victim| free.add(&victim.request));
    if !pod.request.fits(&free) {
        return None;
    }
    // Nobody goes so that somebody can stay who leaves anyway.
    let (leaving, staying): (Vec<&Pod>, Vec<&Pod>) = possible.iter().partition(|victim| victim.leaving);
    let violating = violating(world, &staying);
    let (first, then): (Vec<&Pod>, Vec<&Pod>) = staying.iter().partition(|victim| violating.contains(&victim.name));
    let mut victims = BTreeSet::new();
    let mut violations = 0;
    for victim in first.into_iter().chain(then).chain(leaving) {
        free.take(&victim.request);
        if !pod.request.fits(&free) {
            free.add(&victim.request);
            violations += usize::from(violating.contains(&victim.name));
            victims.insert(victim.name.clone());
        }
    }
    Some(Plan { node: node.name.clone(), victims, violations })
}

/// Those whose eviction violates a budget, when the most important use up what it allows.
fn violating(world: &World, possible: &[&Pod]) -> BTreeSet<String> {
    let mut left: BTreeMap<&str, i64> = BTreeMap::new();
    let budgets: Vec<&Value> = world.all("PodDisruptionBudget").collect();
    for budget in &budgets {
        let allowed = at(budget, "/status/disruptionsAllowed").and_then(Value::as_i64).unwrap_or(0);
        left.insert(text(budget, "/metadata/name"), allowed);
    }
    let mut violating = BTreeSet::new();
    for pod in possible {
        for budget in budgets.iter().filter(|budget| guards(budget, pod)) {
            let left = left.entry(text(budget, "/metadata/name")).or_insert(0);
            *left -= 1;
            if *left < 0 {
                violating.insert(pod.name.clone());
            }
        }
    }
    violating
}

/// Whether a budget counts a pod: same namespace, a selector that is not empty and matches, not disrupted already.
fn guards(budget: &Value, pod: &Pod) -> bool {
    let wanted = at(budget, "/spec/selector/matchLabels").and_then(Value::as_object);
    let matches = wanted
        .is_some_and(|wanted| !wanted.is_empty() && wanted.iter().all(|(key, value)| pod.label(key) == value.as_str()));
    let name = text(&pod.object, "/metadata/name");
    let disrupted = at(budget, "/status/disruptedPods").is_some_and(|pods| pods.get(name).is_some());
    matches && !disrupted && text(budget, "/metadata/namespace") == pod.namespace
}

/// What pickOneNodeForPreemption compares, the least first.
type Rank = (usize, Option<i64>, i64, usize, Reverse<i64>, String);

fn rank(world: &World, plan: &Plan) -> Rank {
    let victims: Vec<&Pod> = plan.victims.iter().filter_map(|name| world.pods.get(name)).collect();
    let highest = victims.iter().map(|victim| victim.priority).max();
    let sum = victims.iter().map(|victim| victim.priority + (1 << 31)).sum();
    let of_highest = victims.iter().filter(|victim| Some(victim.priority) == highest);
    let earliest = of_highest.map(|victim| victim.started.unwrap_or(world.now)).min().unwrap_or(i64::MAX);
    (plan.violations, highest, sum, victims.len(), Reverse(earliest), plan.node.clone())
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
