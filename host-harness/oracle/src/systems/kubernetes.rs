//! kube-scheduler: Filter, and default preemption (`DefaultPreemption`, KEP-268, KEP-1923).

mod groups;
mod search;
mod whole;

use std::collections::BTreeSet;

use serde_json::json;

use crate::ReadError;
use crate::amounts::Amounts;
use crate::outcome::{Ended, Outcome};
use crate::placement::{Candidate, IncomingPod, PlacementProblem, Set};
use crate::systems::rounds::Rounds;
use crate::tally::Verdict;
use crate::world::{Node, Pod, World};
pub(crate) use search::{Eligible, SameGroup, free_when_left, violating, waits_for_victims};
use search::{forbidden, plans, possible};

/// Judges the queue: by priority, then by the time at which pods entered, then by name.
pub(crate) fn order(world: &World, order: &[String], verdict: &mut Verdict) {
    let world = &groups::with_priorities(world);
    let mut expected: Vec<&Pod> = world.pods.values().filter(|pod| pod.pending()).collect();
    expected.sort_by_cached_key(|pod| groups::place_in_queue(world, pod));
    if !expected.iter().map(|pod| &pod.name).eq(order) {
        verdict.breach("higher-priority-first", format!("the queue is {order:?}"));
    }
}

/// Computes the free amounts on a node for a pod. Capacity is reserved for other nominated pods with the same or a higher priority.
pub(crate) fn free_for(world: &World, pod: &Pod, node: &Node, priority: fn(&Pod) -> i64) -> Amounts {
    let mut free = world.free(node);
    let kept = |other: &&Pod| {
        other.pending() && other.nominated.as_deref() == Some(&node.name) && priority(other) >= priority(pod)
    };
    world.pods.values().filter(kept).filter(|other| other.name != pod.name).for_each(|other| free.take(&other.request));
    free
}

/// Returns the priority in the spec of a pod.
pub(crate) fn spec_priority(pod: &Pod) -> i64 {
    pod.priority
}

/// Returns the nodes that fit a pod without evictions.
pub(crate) fn fitting_nodes<'w>(world: &'w World, pod: &Pod) -> Vec<&'w Node> {
    fitting_nodes_by(world, pod, spec_priority)
}

/// Returns the nodes that fit a pod without evictions, with another source of priorities.
pub(crate) fn fitting_nodes_by<'w>(world: &'w World, pod: &Pod, priority: fn(&Pod) -> i64) -> Vec<&'w Node> {
    let takes = |node: &&Node| {
        world.may_run(pod, node)
            && pod.request.fits(&free_for(world, pod, node, priority))
            && world.agrees((pod, node), |_| false, |other| other.leaving, priority)
    };
    world.nodes.values().filter(takes).collect()
}

/// Returns whether two pods are of one PodGroup.
pub(crate) fn are_of_one_group(pod: &Pod, other: &Pod) -> bool {
    groups::group(pod).is_some() && groups::group(pod) == groups::group(other)
}

/// The state that is kept between attempts.
#[derive(Debug, Default)]
pub(crate) struct Memory(Rounds);

impl Memory {
    /// Forgets the rounds of the groups whose pods lose what they held at permit as time passes. These pods may be tried again at once.
    pub(crate) fn advance(&mut self, world: &World, outcome: &Outcome) {
        let late = world.pods.values().filter(|pod| pod.held.is_some() && !outcome.waiting.contains(&pod.name));
        late.filter_map(groups::group).for_each(|group| self.0.forget(group));
    }
}

/// Judges one attempt.
pub(crate) fn attempt(
    world: &World,
    memory: &mut Memory,
    name: &str,
    outcome: &Outcome,
    verdict: &mut Verdict,
) -> Result<(), ReadError> {
    let world = &groups::with_priorities(world);
    let pod = world.pods.get(name).ok_or_else(|| ReadError(format!("there is no pod `{name}`")))?;
    if groups::attempt(world, &mut memory.0, pod, outcome, verdict) {
        return Ok(());
    }
    nominations(world, pod, &|_| false, outcome, verdict);
    let fitting_nodes = fitting_nodes(world, pod);
    if fitting_nodes.is_empty() && groups::any_leaves_whole(world) {
        groups::legal_for_one(world, pod, outcome, verdict);
    } else if fitting_nodes.is_empty() {
        without_room(world, pod, &|_| false, outcome, verdict);
    } else {
        filter(pod, &fitting_nodes, outcome, verdict);
    }
    Ok(())
}

