//! Koordinator: quotas and jobs (proposal 20240115), reservations (20240201), gangs.

mod books;
pub(crate) mod devices;
mod fair;
mod gangs;
mod harm;
mod part;
mod place;
mod plan;
mod promises;
mod switches;

use std::collections::{BTreeMap, BTreeSet};

use super::kept::{EXCUSE, RetainedNodes};
use super::kubernetes;
use super::rounds::GangTurn;
use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::case::FuzzCase;
use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod};
pub(crate) use books::accounts;
use books::{QuotaBalance, quota_balances};
pub(crate) use fair::fair;
use gangs::Gangs;
use part::PlannedJob;
use switches::{PluginSettings, priority};

const QUOTA: &str = "quota.scheduling.koordinator.sh/name";
const JOB: &str = "pod-group.scheduling.sigs.k8s.io";

/// The state of the plugin that outlasts an attempt.
#[derive(Debug, Default)]
pub(crate) struct KoordinatorState {
    /// The victims of the last plan of every job.
    victims_by_job: BTreeMap<String, BTreeSet<String>>,
    gangs: gangs::GangStates,
    /// The nodes of pods whose time at Permit ran out while their gang had a plan.
    retained: RetainedNodes,
}

/// Returns the name of the job of a pod: a pod without the label is a job of one.
fn job(pod: &ModelPod) -> String {
    let label = pod.label(JOB).filter(|_| !pod.is_reservation());
    label.map_or_else(|| pod.name.clone(), |label| format!("{}#{label}", pod.namespace))
}

/// Returns the pods of a job that are still to be placed: those neither bound nor held.
fn unplaced_pods<'w>(world: &'w ModelCluster, of: &str) -> Vec<&'w ModelPod> {
    world.pods.values().filter(|other| other.pending() && job(other) == of).collect()
}

/// Judges one attempt. While nodes may be kept for pods that no longer wait at Permit, what is seen does not say what is free.
pub(crate) fn attempt(
    case: &FuzzCase,
    world: &ModelCluster,
    memory: &mut KoordinatorState,
    name: &str,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    memory.gangs.forget_empty_jobs(world);
    memory.retained.forget(world);
    if memory.retained.is_empty() {
        return judge(case, world, memory, name, outcome, verdict);
    }
    let shown = memory.retained.with_nominations(world);
    verdict.excuse(EXCUSE);
    judge(case, &shown, memory, name, outcome, &mut StepFindings::default())?;
    world.pods.get(name).into_iter().for_each(|pod| memory.gangs.doubt(world, pod));
    Ok(())
}

fn judge(
    case: &FuzzCase,
    world: &ModelCluster,
    memory: &mut KoordinatorState,
    name: &str,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    let pod = world.pods.get(name).ok_or_else(|| ModelInputError(format!("there is no pod `{name}`")))?;
    let switches = PluginSettings::of(case);
    let gangs = Gangs { world, memory: &memory.gangs, deletes: switches.deletes };
    let (whole, fewer) = (world, devices::without_unjudged(gangs, pod));
    let world = fewer.as_ref().unwrap_or(world);
    let firm = promises::with_firm_nominations(world, switches, pod);
    let world = firm.as_ref().unwrap_or(world);
    let there = |victim: &String| world.pods.contains_key(victim);
    let gangs = Gangs { world, memory: &memory.gangs, deletes: switches.deletes };
    let (has_members, is_later) = (gangs.have_members(pod), gangs.is_one_too_many(pod));
    let is_judged = devices::are_decidable(world, &unplaced_pods(world, &job(pod)));
    // Where pods are missing, none of the group is tried: that is no failure of its round.
    let turn = if is_later { None } else { memory.gangs.turn(whole, pod, switches, outcome, has_members) };
    let gangs = Gangs { world, memory: &memory.gangs, deletes: switches.deletes };
    let planned = gangs.planned_with(pod);
    let parts = planned
        .iter()
        .map(|of| PlannedJob::of(world, switches, if *of == job(pod) { Some(pod) } else { None }, of, &planned));
    let parts: Vec<PlannedJob<'_>> = parts.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    let incoming: Vec<&ModelPod> = planned.iter().flat_map(|of| unplaced_pods(world, of)).collect();
    let together = |other: &ModelPod| gangs.share_group(pod, other);
    let judge = KoordinatorAttemptCheck {
        world,
        pod,
        switches,
        bounds: quota_balances(world, switches, pod, &[])?,
        demand: PlannedJob::demand(gangs, switches, pod, &job(pod)),
        in_flight: planned
            .iter()
            .filter_map(|of| memory.victims_by_job.get(of))
            .any(|victims| victims.iter().any(there))
            || incoming.iter().any(|member| plan::capacity_is_leaving(world, member))
            || parts.iter().any(|part| kubernetes::waits_for_permit(world, part.lead, &together, priority)),
        parts,
        planned,
        incoming,
        gangs,
        turn,
    };
    judge.judge(outcome, verdict);
    let (is_admitted, waits) = (judge.is_admitted(), judge.waits_for_plan());
    let KoordinatorAttemptCheck { planned, turn, .. } = judge;
    let failed = has_members
        && matches!(outcome.ended, Some(AttemptStatus::Unschedulable | AttemptStatus::Rejected))
        && (!waits || !is_judged);
    // A pod that its quota does not admit, or whose devices are not known, would hold no node either.
    let vain = failed
        && turn.as_ref().is_some_and(|turn| turn.is_in_vain)
        && is_admitted
        && is_judged
        && !fitting_nodes(world, pod).is_empty();
    let turn = turn.filter(|turn| failed && !turn.is_over).map(|turn| if vain { turn.at_last() } else { turn });
    // The turn borrows from what the judge knows of the gangs.
    if let Some((group, ended)) = turn.map(|turn| (turn.group().to_owned(), turn.ends())) {
        memory.gangs.end_turn(world, pod, (&group, ended));
    }
    if outcome.ended == Some(AttemptStatus::Nominated) {
        memory.victims_by_job.extend(planned.into_iter().map(|of| (of, outcome.victims.clone())));
    }
    memory.gangs.remember(world, pod, outcome);
    Ok(())
}

