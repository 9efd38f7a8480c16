//! Elastic: a job grows into idle room, to the largest legal size that fits.

use super::allocate::Placements;
use super::job_queue::JobQueue;
use super::pending_jobs::{self, PendingJob};
use super::placer::{Placer, Refused};
use super::{Context, Simulation, When};
use crate::contract::{Outcome, Subject};
use crate::engine::{Notes, Preemptor};
use crate::model::PodIx;

/// Places elastic pods in the simulation. Returns the new placements.
pub fn grow(simulation: &mut Simulation<'_>, notes: &mut Notes, context: &Context<'_>) -> Placements {
    let growth = &context.cycle.growth;
    let pending_jobs = pending_jobs::waiting(simulation, notes, context, growth, |cluster, pod| {
        pod.is_elastic() && pending_jobs::asks(cluster, pod)
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
        bound.extend(largest_step(simulation, notes, context, &pending_job));
    }
    bound
}

/// The largest step that fits: with the first pods that fit, or with the smallest ones if that makes a larger step.
fn largest_step(
    simulation: &mut Simulation<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    pending_job: &PendingJob,
) -> Placements {
    let before = simulation.trial.mark();
    let in_order = step(simulation, notes, context, &pending_job.pods);
    let request = |ix: &PodIx| simulation.cluster().pod(*ix).map(|pod| &pod.request);
    let first = pending_job.pods.first().and_then(request);
    if pending_job.pods.iter().all(|ix| request(ix) == first) {
        return in_order;
    }
    let smallest_first: Vec<PodIx> = simulation.cluster().largest_first(&pending_job.pods).into_iter().rev().collect();
    simulation.trial.rewind(before);
    let other = step(simulation, notes, context, &smallest_first);
    if other.len() > in_order.len() {
        return other;
    }
    simulation.trial.rewind(before);
    in_order.iter().for_each(|(ix, node)| simulation.trial.place(*ix, *node));
    in_order
}

/// Places as many of these pods, in this order, as fit and make a legal size.
fn step(simulation: &mut Simulation<'_>, notes: &mut Notes, context: &Context<'_>, pods: &[PodIx]) -> Placements {
    let (mut placements, mut marks) = (Vec::new(), vec![simulation.trial.mark()]);
    let mut refused = Refused::default();
    let mut placer = Placer::new(simulation, notes, context, &context.cycle.elastic);
    for ix in pods {
        if refused.knows(placer.simulation, *ix) {
            continue;
        }
        match placer.place(*ix, When::Now) {
            Some(node) => {
                placements.push((*ix, node));
                marks.push(placer.simulation.trial.mark());
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
        let Some(denial) = size.denial(&preemptor.placed(simulation.cluster(), context.ledger)) else { break };
        notes.refused(simulation.cluster(), Subject::Preemptor, Outcome::Barred, &size.rule, &denial);
    }
    placements
}