/// Judges a pod that fits no node: it preempts if that helps.
pub(crate) fn without_room(
    world: &World,
    pod: &Pod,
    same_group: SameGroup<'_>,
    outcome: &Outcome,
    verdict: &mut Verdict,
) {
    let eligible =
        Eligible { possible: &|node| possible(world, pod, node, same_group), permits: &|_| true, keeps: &|_| true };
    without_room_by(world, pod, same_group, &eligible, outcome, verdict, best);
}

/// Judges the same with other possible victims, with what bounds the plan, and with the choice among the plans.
pub(crate) fn without_room_by<'w>(
    world: &'w World,
    pod: &Pod,
    same_group: SameGroup<'_>,
    eligible: &Eligible<'_, 'w>,
    outcome: &Outcome,
    verdict: &mut Verdict,
    choice: fn(&'w World, &Pod, &Eligible<'_, 'w>, &Outcome, &mut Verdict),
) {
    let name = &pod.name;
    if outcome.ended == Some(Ended::Scheduled) {
        let text = format!("`{name}` was bound to {:?}, where it does not fit", outcome.node);
        return verdict.breach("bound-where-there-is-room", text);
    }
    if let Some(why) = forbidden(world, pod, same_group) {
        if !outcome.victims.is_empty() || !outcome.nominated.is_empty() {
            verdict.breach("may-preempt", format!("`{name}` preempted although: {why}"));
        }
        return verdict.excuse(why);
    }
    if outcome.ended == Some(Ended::Nominated) {
        legal(world, pod, eligible, outcome, verdict);
    }
    choice(world, pod, eligible, outcome, verdict);
}

/// Judges a pod that fits a node: it is bound, and to its nominated node if it fits there.
pub(crate) fn filter(pod: &Pod, fitting_nodes: &[&Node], outcome: &Outcome, verdict: &mut Verdict) {
    let names: Vec<&str> = fitting_nodes.iter().map(|node| node.name.as_str()).collect();
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

/// Checks that the victims are eligible, the preemptor then fits, and no victim is needless.
fn legal<'w>(world: &'w World, pod: &Pod, eligible: &Eligible<'_, 'w>, outcome: &Outcome, verdict: &mut Verdict) {
    let Some(node) = outcome.node.as_ref().and_then(|node| world.nodes.get(node)) else { return };
    let (possible, leaving) = (eligible.possible)(node);
    let named = |name: &String| possible.iter().copied().find(|other| other.name == *name);
    let chosen: Vec<&Pod> = outcome.victims.iter().filter_map(named).collect();
    if chosen.len() < outcome.victims.len() || !(eligible.permits)(&chosen) {
        let text = format!("{:?} may not all be evicted for `{}` on `{}`", outcome.victims, pod.name, node.name);
        verdict.breach("victim-ranks-lower", text);
    }
    let candidates =
        possible.iter().map(|other| Candidate { name: &other.name, node: 0, request: &other.request }).collect();
    let incoming_pod = IncomingPod { request: &pod.request, nodes: vec![0] };
    let problem =
        PlacementProblem { free: vec![free_when_left(world, pod, node)], candidates, incoming: vec![incoming_pod] };
    let victims = problem.set(|name| outcome.victims.contains(name));
    if !problem.fits_without(victims) {
        let text = format!("`{}` does not fit `{}` after evicting {:?}", pod.name, node.name, outcome.victims);
        verdict.breach("evictions-make-room", text);
    }
    for victim in &outcome.victims {
        let gone = |other: &Pod| other.leaving || outcome.victims.contains(&other.name) && other.name != *victim;
        if problem.fits_without(victims & !problem.set(|name| name == victim))
            && world.agrees((pod, node), gone, gone, spec_priority)
            && (eligible.keeps)(
                &possible.iter().chain(&leaving).filter(|pod| gone(pod)).map(|pod| pod.name.as_str()).collect(),
            )
        {
            verdict.breach("no-needless-victim", format!("victim `{victim}` is not needed for `{}`", pod.name));
        }
    }
    let bound = !(eligible.keeps)(&BTreeSet::new());
    let enough = |_: Set| !world.is_constrained() && !bound;
    verdict.planned(outcome.victims.len(), problem.fewest(victims.count_ones() as usize, enough));
}