/// Everything that is asked of one attempt.
struct KoordinatorAttemptCheck<'w> {
    world: &'w ModelCluster,
    pod: &'w ModelPod,
    switches: PluginSettings,
    /// The quotas that bound the job of the pod at PreFilter, where every job of a gang group is asked about alone.
    bounds: Vec<QuotaBalance>,
    /// What the job of the pod asks these quotas for.
    demand: MilliAmounts,
    /// The jobs that are planned together, that of the pod first.
    parts: Vec<PlannedJob<'w>>,
    /// The same by name.
    planned: Vec<String>,
    /// All their pods that wait.
    incoming: Vec<&'w ModelPod>,
    in_flight: bool,
    gangs: Gangs<'w>,
    /// The turn of the pod in the round of its gang; none where it is of no strict gang.
    turn: Option<GangTurn<'w>>,
}

/// Returns the nodes that take a pod. Capacity is reserved for the pods of the same or a higher priority that are nominated there, and for those of
/// its gang group.
fn fitting_nodes(world: &ModelCluster, pod: &ModelPod) -> Vec<String> {
    let of_group = promises::with_promises_of_its_group(world, pod);
    let world = of_group.as_ref().unwrap_or(world);
    kubernetes::fitting_nodes_by(world, pod, priority).iter().map(|node| node.name.clone()).collect()
}

/// Returns whether two pods are of one gang group that fails where the other one gets no place.
pub(crate) fn fail_together(world: &ModelCluster, pod: &ModelPod, other: &ModelPod) -> bool {
    gangs::fail_together(world, pod, other)
}

/// Returns whether two pods are of one gang group.
pub(crate) fn share_gang_group(world: &ModelCluster, pod: &ModelPod, other: &ModelPod) -> bool {
    Gangs { world, memory: &gangs::GangStates::default(), deletes: false }.share_group(pod, other)
}

/// Returns whether a pod of the gang group of a pod is nominated.
pub(crate) fn has_a_plan(world: &ModelCluster, pod: &ModelPod) -> bool {
    let mut nominated = world.pods.values().filter(|other| other.pending() && other.nominated.is_some());
    nominated.any(|other| share_gang_group(world, pod, other))
}

/// Judges the passing of time.
pub(crate) fn advance(
    case: &FuzzCase,
    world: &ModelCluster,
    memory: &mut KoordinatorState,
    now: i64,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) {
    memory.gangs.advance(world, PluginSettings::of(case).deletes, now, outcome, verdict);
    memory.retained.record_expired(world, outcome, |pod| has_a_plan(world, pod));
}

/// Notes which jobs have no pod left before new pods come, whether or not one is tried meanwhile.
pub(crate) fn forget_empty_jobs(world: &ModelCluster, memory: &mut KoordinatorState) {
    memory.gangs.forget_empty_jobs(world);
}

/// Judges the queue: priority first.
pub(crate) fn order(world: &ModelCluster, order: &[String], verdict: &mut StepFindings) {
    let pods: Vec<&ModelPod> = order.iter().filter_map(|name| world.pods.get(name)).collect();
    let pending = world.pods.values().filter(|pod| pod.pending()).count();
    if pods.len() != pending || !pods.is_sorted_by_key(|pod| -priority(pod)) {
        verdict.breach("higher-priority-first", format!("the queue is {order:?}"));
    }
}
