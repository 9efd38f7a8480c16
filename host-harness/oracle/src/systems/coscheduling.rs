//! Coscheduling (KEP of January 2020): queue sort, PreFilter, Permit, Unreserve, on top of kube-scheduler's own preemption.

mod groups;
mod harm;
mod plan;
mod promises;
mod queue;
mod quotas;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::kept::{EXCUSE, Kept};
use super::kubernetes;
use super::rounds::{Rounds, given_up, turned_away};
use crate::ReadError;
use crate::case::{Case, Step};
use crate::outcome::{Ended, Outcome};
use crate::tally::Verdict;
use crate::world::{Pod, World, at};
use groups::{allocated, group, is_lost, is_planned, may_be_tried, members, minimum, object};
pub(crate) use groups::{are_together, fail_together, has_a_plan};
use plan::{may_plan, without_room};
pub(crate) use queue::order;
use quotas::Quotas;

/// The state of the plugin.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// LastPodGroup.
    last: Option<String>,
    /// When each waiting pod times out, in seconds.
    deadlines: BTreeMap<String, i64>,
    rounds: Rounds,
    /// The nodes of pods whose time at Permit ran out while pods left for their group.
    kept: Kept,
    /// Whether the pod that was tried last was turned away, because its group is over in its round.
    turned_away: bool,
    /// Whether any attempt has been made. After that, failures change the times by which the queue is sorted.
    begun: bool,
}

/// Returns the cluster in which Filter runs for a pod, and whether the pod passes PreFilter. The switch of groups has rejected the waiting pods of
/// the last group before.
fn pre_filter(world: &World, memory: &Memory, pod: &Pod) -> Result<(World, bool), ReadError> {
    let mut after = world.clone();
    let Some(name) = group(pod) else { return Ok((after, true)) };
    if !may_be_tried(world, pod)? {
        return Ok((after, false));
    }
    if let Some(last) = memory.last.as_deref().filter(|last| *last != name) {
        let first = members(world, last).first().map(|pod| minimum(world, pod));
        let short = first.is_some_and(|minimum| allocated(world, last) < minimum);
        let short = short && !is_planned(world, last);
        for waiter in after.pods.values_mut().filter(|pod| short && group(pod) == Some(last)) {
            waiter.held = None;
        }
    }
    Ok((after, true))
}

/// Judges one attempt. While nodes may be kept for pods that no longer wait at Permit, what is seen does not say what is free.
pub(crate) fn attempt(
    world: &World,
    memory: &mut Memory,
    name: &str,
    outcome: &Outcome,
    verdict: &mut Verdict,
) -> Result<(), ReadError> {
    memory.kept.forget(world);
    if memory.kept.is_empty() {
        return judge(world, memory, name, outcome, verdict);
    }
    let shown = memory.kept.shown(world);
    verdict.excuse(EXCUSE);
    judge(&shown, memory, name, outcome, &mut Verdict::default())?;
    world.pods.get(name).and_then(group).into_iter().for_each(|group| memory.rounds.doubt(group));
    Ok(())
}

