//! Permit: which pods wait there, when their gang is bound, and when their time is over.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{CoschedulingState, allocated, group, has_a_plan, members, minimum};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod};

/// Judges a member that fits a node: it waits, or it is bound with all members that waited for it.
pub(super) fn with_room(
    world: &ModelCluster,
    pod: &ModelPod,
    gang: &str,
    fitting_nodes: &[String],
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let enough = allocated(world, gang) + 1 >= minimum(world, pod);
    let expected = if enough { AttemptStatus::Scheduled } else { AttemptStatus::Waiting };
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
pub(super) fn other_pods_keep_waiting(
    world: &ModelCluster,
    outcome: &ReportedOutcome,
    gang: Option<&str>,
    verdict: &mut StepFindings,
) {
    let displaced: BTreeSet<&str> =
        outcome.victims.iter().filter_map(|victim| group(world.pods.get(victim)?)).collect();
    for pod in world.pods.values() {
        let (before, now) = (pod.held.is_some(), outcome.waiting.contains(&pod.name));
        let own = gang.is_some() && group(pod) == gang;
        let displaced = group(pod).is_some_and(|group| displaced.contains(group));
        if before && displaced && now && outcome.victims.iter().any(|victim| is_at_permit(world, victim)) {
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

/// Returns whether a pod waits at permit.
fn is_at_permit(world: &ModelCluster, pod: &str) -> bool {
    world.pods.get(pod).is_some_and(|pod| pod.held.is_some())
}

/// Judges the passing of time: if a waiting pod times out, its whole group is rejected, and no other pod.
pub(crate) fn advance(
    world: &ModelCluster,
    memory: &mut CoschedulingState,
    now: i64,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let timed_out: BTreeSet<&str> = world
        .pods
        .values()
        .filter(|pod| pod.held.is_some())
        .filter(|pod| memory.deadlines.get(&pod.name).is_some_and(|deadline| *deadline <= now))
        .filter_map(group)
        .collect();
    timed_out.iter().for_each(|group| memory.rounds.forget(group));
    memory.retained.record_expired(world, outcome, |pod| has_a_plan(world, pod));
    for pod in world.pods.values().filter(|pod| pod.held.is_some()) {
        let rejected = group(pod).is_some_and(|group| timed_out.contains(group));
        if rejected == outcome.waiting.contains(&pod.name) {
            verdict.breach("gang-fails-together", format!("`{}` at {now}s: rejected should be {rejected}", pod.name));
        }
    }
}
