//! Taken back: pods that get a node now, and that a gang that waits already would evict once they are bound.
//!
//! Allocation fills idle room, with pods of queues over their deserved amounts, too. A gang that lacks more than is idle waits for the
//! actions that evict. Those actions spare what this cycle has bound, but in the next cycle the gang evicts it. So such a pod is not bound:
//! the idle room becomes part of the plan of the gang, and fewer pods are evicted.
//!
//! The same holds for room that is coming, which a cycle keeps for a gang that fits there once leaving pods have left. The pods of that gang
//! count against its queue, so another pod of the queue would be evicted for a gang that could have waited for the room itself.
//!
//! The same holds for a plan. A job may evict elastic pods of its own queue although the queue is above its deserved amounts. Where a gang
//! that comes later would evict the pods of that plan, once they are bound, the plan is not made: two pods would leave for one.

use std::collections::BTreeSet;

use super::allocate::Placements;
use super::pending_jobs::PendingJob;
use super::preempt::{find_plan, for_each_gang};
use super::{CycleContext, Simulation};
use crate::contract::{Outcome, Refuted, Subject};
use crate::engine::reasons::ROOM_IS_CLAIMED;
use crate::engine::search::PlanObstacle;
use crate::engine::{DecisionTrace, Preemptor};
use crate::laws::{Action, GangEntitlement, ReasonFacts, ReclaimRules};
use crate::model::{Cluster, NodeIx, PodIx, PodLocation};

/// The pods that got a node in an action, by the origin of the capacity.
#[derive(Debug, Default)]
pub struct ActionPlacements {
    /// Pods on idle capacity. It stays unused only if the waiting gang gets a plan, or capacity, without these pods.
    pub bound: Placements,
    /// Pods on capacity that leaving pods will free, without an eviction of this action. It passes to others under the same condition. A gang has all
    /// of it, or none.
    pub promised: Placements,
    /// Pods on capacity that plans free. Without such a plan, its victims keep running.
    pub planned: Placements,
}

impl ActionPlacements {
    /// Returns all pods and their nodes.
    fn all(&self) -> impl Iterator<Item = (PodIx, NodeIx)> {
        self.bound.iter().chain(&self.promised).chain(&self.planned).copied()
    }

    /// Returns whether a pod got a node.
    pub fn contains(&self, ix: PodIx) -> bool {
        self.all().any(|(placed, _)| placed == ix)
    }
}

/// Returns those of the placed pods that waiting gangs would evict once the pods are bound. With each pod, the waiting pods of its job are returned;
/// for a plan or a promise, all pods that it places. Gangs that are left out already evict no pod in this cycle. The simulation is unchanged.
pub fn reclaimed_placements(
    simulation: &mut Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    (placed, left_out): (&ActionPlacements, &BTreeSet<PodIx>),
) -> BTreeSet<PodIx> {
    let mut taken_back = BTreeSet::new();
    let at_risk: Vec<PodIx> = newly_bound(simulation.cluster(), placed);
    for rules in at_risk.first().into_iter().flat_map(|_| eviction_rules(context)) {
        let before = simulation.checkpoint();
        for (ix, node) in placed.all().filter(|(ix, _)| at_risk.contains(ix)) {
            simulation.withdraw(ix);
            simulation.trial.set_location(ix, PodLocation::Bound(node));
        }
        if may_reclaim(simulation, context, (rules, left_out), &at_risk) {
            let left_out = gangs_without_victims(simulation, context, rules, (placed, left_out));
            let gangs = (rules, &left_out);
            for_each_gang(simulation, &mut DecisionTrace::default(), context, gangs, |simulation, silent, gang| {
                for ix in reclaimed_by(simulation, silent, context, rules, (gang, &at_risk, placed)) {
                    explain_no_node(notes, gang, ix);
                    taken_back.insert(ix);
                }
            });
        }
        simulation.restore(before);
    }
    taken_back
}

/// Returns the gangs that evict no pod once idle capacity is taken: those that are left out already, and those whose own plans another gang would
/// take back. Such a gang keeps no pod from a node.
fn gangs_without_victims(
    simulation: &mut Simulation<'_>,
    context: &CycleContext<'_>,
    rules: &ReclaimRules,
    (placed, left_out): (&ActionPlacements, &BTreeSet<PodIx>),
) -> BTreeSet<PodIx> {
    let mut left_out = left_out.clone();
    // Where no idle capacity is taken, the caller leaves such gangs out, one pass after the other.
    while !placed.bound.is_empty() {
        let before = simulation.checkpoint();
        let (silent, mut planned) = (&mut DecisionTrace::default(), Vec::new());
        for_each_gang(simulation, silent, context, (rules, &left_out), |simulation, silent, gang| {
            let found = find_plan(simulation, silent, context, rules, gang, &Refuted::default());
            planned.extend(found.into_iter().flat_map(|plan| plan.nominations));
        });
        let lost = reclaimed_placements(
            simulation,
            silent,
            context,
            (&ActionPlacements { planned, ..ActionPlacements::default() }, &left_out),
        );
        simulation.restore(before);
        if lost.is_subset(&left_out) {
            break;
        }
        left_out.extend(lost);
    }
    left_out
}

