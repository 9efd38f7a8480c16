//! Elastic: a job grows into idle room, to the largest legal size that fits.
//!
//! Growth costs no pod its node. The new pods count as used by their queue, and what they take of a node may be short there, so a gang that waits
//! might then evict pods that it may not evict now, also such as this cycle has bound. A job does not grow where that is so.

use std::collections::BTreeSet;

use super::allocate::Placements;
use super::job_queue::JobQueue;
use super::pending_jobs::{self, PendingJob};
use super::placer::{Placer, UnplaceableClasses};
use super::preempt::{find_plan, for_each_gang};
use super::taken_back::eviction_rules;
use super::{CycleContext, IdleCapacity, Simulation};
use crate::contract::{Outcome, Refuted, Subject};
use crate::engine::reasons::GROWTH_COSTS_NOBODY;
use crate::engine::{DecisionTrace, Preemptor};
use crate::laws::ReasonFacts;
use crate::model::{PodIx, PodLocation};

/// Binds elastic pods to nodes in the simulation. Returns the new placements. `left_out` are the pods that an earlier step left out.
pub fn grow(
    simulation: &mut Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    left_out: &BTreeSet<PodIx>,
) -> Placements {
    let growth = &context.cycle.growth;
    let pending_jobs = pending_jobs::collect_pending(simulation, notes, context, growth, |cluster, pod| {
        pod.is_preemptible() && pending_jobs::requests_resources(cluster, pod)
    });
    let mut job_queue = JobQueue::new(simulation.cluster(), context, pending_jobs);
    let mut bound = Vec::new();
    while let Some(pending_job) = job_queue.next(simulation.cluster(), context) {
        let Some(lead) = pending_job.lead() else { continue };
        notes.resume(lead);
        // A nominated pod counts as placed in the simulation. A job does not grow beyond pods that are not bound yet.
        if simulation.cluster().members(lead).any(|(ix, _)| simulation.is_promised(ix)) {
            continue;
        }
        let before = simulation.trial.savepoint();
        let grown = largest_step(simulation, notes, context, &pending_job);
        match gaining_gang(simulation, context, &grown, left_out) {
            None => bound.extend(grown),
            Some(gang) => {
                simulation.trial.rewind(before);
                notes.retry_hints.add_reason(&GROWTH_COSTS_NOBODY);
                let detail = || ReasonFacts::default().pod("pod", gang);
                notes.record(Subject::Preemptor, Outcome::Barred, &GROWTH_COSTS_NOBODY, detail);
            }
        }
    }
    bound
}

/// Returns the first pod of a waiting gang that gets a plan once these new pods of a job run, but none without them. Gangs of the same queue do not
/// count: they may take the idle capacity themselves. A gang that was left out evicted no pod in this cycle, but may evict the new pods in the next
/// one. The simulation is unchanged.
fn gaining_gang(
    simulation: &mut Simulation<'_>,
    context: &CycleContext<'_>,
    grown: &Placements,
    left_out: &BTreeSet<PodIx>,
) -> Option<PodIx> {
    let queue = grown.first().and_then(|(ix, _)| simulation.cluster().pod(*ix))?.queue;
    let before = simulation.checkpoint();
    grown.iter().for_each(|(ix, node)| simulation.trial.set_location(*ix, PodLocation::Bound(*node)));
    let mut gaining = None;
    for rules in eviction_rules(context) {
        let (silent, gangs) = (&mut DecisionTrace::default(), (rules, &BTreeSet::new()));
        for_each_gang(simulation, silent, context, gangs, |simulation, silent, gang| {
            let Some(lead) = gang.lead().filter(|_| gaining.is_none()) else { return };
            let is_left_out = left_out.contains(&lead);
            if !is_left_out && simulation.cluster().pod(lead).is_none_or(|pod| pod.queue == queue) {
                return;
            }
            let start = simulation.checkpoint();
            let with = find_plan(simulation, silent, context, rules, gang, &Refuted::default());
            simulation.restore(start.clone());
            let Ok(plan) = with else { return };
            let evicts_them = || plan.victims.iter().any(|victim| grown.iter().any(|(ix, _)| ix == victim));
            if is_left_out && evicts_them() {
                gaining = Some(lead);
                return;
            }
            grown.iter().for_each(|(ix, _)| simulation.trial.set_location(*ix, PodLocation::Pending));
            let without = find_plan(simulation, silent, context, rules, gang, &Refuted::default()).is_ok();
            simulation.restore(start);
            gaining = Some(lead).filter(|_| !without);
        });
    }
    simulation.restore(before);
    gaining
}

/// Places the largest step of an elastic job that fits. Three orders of pods are tried: their own, the smallest first, and those with the fewest nodes
/// first, as another pod could take these. Of steps of the same size, that of the first order is placed.
fn largest_step(
    simulation: &mut Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    pending_job: &PendingJob,
) -> Placements {
    let cluster = simulation.cluster();
    let smallest_first = cluster.smallest_first(&pending_job.pods);
    let fewest_nodes_first = cluster.fewest_nodes_first(smallest_first.clone());
    let mut orders = vec![pending_job.pods.clone(), smallest_first, fewest_nodes_first];
    orders.dedup();
    let mut largest = Placements::new();
    for order in &orders {
        let before = simulation.trial.savepoint();
        let placements = step(simulation, notes, context, order);
        simulation.trial.rewind(before);
        if placements.len() > largest.len() {
            largest = placements;
        }
    }
    largest.iter().for_each(|(ix, node)| simulation.trial.place(*ix, *node));
    largest
}

/// Places pods in this order, then takes the last ones back until the job has a legal size. Returns the placements; empty: no legal size fits.
fn step(
    simulation: &mut Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    pods: &[PodIx],
) -> Placements {
    let (mut placements, mut marks) = (Vec::new(), vec![simulation.trial.savepoint()]);
    let mut refused = UnplaceableClasses::default();
    let mut placer = Placer::new(simulation, notes, context, &context.cycle.elastic);
    for ix in pods {
        if refused.contains(placer.simulation, *ix) {
            continue;
        }
        match placer.place(*ix, IdleCapacity::Current) {
            Some(node) => {
                placements.push((*ix, node));
                marks.push(placer.simulation.trial.savepoint());
            }
            None => refused.add(placer.simulation, *ix),
        }
    }
    while let Some(mark) = marks.pop() {
        simulation.trial.rewind(mark);
        placements.truncate(marks.len());
        let placed = placements.iter().map(|(ix, _)| *ix).collect();
        let lead = pods.first().and_then(|lead| Preemptor::of(simulation.cluster(), context.laws, *lead, placed));
        let Some(preemptor) = lead else { break };
        let size = &context.cycle.size;
        let Some(denial) = size.denial(&preemptor.context_after_plan(simulation.cluster(), context.ledger)) else {
            break;
        };
        notes.record_denial_and_hint(simulation.cluster(), Subject::Preemptor, Outcome::Barred, &size.rule, &denial);
    }
    placements
}
