//! Taken back: pods that get a node now, and that a gang that waits already would evict once they are bound.
//!
//! Allocation fills idle room, with pods of queues over their deserved amounts, too. A gang that lacks more than is idle waits for the
//! actions that evict. Those actions spare what this cycle has bound, but in the next cycle the gang evicts it. So such a pod is not bound:
//! the idle room becomes part of the plan of the gang, and fewer pods are evicted.
//!
//! The same holds for a plan. A job may evict elastic pods of its own queue although the queue is above its deserved amounts. Where a gang
//! that comes later would evict the pods of that plan, once they are bound, the plan is not made: two pods would leave for one.

use std::collections::BTreeSet;

use super::allocate::Placements;
use super::pending_jobs::PendingJob;
use super::preempt::{find_plan, for_each_gang};
use super::{Context, Simulation};
use crate::contract::{Outcome, Refuted, Subject};
use crate::engine::reasons::ROOM_IS_CLAIMED;
use crate::engine::search::Obstacle;
use crate::engine::{Notes, Preemptor};
use crate::laws::{Action, Claim, Detail, ReclaimRules};
use crate::model::{Cluster, Place, PodIx};

/// The origin of the room of placements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The room is idle. It stays unused only if the waiting gang gets a plan, or room, without the placements.
    Idle,
    /// Plans make the room. Without these plans, their victims keep running.
    Made,
}

/// Returns the pods among these placements that gangs that wait already would evict once the pods are bound. With a pod, it returns the pods
/// of its job that wait, and for a plan all pods that the plan places. Gangs that are left out already evict no pod in this cycle. The
/// simulation is as before afterwards.
pub fn taken_back(
    simulation: &mut Simulation<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    (placements, room, left_out): (&Placements, Room, &BTreeSet<PodIx>),
) -> BTreeSet<PodIx> {
    let mut taken_back = BTreeSet::new();
    let placed: Vec<PodIx> = bound_anew(simulation.cluster(), placements);
    for rules in placed.first().into_iter().flat_map(|_| evicting(context)) {
        let before = simulation.checkpoint();
        for (ix, node) in placements.iter().filter(|(ix, _)| placed.contains(ix)) {
            simulation.trial.put(*ix, Place::Bound(*node));
        }
        if may_take_back(simulation, context, (rules, left_out), &placed) {
            let gangs = (rules, left_out);
            for_each_gang(simulation, &mut Notes::default(), context, gangs, |simulation, silent, gang| {
                for ix in lost_to(simulation, silent, context, rules, (gang, &placed, room)) {
                    explain(notes, gang, ix);
                    taken_back.insert(ix);
                }
            });
        }
        simulation.restore(before);
    }
    taken_back
}

/// Returns the laws of the actions that evict pods.
fn evicting<'c>(context: &'c Context<'_>) -> impl Iterator<Item = &'c ReclaimRules> {
    context.cycle.actions.iter().filter_map(|action| match action {
        Action::Reclaim => Some(&context.cycle.reclaim),
        Action::Preempt => Some(&context.cycle.preempt),
        Action::Allocate | Action::Elastic | Action::Backfill => None,
    })
}

/// Returns the pods of these placements that can be victims of the next cycle: pods without a nomination and without a cooldown time.
fn bound_anew(cluster: &Cluster, placements: &Placements) -> Vec<PodIx> {
    let may_be_lost = |ix: &PodIx| {
        let Some(pod) = cluster.pod(*ix) else { return false };
        let of_job = pod.attributes.job.and_then(|job| cluster.pod_group(job)).and_then(|group| group.cooldown);
        pod.nominated.is_none() && pod.attributes.task.cooldown.or(of_job).is_none_or(|cooldown| cooldown <= 0)
    };
    placements.iter().map(|(ix, _)| *ix).filter(may_be_lost).collect()
}

/// Checks whether the victim filters let a waiting gang evict one of these pods. Most cycles end here, without a search for plans.
fn may_take_back(
    simulation: &mut Simulation<'_>,
    context: &Context<'_>,
    (rules, left_out): (&ReclaimRules, &BTreeSet<PodIx>),
    placed: &[PodIx],
) -> bool {
    let mut found = false;
    for_each_gang(simulation, &mut Notes::default(), context, (rules, left_out), |simulation, _, gang| {
        let cluster = simulation.cluster();
        let pods = cluster.lacking(&gang.pods);
        let preemptor = || Preemptor::of(cluster, context.laws, gang.lead()?, pods.clone());
        let Some(preemptor) = (!found).then(preemptor).flatten() else { return };
        let claim = Claim::of(cluster, preemptor.queue, &pods);
        let preemptor = preemptor.claiming(claim);
        let case = preemptor.waiting(cluster, context.ledger);
        found = placed.iter().any(|ix| case.first_denial(&rules.guards, *ix).is_none());
    });
    found
}

/// Returns the pods among the placed ones that the plan of a gang evicts, if they are to be left out. With them, it returns the pods of
/// their jobs that get no node then. The simulation is left with the plan.
fn lost_to(
    simulation: &mut Simulation<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    rules: &ReclaimRules,
    (gang, placed, room): (&PendingJob, &[PodIx], Room),
) -> Vec<PodIx> {
    let before = simulation.checkpoint();
    let Ok(plan) = find_plan(simulation, notes, context, rules, gang, &Refuted::default()) else { return Vec::new() };
    let mut lost: Vec<PodIx> = plan.victims.into_iter().filter(|ix| placed.contains(ix)).collect();
    if lost.is_empty() {
        return lost;
    }
    if room == Room::Idle {
        simulation.restore(before.clone());
        lost.iter().for_each(|ix| simulation.trial.put(*ix, Place::Pending));
        let without = find_plan(simulation, notes, context, rules, gang, &Refuted::default());
        if !matches!(without, Ok(_) | Err(Obstacle::Room)) {
            simulation.restore(before);
            drop(find_plan(simulation, notes, context, rules, gang, &Refuted::default()));
            return Vec::new();
        }
    }
    let cluster = simulation.cluster();
    let of_same_jobs = lost.iter().flat_map(|ix| cluster.members(*ix));
    // A plan places all pods that a gang lacks, or none.
    let goes_along = |ix: &PodIx| room == Room::Made && placed.contains(ix);
    let along = of_same_jobs.filter(|(ix, pod)| pod.is_pending() || goes_along(ix)).map(|(ix, _)| ix);
    let along: Vec<PodIx> = along.collect();
    lost.extend(along);
    lost
}

/// Explains why a pod gets no node.
fn explain(notes: &mut Notes, gang: &PendingJob, ix: PodIx) {
    let Some(lead) = gang.lead() else { return };
    notes.resume(ix);
    notes.refusals.found(&ROOM_IS_CLAIMED);
    notes.note(Subject::Preemptor, Outcome::Barred, &ROOM_IS_CLAIMED, || Detail::default().pod("pod", lead));
}