fn judge(
    world: &World,
    memory: &mut Memory,
    name: &str,
    outcome: &Outcome,
    verdict: &mut Verdict,
) -> Result<(), ReadError> {
    let pod = world.pods.get(name).ok_or_else(|| ReadError(format!("there is no pod `{name}`")))?;
    let quotas = Quotas::of(world)?;
    let (after, passes) = pre_filter(world, memory, pod)?;
    let turn = plan::turn(world, memory, pod, (passes, outcome));
    memory.turned_away = passes && turn.as_ref().is_some_and(|turn| turn.is_over);
    if memory.turned_away {
        turned_away(pod, outcome, verdict);
        other_pods_keep_waiting(world, outcome, None, verdict);
        return Ok(());
    }
    group(pod).into_iter().for_each(|group| memory.rounds.find(&after, group));
    let world = promises::with_promises(quotas.as_ref(), after, pod);
    let is_refused = quotas.as_ref().is_some_and(|quotas| quotas.refuses(&world, pod));
    let planned = given_up(&world, outcome);
    quotas.iter().for_each(|quotas| quotas.sound(planned.as_ref().unwrap_or(&world), outcome, verdict));
    let Some(gang) = group(pod) else {
        return alone(&world, quotas.as_ref().map(|quotas| (quotas, is_refused)), pod, outcome, verdict);
    };
    if !passes {
        plan::refused(name, outcome, verdict);
        return Ok(());
    }
    other_pods_keep_waiting(&world, outcome, Some(gang), verdict);
    let waits = plan::waits_for_room(&world, pod, gang, quotas.as_ref());
    let fitting_nodes: Vec<String> =
        kubernetes::fitting_nodes(&world, pod).iter().map(|node| node.name.clone()).collect();
    let fits = !is_refused && !fitting_nodes.is_empty();
    let is_in_vain = fits && turn.as_ref().is_some_and(|turn| turn.is_in_vain);
    let same_group = |other: &Pod| group(other) == Some(gang);
    if let Some(turn) = turn {
        if !fits && turn.gets_other_nodes((&world, pod), &same_group, outcome, verdict) {
            return Ok(());
        }
        plan::end_turn(memory, turn, (waits, is_in_vain), (&world, pod), outcome, verdict);
    }
    if is_in_vain {
        return Ok(());
    }
    if let Some(quotas) = quotas.filter(|_| !fits) {
        quotas.victims_of_gang(&world, pod, outcome, verdict);
        if matches!(outcome.ended, Some(Ended::Scheduled | Ended::Waiting)) {
            verdict.breach("quota-is-kept", format!("`{name}` has no place or is refused, and got a node"));
        } else if may_plan(&world, pod, gang) == Some(1) {
            quotas.attempt(&world, pod, &|other| group(other) == Some(gang), outcome, verdict);
        } else {
            harm::of_gang(&world, pod, Some(&quotas), outcome, verdict);
            if !waits {
                harm::has_a_plan(&world, pod, &quotas, outcome, verdict);
            }
        }
        return Ok(());
    }
    let nominated: Vec<&Pod> = outcome.nominated.keys().filter_map(|name| world.pods.get(name)).collect();
    let least = plan::least_entitled(pod, &nominated);
    kubernetes::nominations_while(waits, (&world, &least), &same_group, outcome, verdict);
    if fitting_nodes.is_empty() {
        without_room(&world, pod, gang, outcome, verdict);
    } else {
        with_room(&world, pod, gang, &fitting_nodes, outcome, verdict);
    }
    Ok(())
}

/// Judges the attempt of a pod without a group: with the quotas, and whether these refuse it, where there are any.
fn alone(
    world: &World,
    quotas: Option<(&Quotas, bool)>,
    pod: &Pod,
    outcome: &Outcome,
    verdict: &mut Verdict,
) -> Result<(), ReadError> {
    other_pods_keep_waiting(world, outcome, None, verdict);
    let fitting = kubernetes::fitting_nodes(world, pod);
    let Some((quotas, is_refused)) = quotas else {
        if fitting.is_empty() && plan::waits_for_preempted(world, pod) {
            plan::preempts_none(world, pod, &|_| false, outcome, verdict);
            return Ok(());
        }
        return kubernetes::attempt(world, &mut kubernetes::Memory::default(), &pod.name, outcome, verdict);
    };
    if is_refused || fitting.is_empty() {
        quotas.attempt(world, pod, &|_| false, outcome, verdict);
    } else {
        kubernetes::nominations(world, pod, &|_| false, outcome, verdict);
        kubernetes::filter(pod, &fitting, outcome, verdict);
    }
    Ok(())
}

