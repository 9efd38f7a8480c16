//! Coscheduling (KEP of January 2020): queue sort, PreFilter, Permit, Unreserve, on top of kube-scheduler's own preemption.

mod groups;
mod harm;
mod legality;
mod permit;
mod plan;
mod promises;
mod queue;
mod quotas;

use std::collections::BTreeMap;

use super::kept::{EXCUSE, RetainedNodes};
use super::kubernetes;
use super::rounds::{GroupRounds, check_rejected, released_cluster};
use crate::ModelInputError;
use crate::case::{CaseStep, FuzzCase};
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod, at};
use groups::{allocated, group, is_missing, is_planned, may_be_tried, members, minimum, object};
pub(crate) use groups::{fail_together, has_a_plan, share_group};
pub(crate) use permit::advance;
use permit::{other_pods_keep_waiting, with_room};
use plan::{check_not_fitting, may_plan};
pub(crate) use queue::order;
use quotas::NamespaceQuotas;

/// The state of the plugin.
#[derive(Debug, Default)]
pub(crate) struct CoschedulingState {
    /// LastPodGroup.
    last: Option<String>,
    /// When each waiting pod times out, in seconds.
    deadlines: BTreeMap<String, i64>,
    rounds: GroupRounds,
    /// The nodes of pods whose time at Permit ran out while pods left for their group.
    retained: RetainedNodes,
    /// Whether the pod that was tried last was turned away, because its group is over in its round.
    was_rejected: bool,
    /// Whether any attempt has been made. After that, failures change the times by which the queue is sorted.
    has_attempts: bool,
}

/// Returns the cluster in which Filter runs for a pod, and whether the pod passes PreFilter. The switch of groups has rejected the waiting pods of
/// the last group before.
fn pre_filter(
    world: &ModelCluster,
    memory: &CoschedulingState,
    pod: &ModelPod,
) -> Result<(ModelCluster, bool), ModelInputError> {
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
    world: &ModelCluster,
    memory: &mut CoschedulingState,
    name: &str,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    memory.retained.forget(world);
    if memory.retained.is_empty() {
        return judge(world, memory, name, outcome, verdict);
    }
    let shown = memory.retained.with_nominations(world);
    verdict.excuse(EXCUSE);
    judge(&shown, memory, name, outcome, &mut StepFindings::default())?;
    world.pods.get(name).and_then(group).into_iter().for_each(|group| memory.rounds.record_doubt(group));
    Ok(())
}

fn judge(
    world: &ModelCluster,
    memory: &mut CoschedulingState,
    name: &str,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    let pod = world.pods.get(name).ok_or_else(|| ModelInputError(format!("there is no pod `{name}`")))?;
    let quotas = NamespaceQuotas::of(world)?;
    let (after, passes) = pre_filter(world, memory, pod)?;
    let turn = plan::turn(world, memory, pod, (passes, outcome));
    memory.was_rejected = passes && turn.as_ref().is_some_and(|turn| turn.is_over);
    if memory.was_rejected {
        check_rejected(pod, outcome, verdict);
        other_pods_keep_waiting(world, outcome, None, verdict);
        return Ok(());
    }
    group(pod).into_iter().for_each(|group| memory.rounds.record_cluster(&after, group));
    let world = promises::with_firm_nominations(quotas.as_ref(), after, pod);
    let is_refused = quotas.as_ref().is_some_and(|quotas| quotas.refuses(&world, pod));
    let planned = released_cluster(&world, outcome);
    quotas.iter().for_each(|quotas| quotas.sound(planned.as_ref().unwrap_or(&world), outcome, verdict));
    let Some(gang) = group(pod) else {
        return check_single(&world, quotas.as_ref().map(|quotas| (quotas, is_refused)), pod, outcome, verdict);
    };
    if !passes {
        plan::refused(name, outcome, verdict);
        return Ok(());
    }
    other_pods_keep_waiting(&world, outcome, Some(gang), verdict);
    let waits = plan::waits_or_planned(&world, pod, gang, quotas.as_ref());
    let fitting_nodes: Vec<String> =
        kubernetes::fitting_nodes(&world, pod).iter().map(|node| node.name.clone()).collect();
    let fits = !is_refused && !fitting_nodes.is_empty();
    let is_in_vain = fits && turn.as_ref().is_some_and(|turn| turn.is_in_vain);
    let same_group = |other: &ModelPod| group(other) == Some(gang);
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
        if matches!(outcome.ended, Some(AttemptStatus::Scheduled | AttemptStatus::Waiting)) {
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
    let nominated: Vec<&ModelPod> = outcome.nominated.keys().filter_map(|name| world.pods.get(name)).collect();
    let least = legality::least_entitled(pod, &nominated);
    kubernetes::nominations_while(waits, (&world, &least), &same_group, outcome, verdict);
    if fitting_nodes.is_empty() {
        check_not_fitting(&world, pod, gang, outcome, verdict);
    } else {
        with_room(&world, pod, gang, &fitting_nodes, outcome, verdict);
    }
    Ok(())
}

/// Judges the attempt of a pod without a group: with the quotas, and whether these refuse it, where there are any.
fn check_single(
    world: &ModelCluster,
    quotas: Option<(&NamespaceQuotas, bool)>,
    pod: &ModelPod,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    other_pods_keep_waiting(world, outcome, None, verdict);
    let fitting = kubernetes::fitting_nodes(world, pod);
    let Some((quotas, is_refused)) = quotas else {
        if fitting.is_empty() && plan::waits_for_preempted(world, pod) {
            plan::preempts_none(world, pod, &|_| false, outcome, verdict);
            return Ok(());
        }
        return kubernetes::attempt(
            world,
            &mut kubernetes::DefaultPreemptionState::default(),
            &pod.name,
            outcome,
            verdict,
        );
    };
    if is_refused || fitting.is_empty() {
        quotas.attempt(world, pod, &|_| false, outcome, verdict);
    } else {
        kubernetes::nominations(world, pod, &|_| false, outcome, verdict);
        kubernetes::filter(pod, &fitting, outcome, verdict);
    }
    Ok(())
}

/// Updates the state of the plugin after a step.
pub(crate) fn remember(
    case: &FuzzCase,
    world: &ModelCluster,
    memory: &mut CoschedulingState,
    step: &CaseStep,
    outcome: &ReportedOutcome,
) -> Result<(), ModelInputError> {
    let CaseStep::Schedule(name) = step else { return Ok(()) };
    memory.has_attempts = true;
    let Some(pod) = world.pods.get(name) else { return Ok(()) };
    let own = object(world, pod).and_then(|group| at(group, "/spec/scheduleTimeoutSeconds")?.as_i64());
    let timeout = case.args.get("permitTimeout").and_then(|text| text.as_str()?.trim_end_matches('s').parse().ok());
    if outcome.ended == Some(AttemptStatus::Waiting) {
        memory.deadlines.insert(name.clone(), world.now + own.or(timeout).unwrap_or(10));
    }
    let passes = pre_filter(world, memory, pod)?.1 && !memory.was_rejected;
    if let Some(group) = group(pod).filter(|_| passes) {
        memory.last = Some(group.to_owned());
    }
    Ok(())
}
