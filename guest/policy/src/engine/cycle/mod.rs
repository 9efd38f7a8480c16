//! Act: a cycle of the policy's own, one step for each configured action.
//!
//! A step considers all pending jobs and answers with bindings and plans. The host carries them out before it calls the next step.
//! Between cycles, only the cluster and the ledger are kept.

mod allocate;
mod elastic;
mod job_queue;
mod pending_jobs;
mod placer;
mod preempt;
mod promises;
mod simulation;
mod single;
mod taken_back;
mod trace;

pub use simulation::{FirstFit, IdleCapacity, Simulation, SimulationSavepoint};
pub use single::JobBundleSearch;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::plan::{PlanDraft, placement};
use super::refusals::RetryHints;
use super::{DecisionTrace, Engine, PlansInFlight, Preemptor};
use crate::contract::*;
use crate::laws::{Action, ActiveLaw, CycleLaws, Denial, LawCheck, Laws};
use crate::model::{Cluster, NodeIx, PodIx, PodLocation};

/// The state of the running cycle.
#[derive(Debug, Default)]
pub struct CycleState {
    /// The next step.
    next_step: usize,
    /// Nominations without evictions: pods that fit once leaving pods have left. Their free capacity is kept until the end of the cycle.
    promised_nodes: Vec<(PodIx, NodeIx)>,
    /// The pods that an earlier step bound.
    bound_pods: Vec<PodIx>,
    /// The pods that an earlier step left out, because a waiting gang would evict them. No pod is evicted for them in this cycle.
    left_out: BTreeSet<PodIx>,
}

/// The input of a step.
pub struct CycleContext<'a> {
    /// The laws in force.
    pub laws: &'a Laws,
    /// The laws of the cycle.
    pub cycle: &'a CycleLaws,
    /// The plans in flight.
    pub ledger: &'a PlansInFlight,
}

impl CycleContext<'_> {
    /// Returns the first of these laws that does not hold for pods without nodes. `None`: all hold, or no pod is given.
    pub fn first_failed_check(
        &self,
        cluster: &Cluster,
        gates: &[LawCheck],
        pods: &[PodIx],
    ) -> Option<(ActiveLaw, Denial)> {
        let first = pods.first()?;
        let preemptor = Preemptor::of(cluster, self.laws, *first, pods.to_vec())?;
        preemptor.context_for_plan(cluster, self.ledger).first_failed_check(gates)
    }
}

/// The result of a step.
#[derive(Default)]
struct StepResult {
    bindings: Vec<(PodIx, NodeIx)>,
    promised_nodes: Vec<(PodIx, NodeIx)>,
    plans: Vec<PlanDraft>,
    left_out: BTreeSet<PodIx>,
}

impl Engine {
    /// Implements `cycle.act`: runs the next step of the cycle and returns its bindings and plans.
    pub fn act(&mut self) -> Result<Actions, PolicyError> {
        if let Some(system) = &mut self.system {
            system.refresh_derived_values(&mut self.cluster);
        }
        self.plans_in_flight.drop_proposed();
        if self.cycle_state.next_step == 0 {
            self.trace.begin_cycle();
        }
        self.trace.retry_hints = RetryHints::default();
        let laws = Arc::clone(self.laws()?);
        let cycle = laws.cycle.clone().ok_or(PolicyError::Unsupported(ExtensionPoint::Act.into()))?;
        let action = cycle.actions.get(self.cycle_state.next_step).copied();
        let CycleState { next_step: next, promised_nodes: held, bound_pods: mut bound, left_out } =
            std::mem::take(&mut self.cycle_state);
        let context = CycleContext { laws: &laws, cycle: &cycle, ledger: &self.plans_in_flight };
        let outcome = match action {
            Some(action) => run(&mut self.cluster, &mut self.trace, &context, action, (held, &bound, left_out)),
            None => StepResult::default(),
        };
        let StepResult { bindings, promised_nodes: held, plans, left_out } = outcome;
        if action == Some(Action::Elastic) {
            let grown: Vec<PodIx> = bindings.iter().map(|(pod, _)| *pod).collect();
            self.cluster.record_scaling(&grown);
        }
        bound.extend(bindings.iter().map(|(pod, _)| *pod));
        let next = next.saturating_add(1);
        let more = next < cycle.actions.len();
        self.cycle_state = if more {
            CycleState { next_step: next, promised_nodes: held, bound_pods: bound, left_out }
        } else {
            CycleState::default()
        };
        let plans = self.register_plans(&plans)?;
        let name = action.map_or("", name).to_owned();
        let bindings = bindings.into_iter().map(placement).collect();
        let refusals = if more { Vec::new() } else { self.cycle_refusals() };
        Ok(Actions { name, bindings, plans, retry: self.retry(), refusals, more })
    }

    /// Returns why the pods wait that the cycle leaves pending.
    fn cycle_refusals(&mut self) -> Vec<Refusal> {
        let waiting = self.cluster.pods().filter(|(_, pod)| pod.state.location == PodLocation::Pending);
        self.trace.take_refusals(waiting.map(|(ix, _)| ix))
    }

    /// Enters the plans in the ledger and lays them out flat.
    fn register_plans(&mut self, found: &[PlanDraft]) -> Result<Plans, PolicyError> {
        let end = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let mut plans = Plans::default();
        for plan in found {
            let drawn = self.register_plan(plan)?;
            plans.nominations.extend(drawn.nominations);
            plans.victims.extend(drawn.victims);
            plans.slices.push(PlanSlice {
                id: drawn.id,
                preemptor: drawn.preemptor,
                nominations_end: end(plans.nominations.len()),
                victims_end: end(plans.victims.len()),
                reason: end(plans.reasons.len()),
            });
            plans.reasons.push(drawn.reason);
        }
        Ok(plans)
    }
}

fn run(
    cluster: &mut Cluster,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    action: Action,
    (held, bound, left_out): (Vec<(PodIx, NodeIx)>, &[PodIx], BTreeSet<PodIx>),
) -> StepResult {
    let mut simulation = Simulation::new(cluster, context, held);
    if matches!(action, Action::Reclaim | Action::Preempt) {
        bound.iter().for_each(|ix| simulation.protect_bound(*ix));
    }
    let bindings = match action {
        Action::Allocate => {
            let (bindings, left_out) = allocate::allocate(&mut simulation, notes, context);
            return StepResult {
                bindings,
                promised_nodes: simulation.promises_without_nomination(),
                plans: Vec::new(),
                left_out,
            };
        }
        Action::Backfill => allocate::backfill(&mut simulation, notes, context),
        Action::Elastic => elastic::grow(&mut simulation, notes, context, &left_out),
        Action::Reclaim => {
            return preempt::plan_preemptions(simulation, notes, context, &context.cycle.reclaim, left_out);
        }
        Action::Preempt => {
            return preempt::plan_preemptions(simulation, notes, context, &context.cycle.preempt, left_out);
        }
    };
    StepResult { bindings, promised_nodes: simulation.promises_without_nomination(), plans: Vec::new(), left_out }
}

fn name(action: Action) -> &'static str {
    match action {
        Action::Allocate => "allocate",
        Action::Reclaim => "reclaim",
        Action::Preempt => "preempt",
        Action::Backfill => "backfill",
        Action::Elastic => "elastic",
    }
}
