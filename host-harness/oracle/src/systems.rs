//! The laws of each system, restated directly from its document and the upstream code.

mod common;
mod coscheduling;
mod kept;
mod koordinator;
mod kubernetes;
mod rounds;
mod volcano;
mod yunikorn;

use std::collections::BTreeMap;

pub(crate) use kept::RetainedNodes;
pub(crate) use koordinator::devices::are_decidable;

use crate::ModelInputError;
use crate::amounts::MilliAmounts;
use crate::case::{CaseStep, FuzzCase, SystemKind};
use crate::demands;
use crate::outcome::ReportedOutcome;
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod};

/// The state of each system between steps.
#[derive(Debug, Default)]
pub(crate) struct SystemStates {
    coscheduling: coscheduling::CoschedulingState,
    koordinator: koordinator::KoordinatorState,
    kubernetes: kubernetes::DefaultPreemptionState,
    yunikorn: yunikorn::YuniKornState,
    volcano: volcano::VolcanoState,
}

/// Judges the outcome of a step, given the cluster before it.
pub(crate) fn judge(
    case: &FuzzCase,
    world: &ModelCluster,
    memory: &mut SystemStates,
    step: &CaseStep,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    common::sound(world, outcome, verdict);
    let before = verdict.breaches.len();
    if let CaseStep::Schedule(pod) = step {
        common::attempt_is_consistent(outcome, pod, verdict);
        if demands::is_refused(case.system, world, pod) {
            demands::refused(pod, outcome, verdict);
            return Ok(());
        }
    }
    match case.system {
        SystemKind::Kubernetes => match step {
            CaseStep::Schedule(pod) => kubernetes::attempt(world, &mut memory.kubernetes, pod, outcome, verdict)?,
            CaseStep::Advance(_) => memory.kubernetes.advance(world, outcome),
            CaseStep::Order => kubernetes::order(world, &outcome.order, verdict),
            _ => {}
        },
        SystemKind::Coscheduling => {
            let memory = &mut memory.coscheduling;
            match step {
                CaseStep::Schedule(pod) => coscheduling::attempt(world, memory, pod, outcome, verdict)?,
                CaseStep::Order => coscheduling::order(world, memory, &outcome.order, verdict)?,
                CaseStep::Advance(seconds) => {
                    coscheduling::advance(world, memory, world.now + seconds, outcome, verdict)
                }
                _ => {}
            }
            coscheduling::remember(case, world, memory, step, outcome)?;
        }
        SystemKind::Koordinator => koordinator_step(case, world, &mut memory.koordinator, step, outcome, verdict)?,
        SystemKind::Yunikorn => {
            let memory = &mut memory.yunikorn;
            yunikorn::observe_cluster(world, memory)?;
            match step {
                CaseStep::Schedule(pod) => yunikorn::attempt(world, memory, pod, outcome, verdict)?,
                CaseStep::Cycle => yunikorn::check_enforcement(world, memory, world.now, outcome, true, verdict)?,
                CaseStep::Advance(seconds) => {
                    yunikorn::check_enforcement(world, memory, world.now + seconds, outcome, false, verdict)?;
                }
                _ => {}
            }
        }
        SystemKind::Volcano => {
            if let CaseStep::Cycle = step {
                volcano::cycle(case, world, &mut memory.volcano, outcome, verdict)?;
            }
        }
    }
    if let CaseStep::Usage(_) = step {
        common::usage(&accounts(case, world)?, outcome, verdict);
    }
    if world.is_constrained() && !is_exact(case, world) {
        verdict.excuse_from(before, common::depends_on_other_pods);
    }
    Ok(())
}