/// Returns the laws of the actions that evict pods.
pub(super) fn eviction_rules<'c>(context: &'c CycleContext<'_>) -> impl Iterator<Item = &'c ReclaimRules> {
    context.cycle.actions.iter().filter_map(|action| match action {
        Action::Reclaim => Some(&context.cycle.reclaim),
        Action::Preempt => Some(&context.cycle.preempt),
        Action::Allocate | Action::Elastic | Action::Backfill => None,
    })
}

/// Returns the pods that can be victims once they are bound: pods without a nomination and without a cooldown time.
fn newly_bound(cluster: &Cluster, placed: &ActionPlacements) -> Vec<PodIx> {
    let may_be_lost = |ix: &PodIx| {
        let Some(pod) = cluster.pod(*ix) else { return false };
        let of_job = pod.attributes.job.and_then(|job| cluster.pod_group(job)).and_then(|group| group.cooldown);
        pod.state.nominated.is_none() && pod.attributes.task.cooldown.or(of_job).is_none_or(|cooldown| cooldown <= 0)
    };
    placed.all().map(|(ix, _)| ix).filter(may_be_lost).collect()
}

/// Checks whether the victim filters let a waiting gang evict one of these pods. Most cycles end here, without a search for plans.
fn may_reclaim(
    simulation: &mut Simulation<'_>,
    context: &CycleContext<'_>,
    (rules, left_out): (&ReclaimRules, &BTreeSet<PodIx>),
    placed: &[PodIx],
) -> bool {
    let mut found = false;
    for_each_gang(simulation, &mut DecisionTrace::default(), context, (rules, left_out), |simulation, _, gang| {
        let cluster = simulation.cluster();
        let pods = cluster.members_to_complete(&gang.pods);
        let preemptor = || Preemptor::of(cluster, context.laws, gang.lead()?, pods.clone());
        let Some(preemptor) = (!found).then(preemptor).flatten() else { return };
        let claim = GangEntitlement::of(cluster, preemptor.part.queue, &pods);
        let preemptor = preemptor.with_entitlement(claim);
        let case = preemptor.context_for_plan(cluster, context.ledger);
        found = placed.iter().any(|ix| case.first_denial(&rules.victim_filters, *ix).is_none());
    });
    found
}

/// Returns the pods at risk that the plan of a gang evicts, if they are to be left out. The pods of their jobs that then get no node are returned,
/// too. The simulation is left with the plan.
fn reclaimed_by(
    simulation: &mut Simulation<'_>,
    notes: &mut DecisionTrace,
    context: &CycleContext<'_>,
    rules: &ReclaimRules,
    (gang, at_risk, placed): (&PendingJob, &[PodIx], &ActionPlacements),
) -> Vec<PodIx> {
    let before = simulation.checkpoint();
    let Ok(plan) = find_plan(simulation, notes, context, rules, gang, &Refuted::default()) else { return Vec::new() };
    let is_planned = |ix: &PodIx| placed.planned.iter().any(|(planned, _)| planned == ix);
    let lost = plan.victims.into_iter().filter(|ix| at_risk.contains(ix));
    let (mut lost, in_free_room): (Vec<PodIx>, Vec<PodIx>) = lost.partition(is_planned);
    if !in_free_room.is_empty() {
        // Where the victims of the gang alone leave too little, pods that were bound with them may be the obstacle.
        let cluster = simulation.cluster();
        let members = in_free_room.iter().flat_map(|ix| cluster.members(*ix)).map(|(ix, _)| ix);
        let with_jobs: BTreeSet<PodIx> =
            members.filter(|ix| placed.bound.iter().any(|(bound, _)| bound == ix) && at_risk.contains(ix)).collect();
        let ways = [in_free_room, with_jobs.into_iter().collect()];
        let enough = ways.into_iter().find(|way| {
            simulation.restore(before.clone());
            way.iter().for_each(|ix| simulation.trial.set_location(*ix, PodLocation::Pending));
            let without = find_plan(simulation, notes, context, rules, gang, &Refuted::default());
            matches!(without, Ok(_) | Err(PlanObstacle::GangWillFit))
        });
        match enough {
            Some(way) => lost.extend(way),
            None => {
                simulation.restore(before);
                drop(find_plan(simulation, notes, context, rules, gang, &Refuted::default()));
            }
        }
    }
    let cluster = simulation.cluster();
    let of_same_jobs = lost.iter().flat_map(|ix| cluster.members(*ix));
    // A plan or a promise places all pods that a gang lacks, or none.
    let whole = |ix: PodIx| placed.promised.iter().chain(&placed.planned).any(|(placed, _)| *placed == ix);
    let goes_along = |ix: PodIx| at_risk.contains(&ix) && whole(ix);
    let along: Vec<PodIx> =
        of_same_jobs.filter(|(ix, pod)| pod.is_pending() || goes_along(*ix)).map(|(ix, _)| ix).collect();
    lost.extend(along);
    lost
}

/// Explains why a pod gets no node.
fn explain_no_node(notes: &mut DecisionTrace, gang: &PendingJob, ix: PodIx) {
    let Some(lead) = gang.lead() else { return };
    notes.resume(ix);
    notes.retry_hints.add_reason(&ROOM_IS_CLAIMED);
    notes.record(Subject::Preemptor, Outcome::Barred, &ROOM_IS_CLAIMED, || ReasonFacts::default().pod("pod", lead));
}
