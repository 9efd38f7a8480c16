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

pub(crate) use kept::Kept;
pub(crate) use koordinator::devices::are_judged;

use crate::ReadError;
use crate::amounts::Amounts;
use crate::case::{Case, Step, System};
use crate::demands;
use crate::outcome::Outcome;
use crate::tally::Verdict;
use crate::world::{Pod, World};

/// The state of each system between steps.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    coscheduling: coscheduling::Memory,
    koordinator: koordinator::Memory,
    kubernetes: kubernetes::Memory,
    yunikorn: yunikorn::Memory,
    volcano: volcano::Memory,
}

/// Judges the outcome of a step, given the cluster before it.
pub(crate) fn judge(
    case: &Case,
    world: &World,
    memory: &mut Memory,
    step: &Step,
    outcome: &Outcome,
    verdict: &mut Verdict,
) -> Result<(), ReadError> {
    common::sound(world, outcome, verdict);
    let before = verdict.breaches.len();
    if let Step::Schedule(pod) = step {
        common::attempt_is_consistent(outcome, pod, verdict);
        if demands::is_refused(case.system, world, pod) {
            demands::refused(pod, outcome, verdict);
            return Ok(());
        }
    }
    match case.system {
        System::Kubernetes => match step {
            Step::Schedule(pod) => kubernetes::attempt(world, &mut memory.kubernetes, pod, outcome, verdict)?,
            Step::Advance(_) => memory.kubernetes.advance(world, outcome),
            Step::Order => kubernetes::order(world, &outcome.order, verdict),
            _ => {}
        },
        System::Coscheduling => {
            let memory = &mut memory.coscheduling;
            match step {
                Step::Schedule(pod) => coscheduling::attempt(world, memory, pod, outcome, verdict)?,
                Step::Order => coscheduling::order(world, memory, &outcome.order, verdict)?,
                Step::Advance(seconds) => coscheduling::advance(world, memory, world.now + seconds, outcome, verdict),
                _ => {}
            }
            coscheduling::remember(case, world, memory, step, outcome)?;
        }
        System::Koordinator => match step {
            Step::Schedule(pod) => koordinator::attempt(case, world, &mut memory.koordinator, pod, outcome, verdict)?,
            Step::Order => koordinator::order(world, &outcome.order, verdict),
            Step::Apply(_) => koordinator::look(world, &mut memory.koordinator),
            Step::Advance(seconds) => {
                koordinator::advance(case, world, &mut memory.koordinator, world.now + seconds, outcome, verdict);
            }
            _ => {}
        },
        System::Yunikorn => {
            let memory = &mut memory.yunikorn;
            yunikorn::look(world, memory)?;
            match step {
                Step::Schedule(pod) => yunikorn::attempt(world, memory, pod, outcome, verdict)?,
                Step::Cycle => yunikorn::gives_back(world, memory, world.now, outcome, true, verdict)?,
                Step::Advance(seconds) => {
                    yunikorn::gives_back(world, memory, world.now + seconds, outcome, false, verdict)?;
                }
                _ => {}
            }
        }
        System::Volcano => {
            if let Step::Cycle = step {
                volcano::cycle(case, world, &mut memory.volcano, outcome, verdict)?;
            }
        }
    }
    if let Step::Usage(_) = step {
        common::usage(&accounts(case, world)?, outcome, verdict);
    }
    if world.is_constrained() && !is_exact(case, world) {
        verdict.excuse_from(before, common::depends_on_who_is_near);
    }
    Ok(())
}

/// Returns whether the model checks constraints between pods wherever it seeks a node or a plan: in kube-scheduler's own preemption, without
/// groups.
fn is_exact(case: &Case, world: &World) -> bool {
    case.system == System::Kubernetes && world.all("PodGroup").next().is_none()
}

/// Finds a pod that is held at permit, at rest, although another pod of its gang was tried and got no node. Nothing changes any more, so the gang
/// can never start. Returns a message about the first such pod. `None`: no pod is held in vain.
pub(crate) fn held_in_vain(case: &Case, world: &World) -> Option<String> {
    let together = |pod: &Pod, other: &Pod| match case.system {
        System::Kubernetes => kubernetes::are_of_one_group(pod, other),
        System::Coscheduling => coscheduling::fail_together(world, pod, other),
        System::Koordinator => koordinator::fail_together(world, pod, other),
        System::Yunikorn | System::Volcano => false,
    };
    let mut held = world.pods.values().filter(|pod| pod.held.is_some());
    held.find_map(|pod| {
        let other = world.pods.values().find(|other| other.pending() && together(pod, other))?;
        Some(format!("`{}` is held, and `{}` of its gang has no place", pod.name, other.name))
    })
}

/// Returns whether two pods are of one gang, or of gangs that start together, where the system keeps nodes for gangs.
pub(crate) fn are_together(system: System, world: &World, pod: &Pod, other: &Pod) -> bool {
    match system {
        System::Coscheduling => coscheduling::are_together(pod, other),
        System::Koordinator => koordinator::are_together(world, pod, other),
        System::Kubernetes | System::Yunikorn | System::Volcano => false,
    }
}

/// Returns whether a plan is under way for the gang of a pod: the nodes that it holds at Permit are kept for it when its time there runs out.
pub(crate) fn has_a_plan(system: System, world: &World, pod: &Pod) -> bool {
    match system {
        System::Coscheduling => coscheduling::has_a_plan(world, pod),
        System::Koordinator => koordinator::has_a_plan(world, pod),
        System::Kubernetes | System::Yunikorn | System::Volcano => false,
    }
}

/// Computes the usage of the quotas or queues; empty where the system has none. Fails if an amount cannot be read.
pub(crate) fn accounts(case: &Case, world: &World) -> Result<BTreeMap<String, Amounts>, ReadError> {
    match case.system {
        System::Koordinator => koordinator::accounts(world),
        System::Yunikorn => yunikorn::accounts(world),
        System::Volcano => Ok(volcano::accounts(world)),
        System::Kubernetes | System::Coscheduling => Ok(BTreeMap::new()),
    }
}

/// Returns whether the initial quotas or queues are possible. Fails if an amount cannot be read.
pub(crate) fn fair(case: &Case, world: &World) -> Result<bool, ReadError> {
    match case.system {
        System::Koordinator => koordinator::fair(case, world),
        System::Yunikorn => yunikorn::fair(world),
        System::Volcano => Ok(volcano::fair(world)),
        System::Coscheduling | System::Kubernetes => Ok(true),
    }
}