/// Checks that the plan is the one that kube-scheduler would choose.
pub(crate) fn best<'w>(
    world: &'w World,
    pod: &Pod,
    eligible: &Eligible<'_, 'w>,
    outcome: &Outcome,
    verdict: &mut Verdict,
) {
    let Some(best) = plans(world, pod, eligible).into_iter().next() else {
        if outcome.ended == Some(Ended::Nominated) {
            let node = outcome.node.as_ref().and_then(|node| world.nodes.get(node));
            let is_coming = node.is_some_and(|node| pod.request.fits(&free_when_left(world, pod, node)));
            if world.is_constrained() && outcome.victims.is_empty() && is_coming {
                return verdict
                    .excuse("whether constraints between pods hold once the leaving pods have left is not sought");
            }
            let text = format!("`{}` was nominated although no eviction frees enough room", pod.name);
            verdict.breach_expecting("evictions-make-room", text, json!({"result": "Unschedulable", "victims": []}));
        }
        return;
    };
    let stays = |name: &&String| world.pods.get(*name).is_some_and(|pod| !pod.leaving);
    let victims: BTreeSet<String> = best.victims.iter().filter(stays).cloned().collect();
    let is_promised = victims.is_empty() && pod.nominated.as_ref() == Some(&best.node);
    if is_promised && outcome.ended == Some(Ended::Unschedulable) {
        return verdict.excuse("a plan without victims is not made twice");
    }
    if outcome.node.as_ref() != Some(&best.node) || outcome.victims != victims {
        let text = format!(
            "`{}` should be nominated to `{}` with the victims {victims:?}; it ended {:?} {:?} {:?}",
            pod.name, best.node, outcome.ended, outcome.node, outcome.victims
        );
        let expect = json!({"result": "Nominated", "nominated": {&pod.name: best.node}, "victims": victims});
        verdict.breach_expecting("best-node-first", text, expect);
    }
}

/// Judges nominations. A preemption on a node withdraws nominations of lower priority there. A pod without any possible plan loses its
/// own nomination. All other nominations stay.
pub(crate) fn nominations(
    world: &World,
    pod: &Pod,
    same_group: SameGroup<'_>,
    outcome: &Outcome,
    verdict: &mut Verdict,
) {
    let waits = waits_for_victims(world, pod) || waits_for_permit(world, pod, same_group, spec_priority);
    // With constraints between pods, the pod may keep its nomination or lose it: whether they hold once the others have come is not sought. So it may
    // where only pods leave its node that are no less important: upstream finds no plan there, and clears the nomination.
    let is_promised = || outcome.standing.as_ref().is_none_or(|standing| standing.contains_key(&pod.name));
    let of_lesser = |node: &String| world.on(node).any(|other| other.leaving && other.priority < pod.priority);
    let is_sure =
        !world.is_constrained() && (groups::group(pod).is_some() || pod.nominated.as_ref().is_some_and(of_lesser));
    let waits = waits || groups::room_is_coming(world, pod) && (is_sure || is_promised());
    nominations_while(waits, (world, pod), same_group, outcome, verdict);
}

/// Judges the same where it is known whether the pod waits for what it was promised.
pub(crate) fn nominations_while(
    waits: bool,
    (world, pod): (&World, &Pod),
    same_group: SameGroup<'_>,
    outcome: &Outcome,
    verdict: &mut Verdict,
) {
    let Some(standing) = &outcome.standing else { return };
    let failed = matches!(outcome.ended, Some(Ended::Unschedulable | Ended::Rejected));
    let hopeless = failed && !pod.never_preempts && !waits;
    for other in world.pods.values().filter(|other| other.pending() && other.nominated.is_some()) {
        let own = other.name == pod.name;
        // What a group loses where one of its pods fails is judged with its round.
        if hopeless && !own && same_group(other) {
            continue;
        }
        let planned = outcome.nominated.values().any(|node| other.nominated.as_ref() == Some(node));
        let displaced = planned && other.priority < pod.priority && !same_group(other);
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

/// Returns whether only pods of the same or a higher priority that wait at permit keep a pod from its nominated node. These may still be rejected,
/// so the pod keeps its nomination and evicts no other pod. Otherwise recreated victims could take the capacity and be evicted again, forever.
pub(crate) fn waits_for_permit(world: &World, pod: &Pod, same_group: SameGroup<'_>, priority: fn(&Pod) -> i64) -> bool {
    let Some(node) = pod.nominated.as_ref().and_then(|node| world.nodes.get(node)) else { return false };
    let mut free = free_for(world, pod, node, priority);
    let full = !pod.request.fits(&free);
    let held = world.on(&node.name).filter(|other| other.held.is_some() && priority(other) >= priority(pod));
    held.filter(|other| !same_group(other)).for_each(|other| free.add(&other.request));
    full && world.may_run(pod, node) && pod.request.fits(&free)
}
