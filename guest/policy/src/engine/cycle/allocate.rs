//! Allocate: a gang gets nodes for all pods that it lacks, or none. A running job gets one more pod at a time.
//!
//! If a gang fits once leaving pods have left, that room is kept for it until the end of the cycle. A pod that a waiting gang would evict
//! in the next cycle gets no node ([`taken_back`](super::taken_back)).

use std::collections::BTreeSet;

use super::job_queue::JobQueue;
use super::pending_jobs;
use super::placer::Placer;
use super::taken_back::{Room, taken_back};
use super::{Context, Simulation};
use crate::engine::Notes;
use crate::model::{NodeIx, PodIx};

/// Pods and their nodes.
pub type Placements = Vec<(PodIx, NodeIx)>;

/// Places normal pods in the simulation. Returns the new placements, and the pods that were left out because a waiting gang would evict them.
/// Each pass leaves out more pods than the one before, so the loop ends.
pub fn allocate(
    simulation: &mut Simulation<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
) -> (Placements, BTreeSet<PodIx>) {
    let mut left_out = BTreeSet::new();
    loop {
        let before = simulation.checkpoint();
        let placements = place_all(simulation, notes, context, &left_out);
        let mut taken_back = taken_back(simulation, notes, context, (&placements, Room::Idle, &left_out));
        if taken_back.is_empty() {
            match with_other_nodes(simulation, notes, context, (&placements, &left_out)) {
                Ok(more) => {
                    left_out.retain(|ix| more.iter().all(|(placed, _)| placed != ix));
                    return (placements.into_iter().chain(more).collect(), left_out);
                }
                // The next cycle binds these pods, and then the gang would evict pods of this cycle.
                Err(by_more) if placements.iter().any(|(ix, _)| by_more.contains(ix)) => taken_back = by_more,
                Err(_) => return (placements, left_out),
            }
        }
        left_out.extend(taken_back);
        simulation.restore(before);
    }
}

/// Places the pods that were left out where they do not stand in the room of a waiting gang: the gang may have a node by now. Returns their
/// placements. If a waiting gang would evict one of all these pods, none of them is placed; returns the pods that the gang would evict.
fn with_other_nodes(
    simulation: &mut Simulation<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    (placements, left_out): (&Placements, &BTreeSet<PodIx>),
) -> Result<Placements, BTreeSet<PodIx>> {
    if left_out.is_empty() {
        return Ok(Placements::new());
    }
    let before = simulation.checkpoint();
    let more = place_all(simulation, notes, context, &BTreeSet::new());
    let all: Placements = placements.iter().chain(&more).copied().collect();
    let taken_back = taken_back(simulation, notes, context, (&all, Room::Idle, &BTreeSet::new()));
    if taken_back.is_empty() {
        return Ok(more);
    }
    simulation.restore(before);
    Err(taken_back)
}

/// Places normal pods, except those that are left out. Returns the new placements.
fn place_all(
    simulation: &mut Simulation<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    left_out: &BTreeSet<PodIx>,
) -> Placements {
    let admission = &context.cycle.admission;
    let mut pending_jobs = pending_jobs::waiting(simulation, notes, context, admission, |cluster, pod| {
        !pod.is_elastic() && pending_jobs::asks(cluster, pod)
    });
    pending_jobs.iter_mut().for_each(|pending_job| pending_job.pods.retain(|ix| !left_out.contains(ix)));
    pending_jobs.retain(|pending_job| !pending_job.pods.is_empty());
    let mut job_queue = JobQueue::new(simulation.cluster(), context, pending_jobs);
    let mut placer = Placer::new(simulation, notes, context, &context.cycle.normal);
    let mut bound = Vec::new();
    while let Some(mut pending_job) = job_queue.next(placer.simulation.cluster(), context) {
        let Some(lead) = pending_job.lead() else { continue };
        placer.notes.resume(lead);
        let new = placer.serve(&mut pending_job);
        if !new.is_empty() {
            job_queue.again(placer.simulation.cluster(), context, pending_job);
        }
        bound.extend(new);
    }
    bound
}

/// Places pods that request nothing.
pub fn backfill(simulation: &mut Simulation<'_>, notes: &mut Notes, context: &Context<'_>) -> Placements {
    let admission = &context.cycle.admission;
    let pending_jobs =
        pending_jobs::waiting(simulation, notes, context, admission, |cluster, pod| !pending_jobs::asks(cluster, pod));
    let mut placer = Placer::new(simulation, notes, context, &context.cycle.normal);
    let mut bound = Vec::new();
    for mut pending_job in pending_jobs {
        // A pod for which others were preempted holds its place until now.
        let mut promised: Placements = Vec::new();
        for ix in &pending_job.pods {
            promised.extend(placer.simulation.withdraw(*ix).map(|node| (*ix, node)));
        }
        loop {
            let new = placer.one_more(&mut pending_job);
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