/// Judges a member that fits a node: it waits, or it is bound with all members that waited for it.
fn with_room(world: &World, pod: &Pod, gang: &str, fitting_nodes: &[String], outcome: &Outcome, verdict: &mut Verdict) {
    let enough = allocated(world, gang) + 1 >= minimum(world, pod);
    let expected = if enough { Ended::Scheduled } else { Ended::Waiting };
    let on_fitting_node = outcome.node.as_ref().is_some_and(|node| fitting_nodes.contains(node));
    if outcome.ended != Some(expected) || !on_fitting_node {
        let text = format!(
            "`{}` is member {} of the {} its gang needs and fits {fitting_nodes:?}; the attempt ended {:?} {:?}",
            pod.name,
            allocated(world, gang) + 1,
            minimum(world, pod),
            outcome.ended,
            outcome.node
        );
        let expect = json!({"result": format!("{expected:?}"), "nodeIn": fitting_nodes});
        return verdict.breach_expecting("gang-is-complete-or-waits", text, expect);
    }
    let nominated = pod.nominated.as_ref().filter(|node| fitting_nodes.contains(node));
    if nominated.is_some_and(|nominated| outcome.node.as_ref() != Some(nominated)) {
        verdict.breach("nominated-node-first", format!("`{}` did not get its nominated node", pod.name));
    }
    let released = members(world, gang).into_iter().filter_map(|pod| Some((&pod.name, pod.held.as_ref()?)));
    let mut bound: BTreeMap<&String, &String> = if enough { released.collect() } else { BTreeMap::new() };
    if let (true, Some(node)) = (enough, &outcome.node) {
        bound.insert(&pod.name, node);
    }
    if !outcome.bound.iter().eq(bound.iter().map(|(name, node)| (*name, *node))) {
        verdict.breach_expecting(
            "gang-is-complete-or-waits",
            format!("the step bound {:?}", outcome.bound),
            json!({"bound": bound}),
        );
    }
}

/// Checks that no other pod starts or stops waiting at permit. If a waiting pod is evicted, its whole group stops waiting.
fn other_pods_keep_waiting(world: &World, outcome: &Outcome, gang: Option<&str>, verdict: &mut Verdict) {
    let displaced: BTreeSet<&str> =
        outcome.victims.iter().filter_map(|victim| group(world.pods.get(victim)?)).collect();
    for pod in world.pods.values() {
        let (before, now) = (pod.held.is_some(), outcome.waiting.contains(&pod.name));
        let own = gang.is_some() && group(pod) == gang;
        let displaced = group(pod).is_some_and(|group| displaced.contains(group));
        if before && displaced && now && outcome.victims.iter().any(|victim| held(world, victim)) {
            verdict.breach(
                "gang-fails-together",
                format!("`{}` still waits, although a pod of its group was evicted", pod.name),
            );
        }
        if before != now && !own && !displaced {
            let text = format!("`{}` {}", pod.name, if before { "stopped waiting" } else { "started waiting" });
            verdict.breach("waiting-pods-stay", text);
        }
    }
}

fn held(world: &World, pod: &str) -> bool {
    world.pods.get(pod).is_some_and(|pod| pod.held.is_some())
}

/// Judges the passing of time: if a waiting pod times out, its whole group is rejected, and no other pod.
pub(crate) fn advance(world: &World, memory: &mut Memory, now: i64, outcome: &Outcome, verdict: &mut Verdict) {
    let timed_out: BTreeSet<&str> = world
        .pods
        .values()
        .filter(|pod| pod.held.is_some())
        .filter(|pod| memory.deadlines.get(&pod.name).is_some_and(|deadline| *deadline <= now))
        .filter_map(group)
        .collect();
    timed_out.iter().for_each(|group| memory.rounds.forget(group));
    memory.kept.note_late(world, outcome, |pod| has_a_plan(world, pod));
    for pod in world.pods.values().filter(|pod| pod.held.is_some()) {
        let rejected = group(pod).is_some_and(|group| timed_out.contains(group));
        if rejected == outcome.waiting.contains(&pod.name) {
            verdict.breach("gang-fails-together", format!("`{}` at {now}s: rejected should be {rejected}", pod.name));
        }
    }
}

/// Updates the state of the plugin after a step.
pub(crate) fn remember(
    case: &Case,
    world: &World,
    memory: &mut Memory,
    step: &Step,
    outcome: &Outcome,
) -> Result<(), ReadError> {
    let Step::Schedule(name) = step else { return Ok(()) };
    memory.begun = true;
    let Some(pod) = world.pods.get(name) else { return Ok(()) };
    let own = object(world, pod).and_then(|group| at(group, "/spec/scheduleTimeoutSeconds")?.as_i64());
    let timeout = case.args.get("permitTimeout").and_then(|text| text.as_str()?.trim_end_matches('s').parse().ok());
    if outcome.ended == Some(Ended::Waiting) {
        memory.deadlines.insert(name.clone(), world.now + own.or(timeout).unwrap_or(10));
    }
    let passes = pre_filter(world, memory, pod)?.1 && !memory.turned_away;
    if let Some(group) = group(pod).filter(|_| passes) {
        memory.last = Some(group.to_owned());
    }
    Ok(())
}
