//! Allocate: a gang gets nodes for all pods that it lacks, or none. A running job gets one more pod at a time.
//!
//! If a gang fits once leaving pods have left, that room is kept for it until the end of the cycle. A pod that a waiting gang would evict
//! as soon as the pod runs gets no node and no such room ([`taken_back`](super::taken_back)).

use std::collections::BTreeSet;

use super::job_queue::JobQueue;
use super::pending_jobs;
use super::placer::Placer;
use super::taken_back::{ActionPlacements, reclaimed_placements};
use super::{CycleContext, Simulation, SimulationSavepoint};
use crate::engine::DecisionTrace;
use crate::model::{NodeIx, PodIx};

/// The maximum number of nodes that are closed to the left-out pods. After that, these pods get no node in this cycle.
const MAX_CLOSED_NODES: usize = 64;

/// Pods and their nodes.
pub type Placements = Vec<(PodIx, NodeIx)>;

/// Places normal pods in the simulation. Returns the new placements, and the pods that were left out because a waiting gang would evict them.
/// Each pass leaves out more pods than the one before, so the loop ends.
pub fn allocate(
    simulation: &mut Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
) -> (Placements, BTreeSet<PodIx>) {
    let mut left_out = BTreeSet::new();
    loop {
        let start = simulation.checkpoint();
        let bound = place_all(simulation, notes, context, &left_out);
        let placed =
            ActionPlacements { bound, promised: simulation.promised_since(&start), ..ActionPlacements::default() };
        let mut taken_back = reclaimed_placements(simulation, notes, context, (&placed, &left_out));
        if taken_back.is_empty() && left_out.is_empty() {
            return (placed.bound, left_out);
        }
        if taken_back.is_empty() {
            match with_other_nodes(simulation, notes, context, (&placed, &start)) {
                Ok(all) => {
                    left_out.retain(|ix| !all.contains(*ix));
                    return (all.bound, left_out);
                }
                // The next cycle places these pods, and then the gang would evict pods of this cycle.
                Err(by_more) if by_more.iter().any(|ix| placed.contains(*ix)) => taken_back = by_more,
                Err(_) => return (placed.bound, left_out),
            }
        }
        left_out.extend(taken_back);
        simulation.restore(start);
    }
}

/// Places the pods that were left out on nodes where no waiting gang would evict them: the gang may have a node by now, or needs only some of the
/// nodes. Returns all pods that got a node since the start of the action. If a waiting gang would evict one of them on any node, none of the pods
/// that were left out is placed; returns the pods that the gang would evict.
fn with_other_nodes(
    simulation: &mut Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    (placed, start): (&ActionPlacements, &SimulationSavepoint),
) -> Result<ActionPlacements, BTreeSet<PodIx>> {
    let (before, mut closed) = (simulation.checkpoint(), BTreeSet::new());
    loop {
        let mut bound = placed.bound.clone();
        simulation.closed_nodes.clone_from(&closed);
        bound.extend(place_all(simulation, notes, context, &BTreeSet::new()));
        simulation.closed_nodes.clear();
        let all = ActionPlacements { bound, promised: simulation.promised_since(start), ..ActionPlacements::default() };
        let taken_back = reclaimed_placements(simulation, notes, context, (&all, &BTreeSet::new()));
        if taken_back.is_empty() {
            return Ok(all);
        }
        simulation.restore(before.clone());
        let is_taken = |ix: PodIx| taken_back.contains(&ix) && !placed.contains(ix);
        let taken: Vec<NodeIx> = all.bound.iter().filter(|(ix, _)| is_taken(*ix)).map(|(_, node)| *node).collect();
        let is_earlier = taken_back.iter().any(|ix| placed.contains(*ix));
        if is_earlier || taken.is_empty() || closed.len() >= MAX_CLOSED_NODES {
            return Err(taken_back);
        }
        closed.extend(taken);
    }
}

/// Places normal pods, except those that are left out. Returns the new placements.
fn place_all(
    simulation: &mut Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    left_out: &BTreeSet<PodIx>,
) -> Placements {
    let admission = &context.cycle.admission;
    let mut pending_jobs = pending_jobs::collect_pending(simulation, notes, context, admission, |cluster, pod| {
        !pod.is_preemptible() && pending_jobs::requests_resources(cluster, pod)
    });
    pending_jobs.iter_mut().for_each(|pending_job| pending_job.pods.retain(|ix| !left_out.contains(ix)));
    pending_jobs.retain(|pending_job| !pending_job.pods.is_empty());
    let mut job_queue = JobQueue::new(simulation.cluster(), context, pending_jobs);
    let mut placer = Placer::new(simulation, notes, context, &context.cycle.normal);
    let mut bound = Vec::new();
    while let Some(mut pending_job) = job_queue.next(placer.simulation.cluster(), context) {
        let Some(lead) = pending_job.lead() else { continue };
        placer.notes.resume(lead);
        let new = placer.place_job(&mut pending_job);
        if !new.is_empty() {
            job_queue.push_back(placer.simulation.cluster(), context, pending_job);
        }
        bound.extend(new);
    }
    bound
}

/// Places pods that request nothing.
pub fn backfill(simulation: &mut Simulation<'_>, notes: &mut DecisionTrace, context: &CycleContext<'_>) -> Placements {
    let admission = &context.cycle.admission;
    let pending_jobs = pending_jobs::collect_pending(simulation, notes, context, admission, |cluster, pod| {
        !pending_jobs::requests_resources(cluster, pod)
    });
    let mut placer = Placer::new(simulation, notes, context, &context.cycle.normal);
    let mut bound = Vec::new();
    for mut pending_job in pending_jobs {
        // A pod for which others were preempted keeps its promised node until it is placed.
        let mut promised: Placements = Vec::new();
        for ix in &pending_job.pods {
            promised.extend(placer.simulation.withdraw(*ix).map(|node| (*ix, node)));
        }
        loop {
            let new = placer.place_next_pod(&mut pending_job);
            pending_job.pods.retain(|pod| new.iter().all(|(ix, _)| ix != pod));
            promised.retain(|(pod, _)| new.iter().all(|(ix, _)| ix != pod));
            if new.is_empty() {
                break;
            }
            bound.extend(new);
        }
        promised.into_iter().for_each(|(ix, node)| placer.simulation.promise(ix, node));
    }
    bound
}
