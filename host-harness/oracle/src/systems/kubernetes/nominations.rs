//! Nominations: which pods keep theirs after an attempt, and which lose it.

use super::{SameGroup, free_for, groups, spec_priority, waits_for_victims};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod};

/// Judges nominations. A preemption on a node withdraws nominations of lower priority there. A pod without any possible plan loses its
/// own nomination. All other nominations stay.
pub(crate) fn nominations(
    world: &ModelCluster,
    pod: &ModelPod,
    same_group: SameGroup<'_>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let waits = waits_for_victims(world, pod) || waits_for_permit(world, pod, same_group, spec_priority);
    // With constraints between pods, the pod may keep its nomination or lose it: whether they hold once the others have come is not sought. So it may
    // where only pods leave its node that are no less important: upstream finds no plan there, and clears the nomination.
    let is_promised = || outcome.nominations.as_ref().is_none_or(|standing| standing.contains_key(&pod.name));
    let of_lesser = |node: &String| world.on(node).any(|other| other.leaving && other.priority < pod.priority);
    let is_sure =
        !world.is_constrained() && (groups::group(pod).is_some() || pod.nominated.as_ref().is_some_and(of_lesser));
    let waits = waits || groups::capacity_will_be_free(world, pod) && (is_sure || is_promised());
    nominations_while(waits, (world, pod), same_group, outcome, verdict);
}

/// Judges the same where it is known whether the pod waits for what it was promised.
pub(crate) fn nominations_while(
    waits: bool,
    (world, pod): (&ModelCluster, &ModelPod),
    same_group: SameGroup<'_>,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    let Some(standing) = &outcome.nominations else { return };
    let failed = matches!(outcome.ended, Some(AttemptStatus::Unschedulable | AttemptStatus::Rejected));
    let hopeless = failed && !pod.restrictions.never_preempts && !waits;
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
pub(crate) fn waits_for_permit(
    world: &ModelCluster,
    pod: &ModelPod,
    same_group: SameGroup<'_>,
    priority: fn(&ModelPod) -> i64,
) -> bool {
    let Some(node) = pod.nominated.as_ref().and_then(|node| world.nodes.get(node)) else { return false };
    let mut free = free_for(world, pod, node, priority);
    let full = !pod.request.fits(&free);
    let held = world.on(&node.name).filter(|other| other.held.is_some() && priority(other) >= priority(pod));
    held.filter(|other| !same_group(other)).for_each(|other| free.add(&other.request));
    full && world.may_run(pod, node) && pod.request.fits(&free)
}