/// Judges the outcome of a step of system `koordinator`.
fn koordinator_step(
    case: &FuzzCase,
    world: &ModelCluster,
    memory: &mut koordinator::KoordinatorState,
    step: &CaseStep,
    outcome: &ReportedOutcome,
    verdict: &mut StepFindings,
) -> Result<(), ModelInputError> {
    match step {
        CaseStep::Schedule(pod) => koordinator::attempt(case, world, memory, pod, outcome, verdict)?,
        CaseStep::Order => koordinator::order(world, &outcome.order, verdict),
        CaseStep::Apply(_) => koordinator::forget_empty_jobs(world, memory),
        CaseStep::Advance(seconds) => koordinator::advance(case, world, memory, world.now + seconds, outcome, verdict),
        _ => {}
    }
    Ok(())
}

/// Returns whether the model checks constraints between pods wherever it seeks a node or a plan: in kube-scheduler's own preemption, without
/// groups.
fn is_exact(case: &FuzzCase, world: &ModelCluster) -> bool {
    case.system == SystemKind::Kubernetes && world.all("PodGroup").next().is_none()
}

/// Finds a pod that is held at permit, at rest, although another pod of its gang was tried and got no node. Nothing changes any more, so the gang
/// can never start. Returns a message about the first such pod. `None`: no pod is held in vain.
pub(crate) fn useless_hold(case: &FuzzCase, world: &ModelCluster) -> Option<String> {
    let together = |pod: &ModelPod, other: &ModelPod| match case.system {
        SystemKind::Kubernetes => kubernetes::are_of_one_group(pod, other),
        SystemKind::Coscheduling => coscheduling::fail_together(world, pod, other),
        SystemKind::Koordinator => koordinator::fail_together(world, pod, other),
        SystemKind::Yunikorn | SystemKind::Volcano => false,
    };
    let mut held = world.pods.values().filter(|pod| pod.held.is_some());
    held.find_map(|pod| {
        let other = world.pods.values().find(|other| other.pending() && together(pod, other))?;
        Some(format!("`{}` is held, and `{}` of its gang has no place", pod.name, other.name))
    })
}

/// Returns whether two pods are of one gang, or of gangs that start together, where the system keeps nodes for gangs.
pub(crate) fn share_gang_group(system: SystemKind, world: &ModelCluster, pod: &ModelPod, other: &ModelPod) -> bool {
    match system {
        SystemKind::Coscheduling => coscheduling::share_group(pod, other),
        SystemKind::Koordinator => koordinator::share_gang_group(world, pod, other),
        SystemKind::Kubernetes | SystemKind::Yunikorn | SystemKind::Volcano => false,
    }
}

/// Returns whether a plan is under way for the gang of a pod: the nodes that it holds at Permit are kept for it when its time there runs out.
pub(crate) fn has_a_plan(system: SystemKind, world: &ModelCluster, pod: &ModelPod) -> bool {
    match system {
        SystemKind::Coscheduling => coscheduling::has_a_plan(world, pod),
        SystemKind::Koordinator => koordinator::has_a_plan(world, pod),
        SystemKind::Kubernetes | SystemKind::Yunikorn | SystemKind::Volcano => false,
    }
}

/// Computes the usage of the quotas or queues; empty where the system has none. Fails if an amount cannot be read.
pub(crate) fn accounts(
    case: &FuzzCase,
    world: &ModelCluster,
) -> Result<BTreeMap<String, MilliAmounts>, ModelInputError> {
    match case.system {
        SystemKind::Koordinator => koordinator::accounts(world),
        SystemKind::Yunikorn => yunikorn::accounts(world),
        SystemKind::Volcano => Ok(volcano::accounts(world)),
        SystemKind::Kubernetes | SystemKind::Coscheduling => Ok(BTreeMap::new()),
    }
}

/// Returns whether the initial quotas or queues are possible. Fails if an amount cannot be read.
pub(crate) fn is_possible(case: &FuzzCase, world: &ModelCluster) -> Result<bool, ModelInputError> {
    match case.system {
        SystemKind::Koordinator => koordinator::fair(case, world),
        SystemKind::Yunikorn => yunikorn::fair(world),
        SystemKind::Volcano => Ok(volcano::fair(world)),
        SystemKind::Coscheduling | SystemKind::Kubernetes => Ok(true),
    }
}
